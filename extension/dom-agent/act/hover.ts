import type { TargetParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { isNamed } from "../target.ts";
import { handOver, outcome } from "./outcome.ts";
import { enter } from "./pointer.ts";

/** Moves the pointer over the target: the real one when asked to, else what pages hear of it. */
export async function hover(params: TargetParams & { trusted?: string }, environment: Environment): Promise<Acted> {
  if (!isNamed(params)) throw new AgentProblem("missing_target", "hover needs a ref, a selector, or x and y.");
  const found = await ready(params, environment.refs, { enabled: false, hit: true }, environment.deadline);
  const result = outcome(found, environment);
  if (params.trusted === "always") return handOver(result, { type: "move", ...found.point });
  enter(found.element, found.point);
  return { result };
}
