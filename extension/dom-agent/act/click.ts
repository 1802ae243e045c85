import type { ClickParams } from "@gasoline/schema/commands";
import type { AgentOps } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { isLeaving } from "./leaving.ts";
import { elementAt, isInside } from "../shadow.ts";
import { isNamed } from "../target.ts";
import { handOver, outcome } from "./outcome.ts";
import { press } from "./pointer.ts";

/** Clicks the target. Asks the worker for real input where a made-up click would do nothing. */
export async function click(params: ClickParams, environment: Environment): Promise<AgentOps["click"]["result"]> {
  if (!isNamed(params)) throw new AgentProblem("missing_target", "click needs a ref, a selector, or x and y.");
  const found = await ready(params, environment.refs, { enabled: true, hit: true }, environment.deadline);
  const { element, point } = found;
  const button = params.button ?? "left";
  const count = params.count || 1;
  // Described before: a click may take the element away.
  const result = outcome(found, environment);
  if (params.new_tab) {
    const link = element.closest<HTMLAnchorElement>("a[href], area[href]");
    return link ? { result, href: link.href } : { result };
  }
  if (params.trusted === "always" || (params.trusted !== "never" && needsReal(element))) {
    return handOver(result, { type: "click", ...point, button, count });
  }
  // What lies at the point inside of the target gets the click, as from a real pointer.
  const hit = elementAt(point.x, point.y);
  const leaving = await isLeaving(() => press(hit && isInside(hit, element) ? hit : element, point, button, count));
  return { result, leaving };
}

/** Things that open a window or a picker, or draw themselves, and listen to users only. */
function needsReal(element: Element): boolean {
  if (element.closest('a[target="_blank" i]')) return true;
  if (element instanceof HTMLInputElement)
    return /^(file|color|date|datetime-local|month|time|week)$/.test(element.type);
  return element instanceof HTMLSelectElement || /^(canvas|video|audio|embed|object)$/.test(element.localName);
}
