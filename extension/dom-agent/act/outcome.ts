import type { ActResult } from "@gasoline/schema/commands";
import type { Ready } from "../actionable.ts";
import { describe } from "../describe.ts";
import type { Environment } from "../environment.ts";
import type { Resolved } from "../target.ts";

/** The result of an action on an element, to be completed by who acted. */
export function outcome(
  found: Resolved & Partial<Ready>,
  environment: Environment,
  more: Partial<ActResult> = {},
): ActResult {
  const result: ActResult = {
    matched: describe(found.element, environment.refs, environment.frame),
    match_count: found.count,
    match_strategy: found.strategy,
    ...more,
  };
  if (found.scrolled) result.auto_scrolled = true;
  noteHealed(result, environment);
  return result;
}

/** Says in the result of an act that another element was taken for the one that was meant. */
export function noteHealed(result: ActResult, { refs, heals = 0 }: Environment): void {
  if (refs.heals > heals) result.healed = true;
}

/**
 * Has the value of a result read again once the act has settled, for the page may change it in answer. An element that was
 * rendered anew is found by its ref; of one that is gone the value stays the last that was seen.
 */
export function watchValue(
  result: ActResult,
  element: Element,
  { act, refs, frame }: Environment,
  read: (element: Element) => string | undefined,
): void {
  const set = result.value;
  act.afterwards(() => {
    try {
      const there = element.isConnected ? element : refs.elementOf(result.matched?.ref ?? "");
      const now = read(there);
      if (now === undefined || now === set || set === undefined) return;
      Object.assign(result, { value: now, set_to: result.set_to ?? set, matched: describe(there, refs, frame) });
    } catch {
      return; // The element is gone, or is no field any more.
    }
  });
}
