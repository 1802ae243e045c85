import { fold, nameOf, roleOf } from "@gasoline/capture/locators/name";
import type { ActResult, Target } from "@gasoline/schema/commands";
import { candidate } from "./describe.ts";
import { AgentProblem } from "./problem.ts";
import type { RefBook } from "./refs.ts";
import { MAX_CANDIDATES, find, isPhrase } from "./selector.ts";
import { type Scope, elementAt, everyElement, focused } from "./shadow.ts";
import { isVisible } from "./visible.ts";

/** The element that a target names, and how it was found. */
export interface Resolved {
  element: Element;
  count: number;
  strategy: ActResult["match_strategy"];
}

/** Says whether a target names an element at all. */
export const isNamed = (target: Target): boolean =>
  target.ref !== undefined || target.selector !== undefined || (target.x !== undefined && target.y !== undefined);

/**
 * Finds the element that a target means now. Two that fit equally well are never guessed between:
 * ambiguous_target names them. Nothing found: element_not_found with what is called alike.
 */
export function resolve(target: Target, refs: RefBook): Resolved {
  if (target.ref !== undefined) return { element: refs.elementOf(target.ref), count: 1, strategy: "ref" };
  if (target.selector !== undefined) return choose(target.selector, target, refs);
  if (target.x !== undefined && target.y !== undefined) {
    const element = elementAt(target.x, target.y);
    if (!element)
      throw new AgentProblem(
        "element_not_found",
        `There is nothing at ${target.x}, ${target.y}: it is outside of the viewport.`,
      );
    return { element, count: 1, strategy: "point" };
  }
  const element = focused();
  if (!element || element === document.body || element === document.documentElement) {
    throw new AgentProblem("missing_target", "No target was given, and no element has the focus.");
  }
  return { element, count: 1, strategy: "focused" };
}

/** All elements that a target fits. */
export function matches(target: Target, refs: RefBook): Element[] {
  if (target.selector === undefined || target.ref !== undefined) return [resolve(target, refs).element];
  return find(target.selector, scopeOf(target, refs), refs).elements;
}

function choose(selector: string, target: Target, refs: RefBook): Resolved {
  const scope = scopeOf(target, refs);
  const { elements, strategy } = find(selector, scope, refs);
  if (target.nth !== undefined) return { ...nth(elements, target.nth, selector), strategy };
  const visible = elements.filter(isVisible);
  const pool = visible.length > 0 ? visible : elements;
  const [only] = pool;
  if (!only) {
    throw new AgentProblem("element_not_found", nothing(selector), { candidates: alike(selector, scope, refs) });
  }
  if (pool.length > 1) {
    throw new AgentProblem("ambiguous_target", `${pool.length} elements fit ${selector.slice(0, 200)}.`, {
      candidates: pool.slice(0, MAX_CANDIDATES).map((element) => candidate(element, refs)),
    });
  }
  return { element: only, count: elements.length, strategy };
}

/** Why nothing was found: words were perhaps meant as text that has not come. */
export function nothing(selector: string): string {
  const words = selector.slice(0, 200);
  return isPhrase(selector)
    ? `Nothing fits ${words} as CSS; as text it would be text=${words}.`
    : `Nothing fits ${words}.`;
}

function nth(elements: Element[], index: number, selector: string): { element: Element; count: number } {
  const element = elements.at(index);
  if (element) return { element, count: elements.length };
  if (elements.length === 0) throw new AgentProblem("element_not_found", nothing(selector));
  throw new AgentProblem(
    "nth_out_of_range",
    `nth is ${index}, and ${elements.length} elements fit; they are counted from 0.`,
  );
}

function scopeOf(target: Target, refs: RefBook): Scope {
  if (target.within === undefined) return document;
  const { elements } = find(target.within, document, refs);
  const visible = elements.filter(isVisible);
  const pool = visible.length > 0 ? visible : elements;
  const [only] = pool;
  if (!only) throw new AgentProblem("scope_not_found", `Nothing fits within: ${target.within.slice(0, 200)}.`);
  if (pool.length > 1) {
    throw new AgentProblem("ambiguous_target", `${pool.length} elements fit within: ${target.within.slice(0, 200)}.`, {
      candidates: pool.slice(0, MAX_CANDIDATES).map((element) => candidate(element, refs)),
    });
  }
  return only;
}

/** Elements whose name shares a word with what was looked for. */
function alike(selector: string, scope: Scope, refs: RefBook): ReturnType<typeof candidate>[] {
  const quoted =
    /["']([^"']+)["']/.exec(selector)?.[1] ?? /^(?:text|label|placeholder|testid)=(.*)$/s.exec(selector)?.[1];
  const role = /^role=([\w-]+)/.exec(selector)?.[1];
  const words = new Set(
    fold(quoted ?? "", 200)
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word.length > 2),
  );
  if (words.size === 0 && role === undefined) return [];
  const scored: { element: Element; score: number }[] = [];
  for (const element of everyElement(scope, 5000)) {
    if (!element.matches("a, button, input, select, textarea, summary, label, [role], [tabindex], [contenteditable]"))
      continue;
    const name = nameOf(element).toLowerCase();
    const shared = name.split(/\W+/).filter((word) => words.has(word)).length;
    const score = shared * 2 + (role !== undefined && roleOf(element) === role ? 1 : 0);
    if (score > 0 && isVisible(element)) scored.push({ element, score });
  }
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, MAX_CANDIDATES).map(({ element }) => candidate(element, refs));
}
