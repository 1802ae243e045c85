import type { HoverParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { isNamed } from "../target.ts";
import { outcome } from "./outcome.ts";
import { type Route, perform } from "./perform.ts";

/**
 * Moves the pointer over the target. A style that shows a menu on :hover answers only to a real pointer; where the
 * debugger is refused, pages get the events alone.
 */
export async function hover(params: HoverParams, environment: Environment): Promise<Acted> {
  if (!isNamed(params)) throw new AgentProblem("missing_target", "hover needs a ref, a selector, or x and y.");
  const by = async (route: Route): Promise<Acted> => {
    const { result, inside } = await perform(environment, {
      target: params,
      needs: { enabled: false, hit: true },
      gesture: { type: "move" },
      route: () => route,
      result: (found) => outcome(found, environment),
    });
    return { result, ...(inside ? { inside } : {}) };
  };
  if (params.trusted === "never") return by("made up");
  try {
    return await by("real");
  } catch (error) {
    const refused = error instanceof AgentProblem && error.code === "debugger_refused";
    if (!refused || params.trusted === "always") throw error;
    return by("made up");
  }
}
