import type { TargetParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { focused, isInside } from "../shadow.ts";
import { isNamed } from "../target.ts";
import { outcome } from "./outcome.ts";

/** Moves the focus to the target. */
export async function focus(params: TargetParams, environment: Environment): Promise<Acted> {
  if (!isNamed(params)) throw new AgentProblem("missing_target", "focus needs a ref, a selector, or x and y.");
  const found = await ready(params, environment.refs, { enabled: true, hit: false }, environment.deadline);
  environment.act.perform(() => giveFocus(found.element));
  return { result: outcome(found, environment) };
}

let keyed: Element | undefined; // the last key of an act went there, and the focus has stayed

/** Notes that keys have put the caret where it is in an element, until the focus leaves. */
export function noteKeyed(element: Element): void {
  keyed = element;
  element.addEventListener("blur", () => (keyed = undefined), { once: true });
}

/** Whether keys have put the caret where it is in an element. */
export const isKeyed = (element: Element): boolean => keyed === element;

/** Focuses an element. Throws not_focusable when it does not take the focus. */
export function giveFocus(element: Element): void {
  if (element instanceof HTMLElement || element instanceof SVGElement) element.focus({ preventScroll: true });
  const now = focused();
  if (!now || !isInside(now, element))
    throw new AgentProblem("not_focusable", `${inWords(element)} does not take the focus.`);
}
