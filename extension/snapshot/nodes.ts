import type { OutlineNode } from "../messages/outline.ts";
import type { Engine } from "./engine.ts";
import type { Item } from "./model.ts";
import { CONTROLS, DIALOGS, LANDMARKS, LIVE, NAMED_BY_CONTENT, TEXT, UNIT_WORDS } from "./roles.ts";
import { unitOf, unitsOf } from "./choose.ts";
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

/** Whether something can be done with an element, or it can be opened as a section. */
const hasRef = (role: string): boolean =>
  CONTROLS.has(role) ||
  LANDMARKS.has(role) ||
  DIALOGS.has(role) ||
  LIVE.has(role) ||
  /^(grid|iframe|list|menu|table|tree|treegrid|feed|region|group|tablist|radiogroup|video|audio|article)$/.test(role);

/** Says what one item is. The caller sets rank, inside and children. */
export function nodeOf(items: readonly Item[], at: number, engine: Engine, detail: Detail): OutlineNode {
  const item = items[at] as Item;
  const { role, element } = item;
  const node: OutlineNode = { role, name: "", rank: 0, inside: 0, children: [] };
  if (role === TEXT) {
    node.text = cut(engine.clean(item.text, element), detail.text);
    return node;
  }
  if (role === "" || at === 0) return node;
  // A row is called by all of its cells, which say it themselves.
  if ((role !== "row" && role !== "clickable" && role !== "overlay") || item.label !== "")
    node.name = cut(engine.nameOf(element), detail.name);
  else if (role !== "row") node.name = cut(engine.textOf(element, detail.name), detail.name);
  if (hasRef(role)) node.ref = engine.refOf(element);
  const states = item.state === "" ? [] : item.state.split(" ");
  if (element === document.activeElement && element !== document.body) states.push("active");
  if (states.length > 0) node.states = states;
  if (item.text !== "" && role !== "button" && role !== "switch" && role !== "tab") {
    const text = cut(engine.clean(item.text, element), detail.text);
    if (text !== node.name) node.text = text;
  }
  if (detail.more) {
    if (element instanceof HTMLAnchorElement && element.hasAttribute("href")) node.url = cut(addressOf(element), MAX_URL);
    const { placeholder } = engine.controlOf(element);
    if (placeholder && placeholder !== node.name && !node.text) node.placeholder = cut(placeholder, MAX_URL);
  }
  const unit = unitOf(item);
  if (unit !== undefined) {
    const count = unitsOf(items, at);
    let first = "";
    for (const child of childrenOf(items, at)) {
      if (!(items[child] as Item).role.startsWith(unit)) continue;
      first = engine.clean(wordsIn(items, child, MAX_FIRST), (items[child] as Item).element);
      // The first row of a table says what the columns are.
      break;
    }
    if (count > 0) node.items = { count, unit: UNIT_WORDS[unit] ?? "items", first };
  }
  if (role === "iframe") node.place = engine.frames().indexOf(element);
  return node;
}

/** An address as a reader needs it: of the same site without the site. */
function addressOf({ href }: HTMLAnchorElement): string {
  const { origin } = location;
  return href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
}

/** Whether a text is told by the name of what it stands in. */
export function isInName(items: readonly Item[], at: number): boolean {
  const { role, parent } = items[at] as Item;
  return role === TEXT && parent > 0 && NAMED_BY_CONTENT.has((items[parent] as Item).role);
}
