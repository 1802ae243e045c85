import type { Locator } from "@gasoline/schema/wire";
import { cssPath, stable } from "./css.ts";
import { type Roots, Search, type Steps } from "./deep.ts";
import { TEST_ATTRIBUTES, asText, print } from "./grammar.ts";
import { type Findable, find, textOf } from "./match.ts";
import { ariaOf } from "./lent.ts";
import { Names, fold, roleTold, textHead } from "./name.ts";

/** A text longer than this changes too easily to find an element by. */
const MAX_TEXT = 60;
/** Longer locators are left out: commands take no selectors of more than 2,000 characters. */
const MAX_LENGTH = 1000;

/** What a kind costs when it is unique. The gaps say how readily it survives a change of the page. */
const SCORE = { testid: 1, role: 10, label: 20, placeholder: 30, text: 40, id: 50, css: 100 };
/** What each further match costs: more than any kind. */
export const AMBIGUOUS = 200;

type Kind = keyof typeof SCORE;

/** Sketch is what an element is found by, read at one moment: a page may change or remove the element right after. */
export interface Sketch {
  element: Element;
  role: string;
  name: string;
  /** attribute and value, "" without one */
  testid: readonly [attribute: string, value: string];
  label: string;
  placeholder: string;
  text: string;
  id: string;
}

/** sketchOf reads an element and nothing around it. */
export function sketchOf(element: Element): Sketch {
  const attribute = TEST_ATTRIBUTES.find((name) => element.getAttribute(name)) ?? "";
  const names = new Names();
  return {
    element,
    role: roleTold(element),
    name: names.of(element),
    testid: [attribute, element.getAttribute(attribute || "data-testid") ?? ""],
    label: labelOf(element, names),
    placeholder: fold(element.getAttribute("placeholder") ?? "", MAX_LENGTH),
    text: shortText(element),
    id: element.id && stable(element.id) && element.getRootNode() instanceof Document ? element.id : "",
  };
}

/**
 * locate lists the ways to find an element again, best first (lowest score): test id, role and name, label, placeholder,
 * text, id, CSS path. Values are selectors without the kind in front, as selectorFor puts it there. `matches` is the
 * number of elements that the selector finds in the document now; a way that would not find the element is left out. The
 * element may be gone: then matches counts it beside the others, and there is no CSS path.
 */
export function* locate(sketch: Sketch, roots: Roots): Steps<Locator[]> {
  const { element } = sketch;
  const search = new Search(element.ownerDocument, roots);
  const found: Locator[] = [];
  for (const [kind, locator] of waysOf(sketch)) {
    const value = valueOf(kind, locator, sketch);
    // Half a character does not survive the way to an agent.
    if (value.length > MAX_LENGTH || /\p{Surrogate}/u.test(value)) continue;
    const all = yield* find(locator, search);
    const there = all.includes(element);
    if (!there && element.isConnected && sameIn(kind, sketch, sketchOf(element))) continue;
    const others = all.length - (there ? 1 : 0);
    found.push({ kind, value, matches: others + 1, score: SCORE[kind] + others * AMBIGUOUS });
    yield;
  }
  const path = element.isConnected ? cssPath(element) : "";
  if (path) found.push({ kind: "css", value: path, matches: 1, score: SCORE.css });
  return found.sort((a, b) => a.score - b.score);
}

/** selectorFor gives the selector of a locator, as commands take it. */
export function selectorFor({ kind, value }: Pick<Locator, "kind" | "value">): string {
  return kind === "css" ? value : kind === "id" ? `#${CSS.escape(value)}` : `${kind}=${value}`;
}

function waysOf(sketch: Sketch): [Kind, Findable][] {
  const { role, name, label, placeholder, text, id } = sketch;
  const [attribute, value] = sketch.testid;
  const ways: [Kind, Findable][] = [];
  // The usual attribute needs no name; the others say which one they are.
  if (value)
    ways.push(["testid", { kind: "testid", id: value, ...(attribute === TEST_ATTRIBUTES[0] ? {} : { attribute }) }]);
  if (role && name) ways.push(["role", { kind: "role", role, name: { text: name, exact: true }, states: {} }]);
  if (label) ways.push(["label", { kind: "label", ...asText(label) }]);
  if (placeholder) ways.push(["placeholder", { kind: "placeholder", ...asText(placeholder) }]);
  if (text) ways.push(["text", { kind: "text", ...asText(text) }]);
  if (id) ways.push(["id", { kind: "css", steps: [`#${CSS.escape(id)}`] }]);
  return ways;
}

const valueOf = (kind: Kind, locator: Findable, { id }: Sketch): string =>
  kind === "id" ? id : print(locator).slice(kind.length + 1);

/** Whether two sketches say the same in what a kind goes by. */
function sameIn(kind: Kind, a: Sketch, b: Sketch): boolean {
  if (kind === "role") return a.role === b.role && a.name === b.name;
  if (kind === "testid") return a.testid[1] === b.testid[1];
  return kind === "css" || a[kind] === b[kind];
}

function labelOf(element: Element, names: Names): string {
  const [first] = names.labelsOf(element);
  return whole(first ? textHead(first, MAX_TEXT * 4) : (ariaOf(element, "label") ?? ""));
}

/** shortText is the text of an element by which it may be found, "" where that is none, too long, or that of a child. */
function shortText(element: Element): string {
  // textContent of a form field is its default value, of a container everything below it.
  if (element.childElementCount > 3 || element.matches("select,textarea,html,body")) return "";
  const text = whole(element instanceof HTMLInputElement ? textOf(element) : textHead(element, MAX_TEXT * 4));
  for (const child of element.children) if (text && whole(textHead(child, MAX_TEXT * 4)) === text) return "";
  return text;
}

function whole(text: string): string {
  const folded = fold(text, MAX_TEXT + 1);
  return folded.length > MAX_TEXT ? "" : folded;
}
