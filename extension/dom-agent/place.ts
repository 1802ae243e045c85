import { type Steps, run } from "@gasoline/capture/locators/deep";
import { fold, nameOf, roleOf } from "@gasoline/capture/locators/name";
import { roles } from "./control.ts";
import { spacedText } from "./identity.ts";
import { Pass } from "./pass.ts";
import { everywhere, isInside, parentOf } from "./shadow.ts";
import { EVERY_CHANGE } from "./waiting.ts";

/** What an element is in that tells it from others of its name. */
export interface Place {
  /** The text of its row or card, or what stands before it; "" where nothing is there that tells it apart. */
  near: string;
  /** Where near is: around the element; around it, its numbers apart; before it. */
  way: "in" | "about" | "before";
  /** Nothing else was called so. */
  alone: boolean;
  /** Something else of its name has the same around it: one of the two is never taken for the other. */
  twin: boolean;
}

const MAX_NEAR = 80;

/** Elements around one that are looked at, and namesakes on each side of it. */
const MAX_AROUND = 30;
const MAX_BESIDE = 4;

/** Elements of one tag that are looked through for namesakes. */
const MAX_INDEXED = 5000;

/** Namesakes are looked for anew after so long, ms, for no change of a shadow root is heard. */
const INDEX_MS = 500;

/** What holds one of several things of a kind. */
const ROWS = `tr, li, article, ${roles("row, listitem, option, article, treeitem, menuitem")}`;

/** What changes by itself tells nothing of what it is in. */
const TICKING = "time, progress, meter, output, [role=timer], [role=progressbar], [role=status], [aria-live]";

const ticks = (element: Element): boolean => element.matches(TICKING);

/** Controls whose words tell what can be done, and change with it. */
const CONTROLS = "button, select, textarea, [role=button]";

/** How long something is past ticks as well, and has no element of its own on most pages. */
const AGO = /\b(an?|\d+) ?\p{L}+ ago\b|\bjust now\b/giu;

const told = (element: Element, passed: (at: Element) => boolean): string =>
  fold(spacedText(element, MAX_NEAR * 5, passed).replace(AGO, ""), MAX_NEAR);

/** What an element says beside its controls. */
const words = (element: Element): string => told(element, (at) => ticks(at) || at.matches(CONTROLS));

/** What an element says, beside its controls where it says anything there; nothing that changes by itself. */
export const textOf = (element: Element): string => words(element) || told(element, ticks);

const bare = (text: string): string => text.replace(/\d+/g, "0");

/** The elements around one, inner ones first, the page itself apart. */
function* around(element: Element): Generator<Element, void, void> {
  let at = parentOf(element);
  for (let n = 0; at && at !== document.body && at !== document.documentElement && n < MAX_AROUND; n++) {
    yield at;
    at = parentOf(at);
  }
}

/** The text right before an element, in its document or shadow root. */
function textBefore(element: Element): string {
  const root = element.getRootNode();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  walker.currentNode = element;
  let text = "";
  for (let n = 0; text.trim().length < MAX_NEAR && n < MAX_AROUND; n++) {
    const before = walker.previousNode() as Text | null;
    if (!before) break;
    const parent = before.parentElement;
    if (!parent || !(ticks(parent) || /^(script|style)$/.test(parent.localName))) text = `${before.data} ${text}`;
  }
  return fold(text.replace(AGO, ""), Infinity).slice(-MAX_NEAR);
}

/** Where an element is among those that are called as it is. */
export function placeOf(element: Element, others = namesakes(element)): Place {
  const own = textOf(element);
  const alone = others.length === 0;
  const rows: Element[] = [];
  let outer: Element | undefined;
  for (const at of around(element)) {
    if (others.some((other) => isInside(other, at))) break;
    outer = at;
    if (at.matches(ROWS)) rows.push(at);
  }
  if (alone) {
    const said = (at: Element): boolean => words(at) !== "" && words(at) !== own;
    const row = rows.find(said);
    if (row) return { near: words(row), way: "in", alone, twin: false };
    // A short text around it is what it belongs to; a long one is a page's, and changes.
    const text = words([...around(element)].find(said) ?? element);
    return { near: text === own || text.endsWith("…") ? "" : bare(text), way: "about", alone, twin: false };
  }
  let near = "";
  for (const at of outer ? [...rows, outer] : rows) {
    const text = textOf(at);
    if (text === own || text === "") continue;
    near = text;
    if (!others.some((other) => isIn(other, text))) return { near, way: "in", alone, twin: false };
  }
  const all = textBefore(element);
  const last = own === "" ? -1 : all.lastIndexOf(own); // of the one before
  const before = last < 0 ? all : all.slice(last + own.length).trimStart();
  // Where the next one follows at once, it would be there once this one is gone.
  const next = `${before} ${own}`.trimEnd().slice(-MAX_NEAR);
  if (before !== "" && !others.some((other) => isAfter(other, before) || isAfter(other, next)))
    return { near: before, way: "before", alone, twin: false };
  return { near, way: "in", alone, twin: true };
}

const isIn = (element: Element, near: string): boolean => [...around(element)].some((at) => textOf(at) === near);

const isAfter = (element: Element, near: string): boolean => ` ${textBefore(element)}`.endsWith(` ${near}`);

/** Whether an element is at a place, by the text that it was told by. */
export function isAt(element: Element, { near, way }: Place): boolean {
  if (near === "") return true;
  if (way === "before") return isAfter(element, near);
  if (way === "in") return isIn(element, near);
  return [...around(element)].some((at) => bare(textOf(at)) === near);
}

/** What a name is made of, mostly, found out at little cost; of a field its name. */
function roughName(element: Element): string {
  // Of thousands of boxes in labels the names would take half a second.
  const around = element.matches("input:not([aria-label],[aria-labelledby])") && element.closest("label");
  if (around) return fold(spacedText(around, MAX_NEAR * 5), MAX_NEAR);
  if (element.matches("input, select, textarea")) return nameOf(element, pass.names);
  const label = element.getAttribute("aria-label");
  if (label !== null) return label;
  const text = element.childElementCount === 0 ? (element.textContent ?? "") : spacedText(element, MAX_NEAR * 5);
  return fold(text, MAX_NEAR) || (element.getAttribute("title") ?? "");
}

let index = new Map<string, Map<string, Element[]>>(); // by tag and rough name, while the document stays as it is
let pass = new Pass();
let indexed = -Infinity;
const observer = new MutationObserver(forget);

function forget(): void {
  index = new Map();
  pass = new Pass();
  observer.disconnect();
}

/**
 * What the elements of a tag are called, in steps: of thousands of them this takes longer than a frame. What the page
 * changed meanwhile is looked for anew.
 */
export function* indexing(tag: string): Steps<Map<string, Element[]>> {
  if (observer.takeRecords().length > 0 || performance.now() - indexed > INDEX_MS) forget();
  if (index.size === 0) observer.observe(document, EVERY_CHANGE);
  const all = index;
  const known = all.get(tag);
  if (known) return known;
  const names = new Map<string, Element[]>();
  for (const at of everywhere(CSS.escape(tag), document).slice(0, MAX_INDEXED)) {
    yield;
    const name = roughName(at);
    const same = names.get(name);
    if (same) same.push(at);
    else names.set(name, [at]);
  }
  all.set(tag, names);
  indexed = performance.now(); // the time that it took is none of its age: on a slow machine it would never be used
  return names;
}

/** Other elements of the tag that are called as one is: those that are next to it in the page. */
export function namesakes(element: Element): Element[] {
  const found = run(indexing(element.localName)).get(roughName(element)) ?? [];
  const at = found.indexOf(element);
  const others = [
    ...found.slice(Math.max(0, at - MAX_BESIDE), Math.max(0, at)),
    ...found.slice(at + 1, at + 1 + MAX_BESIDE),
  ];
  const role = roleOf(element);
  const name = nameOf(element, pass.names);
  return others.filter((other) => roleOf(other) === role && nameOf(other, pass.names) === name);
}
