import { Search, run } from "@gasoline/capture/locators/deep";
import { type Locator, LocatorError, parse, textOf } from "@gasoline/capture/locators/grammar";
import { find as findIn } from "@gasoline/capture/locators/match";
import { fold } from "@gasoline/capture/locators/name";
import { candidates } from "./describe.ts";
import { AgentProblem } from "./problem.ts";
import type { RefBook } from "./refs.ts";
import { ROOTS, type Scope } from "./shadow.ts";
import { isVisible } from "./visible.ts";

/** How elements were found, in the words of match_strategy. */
export type Strategy = "ref" | "css" | "text" | "role" | "label" | "placeholder" | "testid";

/** What a selector found. */
export interface Found {
  elements: Element[];
  strategy: Strategy;
}

/** Most candidates that a problem names. */
export const MAX_CANDIDATES = 8;

/** Of elements that are too many to be meant, so many are looked at. */
const MAX_LOOKED = 500;

/**
 * Finds elements by a selector of capture/locators/grammar.ts. Throws invalid_selector for what is none, and for words that
 * fit nothing as CSS while the page shows them as text.
 */
export function find(selector: string, scope: Scope, refs: RefBook): Found {
  const locator = read(selector);
  if (locator.kind === "ref") return { elements: [refs.elementOf(locator.ref)], strategy: "ref" };
  const search = new Search(scope, ROOTS);
  if (locator.kind !== "css") return { elements: run(findIn(locator, search)), strategy: locator.kind };
  let elements: Element[] | undefined;
  try {
    elements = run(findIn(locator, search));
  } catch {
    elements = undefined;
  }
  if (!elements?.length && isPhrase(selector)) {
    const shown = run(findIn({ kind: "text", ...textOf(selector) }, search))
      .slice(0, MAX_LOOKED)
      .filter(isVisible);
    if (shown.length > 0 || !elements) throw phrase(selector, shown, refs);
  }
  if (!elements) throw new AgentProblem("invalid_selector", `Not a CSS selector: ${selector.slice(0, 200)}`);
  return { elements, strategy: "css" };
}

function read(selector: string): Locator {
  try {
    return parse(selector);
  } catch (error) {
    throw error instanceof LocatorError ? new AgentProblem("invalid_selector", error.message) : error;
  }
}

/** Says whether a selector is words rather than CSS: without any of its signs, and not all of them names of elements. */
export const isPhrase = (selector: string): boolean =>
  /^[^#.:[\]>+~*=(){}|@/\\"]+$/.test(selector) && selector.trim().split(/\s+/).some(isNoElement);

function isNoElement(word: string): boolean {
  try {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", word);
    return (
      document.createElement(word) instanceof HTMLUnknownElement &&
      Object.getPrototypeOf(drawn) === SVGElement.prototype
    );
  } catch {
    return true;
  }
}

function phrase(selector: string, shown: Element[], refs: RefBook): AgentProblem {
  const text = `text=${fold(selector, 200)}`;
  const fits =
    shown.length > 0 ? `, which fits ${shown.length === 1 ? refs.refOf(shown[0] as Element) : shown.length} now` : "";
  return new AgentProblem(
    "invalid_selector",
    `${fold(selector, 200)} is words, not CSS: write selector:"${text}"${fits}.`,
    () => ({ candidates: candidates(shown.slice(0, MAX_CANDIDATES), refs) }),
  );
}
