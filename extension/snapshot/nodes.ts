import type { OutlineNode } from "../messages/outline.ts";
import type { Engine } from "./engine.ts";
import type { Item, Model } from "./model.ts";
import { CONTROLS, DIALOGS, LANDMARKS, LIVE, TEXT, UNIT_WORDS } from "./roles.ts";
import { unitOf } from "./choose.ts";
import { childrenOf, wordsIn } from "./tree.ts";

/** How much a node tells. */
export interface Detail {
  /** Characters of a name. */
  name: number;
  /** Characters of a text or value. */
  text: number;
  /** Addresses of links, placeholders of fields. */
  more: boolean;
}

export const BRIEF: Detail = { name: 80, text: 100, more: false };
export const FULL: Detail = { name: 200, text: 300, more: true };

/** Characters of the first unit of a list. */
const MAX_FIRST = 40;
/** Characters of an address. */
const MAX_URL = 100;

const cut = (text: string, max: number): string => (text.length > max ? text.slice(0, max - 1) + "…" : text);

/** Whether an element can be opened as a section, or is named by acts although it is no control. */
const hasRef = (role: string): boolean =>
  LANDMARKS.has(role) ||
  DIALOGS.has(role) ||
  LIVE.has(role) ||
  /^(grid|iframe|list|menu|table|tree|treegrid|feed|region|group|tablist|radiogroup|video|audio|article)$/.test(role);

/** Says what one item is. The caller sets rank, inside and children. */
export function nodeOf(page: Model, at: number, engine: Engine, detail: Detail): OutlineNode {
  const item = page.items[at] as Item;
  const element = page.elements[at] as Element;
  const { role } = item;
  const node: OutlineNode = { role, name: "", rank: 0, inside: 0, children: [] };
  if (role === TEXT) {
    const text = cut(engine.clean(item.text, element), detail.text);
    node.text = engine.isUnseen(element) ? `(not seen) ${text}` : text;
    return node;
  }
  if (role === "" || at === 0) return node;
  // A row is called by all of its cells, which say it themselves.
  if ((role !== "row" && role !== "clickable" && role !== "overlay") || item.label !== "")
    node.name = cut(engine.nameOf(element), detail.name);
  else if (role !== "row") {
    // A menu that is not open has its words in the element, and nobody sees them.
    const seen = role === "clickable" ? engine.clean(wordsIn(page.items, at, detail.name), element) : "";
    node.name = cut(seen || engine.textOf(element, detail.name), detail.name);
  }
  const control = CONTROLS.has(role) || item.operated === true;
  if (control || hasRef(role)) node.ref = engine.refOf(element);
  const states = item.state === "" ? [] : item.state.split(" ");
  if (element === document.activeElement && element !== document.body) states.push("active");
  // Pages keep copies of their lists for screen readers: nobody can click those.
  if (control && !engine.isVisible(element)) states.push("invisible");
  if (states.length > 0) node.states = states;
  if (item.text !== "" && role !== "button" && role !== "switch" && role !== "tab") {
    const text = cut(engine.clean(item.text, element), detail.text);
    if (text !== node.name) node.text = text;
  }
  if (detail.more) {
    if (element instanceof HTMLAnchorElement && element.hasAttribute("href"))
      node.url = cut(addressOf(element), MAX_URL);
    const { placeholder } = engine.controlOf(element);
    if (placeholder && placeholder !== node.name && !node.text) node.placeholder = cut(placeholder, MAX_URL);
  }
  const made = madeOf(page, at, engine);
  if (made) node.items = made;
  if (role === "iframe") node.place = engine.frames().indexOf(element);
  return node;
}

/** An address as a reader needs it: of the same site without the site. */
function addressOf({ href }: HTMLAnchorElement): string {
  const { origin } = location;
  return href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
}

/** What a list or table is made of. The row of a table that says what its columns are is not counted. */
function madeOf({ items, elements }: Model, at: number, engine: Engine): OutlineNode["items"] {
  const unit = unitOf(items[at] as Item);
  if (unit === undefined) return undefined;
  const told = (child: number): string => engine.clean(wordsIn(items, child, MAX_FIRST), elements[child] as Element);
  let [count, first, columns] = [0, "", ""];
  for (const child of childrenOf(items, at)) {
    if (!(items[child] as Item).role.startsWith(unit)) continue;
    if (count === 0 && items[child + 1]?.role === "columnheader") columns ||= told(child);
    else if (count++ === 0) first = told(child);
  }
  if (count === 0) return undefined;
  return { count, unit: UNIT_WORDS[unit] ?? "items", first, ...(columns ? { columns } : {}) };
}
