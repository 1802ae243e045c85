import type { ActResult } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { outcome } from "./outcome.ts";
import { perform, routeOf } from "./perform.ts";

/** Presses an element that the agent found by itself, as any other is pressed. */
export async function pressed(element: Element, environment: Environment, more: Partial<ActResult>): Promise<Acted> {
  const { result } = await perform(environment, {
    target: { ref: environment.refs.refOf(element) },
    needs: { enabled: true, hit: true },
    gesture: { type: "press", button: "left", count: 1 },
    route: routeOf(undefined, () => false),
    result: (found) => outcome(found, environment, { match_strategy: "intent", ...more }),
  });
  return { result };
}
