import { fold, nameOf, roleOf } from "@gasoline/capture/locators/name";
import { plainRole } from "@gasoline/capture/locators/role";
import type { ActResult, Target } from "@gasoline/schema/commands";
import { reachable } from "./behind.ts";
import { candidate, candidates } from "./describe.ts";
import { AgentProblem } from "./problem.ts";
import { Pass } from "./pass.ts";
import type { RefBook } from "./refs.ts";
import { MAX_CANDIDATES, find, isPhrase } from "./selector.ts";
import { type Scope, elementAt, everywhere, focused } from "./shadow.ts";
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
  // The page itself has the focus where nothing else does; one that is an editor is written in.
  const page = element === document.body || element === document.documentElement;
  if (!element || (page && !(element as HTMLElement).isContentEditable)) {
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
  const [only, ...more] = meant(elements);
  if (!only) {
    throw new AgentProblem("element_not_found", nothing(selector), () => ({
      candidates: alike(selector, scope).map((at) => candidate(at, refs)),
    }));
  }
  if (more.length > 0) throw ambiguous(elements, [only, ...more], selector.slice(0, 200), refs);
  return { element: only, count: elements.length, strategy };
}

/** Of so many visible elements nobody means one. */
const MANY = 100;

/** The visible ones that can be reached, or all if none is: at most 100, for more are not told apart. */
function meant(elements: readonly Element[]): Element[] {
  const visible: Element[] = [];
  for (const element of elements) {
    if (isVisible(element)) visible.push(element);
    if (visible.length >= MANY) break;
  }
  return [...reachable(visible.length > 0 ? visible : elements.slice(0, MANY))];
}

function ambiguous(elements: readonly Element[], among: Element[], selector: string, refs: RefBook): AgentProblem {
  const count = among.length < MANY ? among.length : elements.length;
  return new AgentProblem("ambiguous_target", `${count} elements fit ${selector}.`, () => ({
    candidates: candidates(among, refs).slice(0, MAX_CANDIDATES),
  }));
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

/** The part of the page that within names, or all of it. */
export function scopeOf(target: Pick<Target, "within">, refs: RefBook): Scope {
  if (target.within === undefined) return document;
  const { elements } = find(target.within, document, refs);
  const [only, ...more] = meant(elements);
  if (!only) throw new AgentProblem("scope_not_found", `Nothing fits within: ${target.within.slice(0, 200)}.`);
  if (more.length > 0) throw ambiguous(elements, [only, ...more], `within: ${target.within.slice(0, 200)}`, refs);
  return only;
}

const CONTROLS = "a, button, input, select, textarea, summary, label, [role], [tabindex], [contenteditable]";
/** Of these so many are looked at, the first of the page. */
const MAX_CONTROLS = 500;

/** Visible elements whose name shares a word with what was looked for, at most 8. */
export function alike(selector: string, scope: Scope): Element[] {
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
  const { names } = new Pass();
  for (const element of everywhere(CONTROLS, scope).slice(0, MAX_CONTROLS)) {
    const hopeful = [...words].some((word) => names.mayHold(element, word));
    const name = hopeful ? nameOf(element, names).toLowerCase() : "";
    const shared = name.split(/\W+/).filter((word) => words.has(word)).length;
    const score = shared * 2 + (role !== undefined && roleOf(element) === plainRole(role) ? 1 : 0);
    if (score > 0) scored.push({ element, score });
  }
  scored.sort((a, b) => b.score - a.score);
  const shown: Element[] = [];
  for (const { element } of scored) {
    if (shown.length < MAX_CANDIDATES && isVisible(element)) shown.push(element);
  }
  return shown;
}
