import type { TargetParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { Row } from "../row.ts";
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

/**
 * Focuses an element. Throws not_focusable when it does not take the focus, and not_actionable when the page then used it
 * for another row. Returns the row that it was in before.
 */
export function giveFocus(element: Element): Row {
  const row = new Row(element);
  const was = inWords(element);
  if (element instanceof HTMLElement || element instanceof SVGElement) element.focus({ preventScroll: true });
  const now = focused();
  if (!now || !isInside(now, element)) throw new AgentProblem("not_focusable", `${was} does not take the focus.`);
  if (row.isAnothers)
    throw new AgentProblem("not_actionable", `${was} was focused, and the page then used it for another row.`);
  return row;
}

/** What a page and the browser hear of a key. */
const KEYS = ["keydown", "keypress", "beforeinput", "keyup"] as const;

/**
 * Keeps real keys from everything but an element that has the focus: before the first of them comes the page may have moved
 * it. Where a key leads on to another element, the next ones go there. meant gives the element as it is by then, or throws
 * where it is gone; row is the element's from before it had the focus. The returned function ends it; it throws where the keys came to another element, and so to nobody.
 */
export function keysFor(element: Element, row: Row, meant: () => Element): () => void {
  let comes: boolean | undefined;
  const isThere = (): boolean => {
    try {
      const now = focused();
      return now !== null && !row.isAnothers && isInside(now, element.isConnected ? element : meant());
    } catch {
      return false;
    }
  };
  const hear = (event: Event): void => {
    if (!event.isTrusted || (comes ??= isThere())) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const name of KEYS) window.addEventListener(name, hear, true);
  return () => {
    for (const name of KEYS) window.removeEventListener(name, hear, true);
    if (comes === false)
      throw new AgentProblem("not_actionable", `The page took the focus from ${inWords(element)}. No key came to it.`);
  };
}
