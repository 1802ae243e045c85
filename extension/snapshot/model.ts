import type { Engine } from "./engine.ts";
import { CONTROLS, FIELDS, LEAVES, TEXT, roleIn } from "./roles.ts";
import { type Part, hashAll } from "./tree.ts";

/** One part of the page, with its element. Of a text that is the element around it. */
export interface Item extends Part {
  element: Element;
  /** Place of the part around it; -1 for the page. */
  parent: number;
}

/** What a page shows, in document order; the first item is the page. */
export interface Model {
  items: Item[];
  /** Not all was looked at: the time was up, there is too much, or the page changed all the time. */
  partial: boolean;
}

/** Parts of one document that are looked at. */
const MAX_ITEMS = 50_000;
/** Characters of one text that are looked at. */
const MAX_TEXT = 1000;
/** Elements without a role that are asked for their cursor: each asks for its style. */
const MAX_CURSOR_CHECKS = 500;
/** A page that changes meanwhile is looked at so many times. */
export const MAX_LOOKS = 4;

const SKIPPED =
  /^(script|style|noscript|template|head|title|meta|link|base|desc|defs|symbol|metadata|object|embed|param|source|track|datalist|br|wbr)$/;
/** Elements whose text is a part of a line. */
const INLINE =
  /^(a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|rp|rt|ruby|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var)$/;
const SECTIONS = /^(article|aside|main|nav|section)$/;

/** Numbers of elements, for as long as the document lives. */
const numbers = new WeakMap<Element, number>();
let given = 0;

function numberOf(element: Element): number {
  let number = numbers.get(element);
  if (number === undefined) numbers.set(element, (number = ++given));
  return number;
}

/** One level of the way down. */
interface Level {
  parent: Node;
  next: Node | null;
  /** Instead of next: what a slot shows, with the place of the next one. */
  list: Node[] | undefined;
  at: number;
  /** Place of the item that it belongs to; the item ends with the level where closes is true. */
  item: number;
  closes: boolean;
  inline: boolean;
  sectioned: boolean;
  /** The element is hidden, and what is in it may show itself. */
  hidden: boolean;
}

/** Reads the document in slices. It is read anew where it changed on the way; the last time as far as it comes. */
export async function read(engine: Engine, visibleOnly: boolean, overlay: Element | undefined): Promise<Model> {
  const shadows = await engine.shadows();
  let model: Model | undefined;
  for (let looks = 1; !model; looks++) {
    const found = await look(engine, shadows, visibleOnly, overlay);
    if (!found.lost || looks >= MAX_LOOKS || engine.late)
      model = { items: found.items, partial: found.lost || found.cut };
  }
  hashAll(model.items);
  return model;
}

async function look(
  engine: Engine,
  shadows: ReadonlyMap<Element, ShadowRoot>,
  visibleOnly: boolean,
  overlay: Element | undefined,
): Promise<{ items: Item[]; lost: boolean; cut: boolean }> {
  const root = document.body ?? document.documentElement;
  const items: Item[] = [];
  const add = (role: string, element: Element, parent: number, text: string): number => {
    const id = role === TEXT ? 0 : numberOf(element);
    items.push({ role, element, parent, text, label: "", state: "", last: items.length, hash: 0, id });
    return items.length - 1;
  };
  if (!root) return { items, lost: false, cut: false };
  add("", root, -1, "");
  const levels: Level[] = [
    {
      parent: root,
      next: root.firstChild,
      list: undefined,
      at: 0,
      item: 0,
      closes: true,
      inline: false,
      sectioned: false,
      hidden: false,
    },
  ];
  let open = -1; // the text that goes on
  let checks = MAX_CURSOR_CHECKS;
  let lost = false;
  let steps = 0;
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    if ((++steps & 31) === 0 && engine.over) {
      if (engine.late || items.length >= MAX_ITEMS) return { items: closed(items, levels), lost, cut: true };
      await engine.pause();
      // What went away while the page worked has nothing behind it.
      if (level.next && level.next.parentNode !== level.parent) {
        lost = true;
        level.next = null;
      }
    }
    const node: Node | null = level.list ? (level.list[level.at++] ?? null) : level.next;
    if (!node) {
      levels.pop();
      if (level.closes) (items[level.item] as Item).last = items.length - 1;
      if (level.closes || !level.inline) open = -1;
      continue;
    }
    if (!level.list) level.next = node.nextSibling;
    if (node.nodeType === Node.TEXT_NODE) {
      if (!level.hidden) open = addText(node.nodeValue ?? "", level, open);
      continue;
    }
    if (node.nodeType !== Node.ELEMENT_NODE) continue;
    const element = node as Element;
    const { localName } = element;
    if (SKIPPED.test(localName)) {
      if (localName === "br") open = -1;
      continue;
    }
    let hidden = false;
    if (!element.checkVisibility({ visibilityProperty: true })) {
      // Without a box of its own are hidden elements, those whose children stand in their place, and slots.
      if (element.checkVisibility()) hidden = true;
      else if (localName !== "slot" && getComputedStyle(element).display !== "contents") continue;
    }
    const attributes = element.hasAttributes();
    if (attributes && (element.getAttribute("aria-hidden") === "true" || element.id.startsWith("gasoline-"))) continue;
    const inline = INLINE.test(localName);
    if (!inline) open = -1;
    let role = hidden ? "" : roleIn(element, engine.roleOf(element), level.sectioned);
    if (element === overlay && !/dialog$/.test(role)) role = "overlay";
    if (role === "" && !hidden && checks > 0 && element instanceof HTMLElement && element.firstChild) {
      checks--;
      if (engine.beginsPointer(element)) role = "clickable";
    }
    if (role !== "" && visibleOnly && !engine.isVisible(element)) role = "";
    let { item } = level;
    if (role !== "") {
      open = -1;
      item = add(role, element, item, "");
      tell(items[item] as Item, engine, attributes);
    }
    const leaf = LEAVES.has(role) || isField(element) || role === "iframe" || localName === "svg";
    if (leaf) {
      if (role === "button" || role === "switch" || role === "tab")
        (items[item] as Item).text ||= (element.textContent ?? "").slice(0, MAX_TEXT).replace(/\s+/g, " ").trim();
      continue;
    }
    const shadow = shadows.get(element);
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    const parent = shadow ?? element;
    const next = parent.firstChild;
    if (!next && assigned.length === 0) continue;
    levels.push({
      parent,
      next,
      list: assigned.length > 0 ? assigned : undefined,
      at: 0,
      item,
      closes: role !== "",
      inline,
      sectioned: level.sectioned || SECTIONS.test(localName),
      hidden,
    });
    if (items.length >= MAX_ITEMS) return { items: closed(items, levels), lost, cut: true };
  }
  return { items: closed(items, levels), lost, cut: false };

  function addText(value: string, { item, parent, list }: Level, run: number): number {
    const going = run >= 0 ? items[run] : undefined;
    if (going) {
      if (going.text.length < MAX_TEXT) going.text += value.slice(0, MAX_TEXT);
      return run;
    }
    if (!/\S/.test(value)) return -1;
    const around = parent instanceof Element && !list ? parent : ((items[item] as Item).element ?? root);
    return add(TEXT, around, item, value.slice(0, MAX_TEXT));
  }
}

/** Ends what was not ended, and folds the texts. */
function closed(items: Item[], levels: readonly Level[]): Item[] {
  for (const { item, closes } of levels) if (closes) (items[item] as Item).last = items.length - 1;
  for (const item of items) if (item.role === TEXT) item.text = item.text.replace(/\s+/g, " ").trim();
  return items;
}

const isField = (element: Element): boolean =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement ||
  element instanceof HTMLCanvasElement ||
  element instanceof HTMLMediaElement;

/** States that are said when they are true, by their attribute. */
const STATES = ["checked", "expanded", "pressed", "selected", "invalid", "current"] as const;

/** Notes what an item holds and what state it is in. */
function tell(item: Item, engine: Engine, attributes: boolean): void {
  const { element, role } = item;
  const states: string[] = [];
  if (FIELDS.has(role) || element instanceof HTMLInputElement) {
    const { value, checked } = engine.controlOf(element);
    if (value !== undefined) item.text = value;
    if (checked) states.push("checked");
    if (element.matches(":user-invalid")) states.push("invalid");
  }
  if (attributes) {
    item.label = element.getAttribute("aria-label") ?? "";
    if (element.hasAttribute("role") || CONTROLS.has(role) || role === "row" || role === "listitem") {
      for (const state of STATES) {
        const value = element.getAttribute(`aria-${state}`);
        if (value !== null && value !== "false" && value !== "" && !states.includes(state))
          states.push(value === "mixed" ? `${state}=mixed` : state);
      }
    }
    if ((role === "progressbar" || role === "meter" || role === "slider") && item.text === "")
      item.text = element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? "";
    if (element instanceof HTMLDetailsElement && element.open) states.push("expanded");
  }
  if (CONTROLS.has(role) && engine.isDisabled(element)) states.push("disabled");
  if (role === "heading") states.push(`level=${levelOf(element)}`);
  item.state = states.join(" ");
}

/** The level of a heading: 2 where nothing says it. */
export const levelOf = (element: Element): number =>
  Number(element.getAttribute("aria-level")) || Number(/^h([1-6])$/.exec(element.localName)?.[1]) || 2;
