import { fold, nameOf, roleOf } from "@gasoline/capture/locators/name";
import { candidate } from "./describe.ts";
import { AgentProblem } from "./problem.ts";
import type { RefBook } from "./refs.ts";
import { type Scope, everyElement, query } from "./shadow.ts";
import { isVisible } from "./visible.ts";

/** How elements were found, in the words of match_strategy. */
export type Strategy = "css" | "text" | "role" | "label" | "placeholder" | "testid";

/** What a selector found. */
export interface Found {
  elements: Element[];
  strategy: Strategy;
}

const ENGINES: Record<string, (value: string, scope: Scope) => Element[]> = {
  text: byText,
  role: byRole,
  label: byLabel,
  placeholder: (value, scope) =>
    best(
      value,
      everyElement(scope).filter((element) => element.hasAttribute("placeholder")),
      (element) => [element.getAttribute("placeholder") ?? ""],
    ),
  testid: byTestID,
};

const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"] as const;

/** Most candidates that a problem names. */
export const MAX_CANDIDATES = 8;

/**
 * Finds elements by a selector: CSS with >>>, or text=, role=, label=, placeholder=, testid=. Throws invalid_selector for
 * what is none, and for words that fit nothing as CSS while the page shows them as text.
 */
export function find(selector: string, scope: Scope, refs: RefBook): Found {
  const named = /^(text|role|label|placeholder|testid)=(.*)$/s.exec(selector.trim());
  const engine = named && ENGINES[named[1] ?? ""];
  if (named && engine) return { elements: engine(named[2] ?? "", scope), strategy: named[1] as Strategy };
  let elements: Element[] | undefined;
  try {
    elements = query(selector, scope);
  } catch {
    elements = undefined;
  }
  if (!elements?.length && isPhrase(selector)) {
    const shown = byText(selector, scope).filter(isVisible);
    if (shown.length > 0 || !elements) throw phrase(selector, shown, refs);
  }
  if (!elements) throw new AgentProblem("invalid_selector", `Not a CSS selector: ${selector.slice(0, 200)}`);
  return { elements, strategy: "css" };
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
    {
      candidates: shown.slice(0, MAX_CANDIDATES).map((element) => candidate(element, refs)),
    },
  );
}

/** A text to look for: in quotes it has to be the whole text, letter for letter. */
interface Wanted {
  text: string;
  exact: boolean;
}

function wanted(value: string): Wanted {
  const quoted = /^\s*(["'])(.*)\1\s*$/s.exec(value);
  return { text: fold(quoted?.[2] ?? value, 10_000), exact: quoted !== null };
}

/**
 * The elements whose text fits best: the whole text if any has it, else without regard to case, else
 * as a part. A weaker fit is looked at only where there is no better one.
 */
function best(
  value: string,
  elements: readonly Element[],
  textsOf: (element: Element) => string[],
  alwaysTiers = false,
): Element[] {
  const { text, exact } = wanted(value);
  if (text === "") return [];
  const texts = elements.map((element) => ({ element, texts: textsOf(element).map((one) => fold(one, 10_000)) }));
  const lower = text.toLowerCase();
  const tiers: ((one: string) => boolean)[] = [
    (one) => one === text,
    (one) => one.toLowerCase() === lower,
    (one) => one.toLowerCase().includes(lower),
  ];
  for (const fits of exact && !alwaysTiers ? tiers.slice(0, 1) : tiers) {
    const found = texts.filter((at) => at.texts.some(fits)).map(({ element }) => element);
    if (found.length > 0) return found;
  }
  return [];
}

function byText(value: string, scope: Scope): Element[] {
  const elements = everyElement(scope).filter(
    (element) => !/^(script|style|noscript|template|head|title|meta|link)$/.test(element.localName),
  );
  const found = best(value, elements, (element) => [textOf(element)]);
  const set = new Set(found);
  // The innermost ones: what contains a match has the text only through it.
  const inner = found.filter((element) => !everyElement(element).some((child) => set.has(child)));
  return inner;
}

function textOf(element: Element): string {
  if (element instanceof HTMLInputElement) return /^(button|submit|reset)$/.test(element.type) ? element.value : "";
  return element.textContent ?? "";
}

function byRole(value: string, scope: Scope): Element[] {
  const parsed = /^\s*([\w-]+)\s*((?:\[[^\]]*\]\s*)*)$/.exec(value);
  if (!parsed)
    throw new AgentProblem("invalid_selector", `Write role=button[name="Save"], not role=${value.slice(0, 100)}`);
  const role = (parsed[1] ?? "").toLowerCase();
  let elements = everyElement(scope).filter((element) => roleOf(element) === role);
  for (const [, attribute = "", , given] of (parsed[2] ?? "").matchAll(
    /\[\s*([\w-]+)\s*(=\s*((?:"[^"]*"|'[^']*'|[^\]])*))?\]/g,
  )) {
    if (attribute === "name") elements = best(given ?? "", elements, (element) => [nameOf(element)], true);
    else elements = elements.filter((element) => hasState(element, attribute, (given ?? "true").trim()));
  }
  return elements;
}

function hasState(element: Element, state: string, value: string): boolean {
  if (!/^(checked|disabled|expanded|selected|pressed)$/.test(state)) {
    throw new AgentProblem(
      "invalid_selector",
      `role= knows name, checked, disabled, expanded, selected and pressed, not ${state}.`,
    );
  }
  let now = element.getAttribute(`aria-${state}`) ?? "false";
  if (state === "checked" && element instanceof HTMLInputElement) now = String(element.checked);
  if (state === "disabled" && element.matches(":disabled")) now = "true";
  return now === value.replace(/^["']|["']$/g, "");
}

function byLabel(value: string, scope: Scope): Element[] {
  const fields = everyElement(scope).filter((element) =>
    element.matches(
      "input:not([type=hidden]), textarea, select, meter, progress, output, [contenteditable], [role], [aria-label], [aria-labelledby]",
    ),
  );
  const labelled = fields.filter(
    (element) =>
      (element as HTMLInputElement).labels?.length ||
      element.hasAttribute("aria-label") ||
      element.hasAttribute("aria-labelledby"),
  );
  return best(value, labelled, (element) => {
    const labels = [...((element as HTMLInputElement).labels ?? [])].map((label) => label.textContent ?? "");
    return [...labels, element.getAttribute("aria-label") ?? "", nameOf(element)];
  });
}

function byTestID(value: string, scope: Scope): Element[] {
  const { text } = wanted(value);
  const named = /^(data-[\w-]+)=(.*)$/s.exec(text);
  const names: readonly string[] = named?.[1] ? [named[1]] : TEST_IDS;
  const id = named?.[2] ?? text;
  return everyElement(scope).filter((element) => names.some((name) => element.getAttribute(name) === id));
}
