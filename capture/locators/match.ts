import {
  type Scope,
  type Search,
  type Steps,
  type Tree,
  fitting,
  gather,
  inOrder,
  select,
  selectEach,
} from "./deep.ts";
import { type Locator, TEST_ATTRIBUTES, type State, type Text } from "./grammar.ts";
import { MAX_NAME, Names } from "./name.ts";
import { ariaOf, componentTags } from "./lent.ts";
import { plainRole, roleOf, selectorsOf } from "./role.ts";
import { UNSEEN, fold } from "./text.ts";

/** Elements between two pauses. */
const STRIDE = 100;
/** Elements are leapt over on the way to a text that is further away, in characters. */
const LEAP = 500;
/** Longer texts are compared as far as this. */
const MAX_TEXT = 10_000;

/** A locator that can be looked for in a page. */
export type Findable = Exclude<Locator, { kind: "ref" }>;

/**
 * find gives the elements that a locator fits now, in the order of the page, through open and closed shadow roots (CSS
 * enters them by ">>>" only). text= gives the innermost elements. A weaker fit of a text counts only where there is no
 * better one. Invalid CSS throws SyntaxError. All work is in proportion to the size of the page.
 */
export function* find(locator: Findable, search: Search): Steps<Element[]> {
  if (locator.kind === "css") return yield* search.query(locator.steps);
  const tree = yield* search.tree();
  yield;
  switch (locator.kind) {
    case "testid": {
      const names = locator.attribute === undefined ? TEST_ATTRIBUTES : [locator.attribute];
      return select(names.map((name) => `[${CSS.escape(name)}=${cssString(locator.id)}]`).join(","), tree);
    }
    case "placeholder":
      return yield* best(locator, select("[placeholder]", tree), (element) => [
        element.getAttribute("placeholder") ?? "",
      ]);
    case "text":
      return byText(locator, tree);
    case "label":
      return yield* byLabel(locator, tree);
    case "role":
      return yield* byRole(locator, tree);
  }
}

/** A value between quotes in CSS. */
export const cssString = (value: string): string =>
  `"${value.replace(/[\\"]/g, "\\$&").replace(/[\n\r\f]/g, (end) => `\\${end.charCodeAt(0).toString(16)} `)}"`;

/** Whether a folded text is what is looked for: 0 the whole, 1 in other case, 2 a part, 3 not at all. */
function fit(text: string, { text: wanted }: Text, lower: string): number {
  if (text === wanted) return 0;
  const other = text.toLowerCase();
  return other === lower ? 1 : other.includes(lower) ? 2 : 3;
}

/** The elements of which a text fits best; with one that is exact, those of which it fits letter for letter. */
function* best(wanted: Text, elements: Iterable<Element>, textsOf: (element: Element) => string[]): Steps<Element[]> {
  const tiers: [Element[], Element[], Element[], Element[]] = [[], [], [], []];
  if (wanted.text === "") return [];
  const lower = wanted.text.toLowerCase();
  let n = 0;
  for (const element of elements) {
    if (++n % STRIDE === 0) yield;
    let tier = 3;
    for (const text of textsOf(element)) tier = Math.min(tier, fit(short(text), wanted, lower));
    (tiers[tier] as Element[]).push(element);
  }
  if (wanted.exact) return tiers[0];
  return tiers.slice(0, 3).find((tier) => tier.length > 0) ?? [];
}

/** A text without white space in lower case, to compare letters by. */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(" ", "");

function* byRole(locator: Extract<Locator, { kind: "role" }>, tree: Tree): Steps<Element[]> {
  const { name } = locator;
  const role = plainRole(locator.role);
  const states = Object.entries(locator.states);
  const wanted = name && { text: fold(name.text, MAX_NAME), exact: false };
  const letters = wanted && lettersOf(wanted.text.replace(/…$/, ""));
  const names = new Names();
  const found: Element[] = [];
  let n = 0;
  for (const element of selectEach(selectorsOf(role), tree, (element) => roleOf(element) === role)) {
    if (++n % STRIDE === 0) yield;
    if (states.some(([state, value]) => stateOf(element, state as State) !== value)) continue;
    if (letters === undefined || names.mayHold(element, letters)) found.push(element);
  }
  return wanted ? yield* best(wanted, found, (element) => [names.of(element)]) : found;
}

function stateOf(element: Element, state: State): string {
  const told = ariaOf(element, state) ?? "false";
  switch (state) {
    case "checked":
      if (!(element instanceof HTMLInputElement)) return told;
      return element.indeterminate ? "mixed" : String(element.checked);
    case "disabled":
      return element.matches(":disabled") ? "true" : told;
    case "selected":
      return element instanceof HTMLOptionElement ? String(element.selected) : told;
    case "expanded":
      return element.localName === "summary" && element.parentElement instanceof HTMLDetailsElement
        ? String(element.parentElement.open)
        : told;
    case "pressed":
      return told;
  }
}

const FIELDS =
  "input:not([type=hidden]),textarea,select,meter,progress,output,[contenteditable],[role],[aria-label],[aria-labelledby]";

function* byLabel(wanted: Text, tree: Tree): Steps<Element[]> {
  const names = new Names();
  const letters = lettersOf(wanted.text);
  const fields = select([FIELDS, ...componentTags()].join(), tree).filter(
    (element) =>
      ariaOf(element, "label") !== null ||
      element.hasAttribute("aria-labelledby") ||
      names.labelsOf(element).length > 0,
  );
  yield;
  return yield* best(wanted, fields, (element) => {
    const texts = labelsOf(element, names);
    return names.mayHold(element, letters) ? [...texts, names.of(element)] : texts;
  });
}

/** The texts by which label= knows an element, beside its name. */
export const labelsOf = (element: Element, names: Names): string[] => [
  ...names.labelsOf(element).map((label) => label.textContent ?? ""),
  ariaOf(element, "label") ?? "",
];

/** Elements whose text is not shown as text. */
const UNSHOWN = /^(script|style|noscript|template|title)$/;

/**
 * byText searches the text of each root as one string and only then for the elements around what it found: a page of
 * any depth takes time in proportion to its size.
 */
function byText(wanted: Text, tree: Tree): Element[] {
  if (wanted.text === "") return [];
  const lower = wanted.text.toLowerCase();
  const tiers: Set<Element>[] = [new Set(), new Set(), new Set()];
  const found = gather(tree, (scope, itself) => {
    const inRoot = withText(wanted.text, scope, itself).map((element) => ({
      element,
      tier: fit(short(textOf(element)), wanted, lower),
    }));
    for (const { element, tier } of inRoot) (tiers[Math.min(tier, 2)] as Set<Element>).add(element);
    return inRoot.map(({ element }) => element);
  });
  if (wanted.exact) return found.filter((element) => tiers[0]?.has(element));
  const top = tiers.find((tier) => tier.size > 0);
  return top ? found.filter((element) => top.has(element)) : [];
}

/** The innermost elements of a root whose text holds another, in any case; in document order. */
function withText(text: string, scope: Scope, itself?: true): Element[] {
  const whole = scope instanceof Document ? (scope.documentElement?.textContent ?? "") : (scope.textContent ?? "");
  const pattern = patternOf(text, HAS_UNSEEN.test(whole));
  const found = new Set<Element>();
  const wanted = new RegExp(pattern, "giu");
  // Both ends of what is found only go forward. Most texts are not there: nodes are counted off once one is.
  let ends: { first: Texts; last: Texts } | undefined;
  for (let hit = wanted.exec(whole); hit; hit = wanted.exec(whole)) {
    ends ??= { first: new Texts(scope, whole.length), last: new Texts(scope, whole.length) };
    const first = ends.first.at(hit.index);
    const last = ends.last.at(hit.index + hit[0].length - 1);
    // What goes over several nodes may begin one that is in a single one: "1" and "11" hold "11" twice.
    if (first !== last) wanted.lastIndex = hit.index + ((whole.codePointAt(hit.index) as number) > 0xffff ? 2 : 1);
    const around = first && last && commonElement(first, last);
    if (around && (itself || around !== scope) && !UNSHOWN.test(around.localName)) found.add(around);
  }
  const inner = withoutOuter(found);
  const lower = text.toLowerCase();
  const buttons = fitting("input", scope, itself).filter(
    (input) => fit(short(textOf(input)), { text, exact: false }, lower) < 3,
  );
  return buttons.length === 0 ? inner : inner.length === 0 ? buttons : inOrder(scope, new Set([...inner, ...buttons]));
}

const HAS_UNSEEN = new RegExp(`[${UNSEEN}]`);

/** A regular expression for a text, with any white space between words; parted: with signs between letters that nobody sees. */
function patternOf(text: string, parted: boolean): string {
  const escaped = (part: string): string => part.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  if (!parted) return escaped(text).replaceAll(" ", "\\s+");
  const words = text.split(" ").map((word) => Array.from(word, escaped).join(`[${UNSEEN}]*`));
  return words.join(`[${UNSEEN}]*\\s[\\s${UNSEEN}]*`);
}

/** Texts finds the text nodes in which places of a root's whole text stand. The places come in order. */
class Texts {
  readonly #walker: TreeWalker;
  #start = 0; // of the current node
  #left: number; // so many characters of elements may still be counted at once, to leap over them

  constructor(scope: Scope, length: number) {
    this.#walker = document.createTreeWalker(scope, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    this.#left = 3 * length;
  }

  at(place: number): Node | undefined {
    const walker = this.#walker;
    for (;;) {
      const node = walker.currentNode;
      const text = node.nodeType === Node.TEXT_NODE;
      // Counting takes the browser a fraction of the time that a walk takes. In the last of a parent the place is anyway.
      const leap = !text && node.nextSibling !== null && place - this.#start > LEAP && this.#left > 0;
      const length = text ? (node as CharacterData).length : leap ? (node.textContent ?? "").length : 0;
      if (leap) this.#left -= length;
      if (text && place < this.#start + length) return node;
      if (leap && place >= this.#start + length) {
        this.#start += length;
        while (!walker.nextSibling()) if (!walker.parentNode()) return undefined;
        continue;
      }
      if (text) this.#start += length;
      if (!walker.nextNode()) return undefined;
    }
  }
}

/** The innermost element with both nodes in it. */
function commonElement(first: Node, last: Node): Element | null {
  let at = first.parentElement;
  if (first !== last) while (at && !at.contains(last)) at = at.parentElement;
  return at;
}

/** Those without another one in them. */
function withoutOuter(elements: Set<Element>): Element[] {
  const seen = new Set<Element>();
  const outer = new Set<Element>();
  for (const element of elements) {
    for (let at = element.parentElement; at && !seen.has(at); at = at.parentElement) {
      seen.add(at);
      if (elements.has(at)) outer.add(at);
    }
  }
  return [...elements].filter((element) => !outer.has(element));
}

const short = (text: string): string => fold(text.slice(0, 4 * MAX_TEXT), MAX_TEXT);

/** The text of an element by which text= knows it. */
export function textOf(element: Element): string {
  if (element instanceof HTMLInputElement) return /^(button|submit|reset)$/.test(element.type) ? element.value : "";
  return element.textContent ?? "";
}
