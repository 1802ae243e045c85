import type { Engine } from "./engine.ts";
import { CONTROLS, FIELDS, LABEL, LEAVES, TEXT, isOperated, roleIn } from "./roles.ts";
import type { Part } from "./tree.ts";

/** One part of the page. Its element is kept beside it: items are compared with later ones when it may be long gone. */
export type Item = Part;

/** What a page shows, in document order; the first item is the page. */
export interface Model {
  items: Item[];
  /** Of each item; of a text the element around it. */
  elements: Element[];
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

/** What a tag says of an element. PLACED: what it is depends on what is around it. */
const [SKIPPED, INLINE, FIELD, PLACED, ALIKE] = [1, 2, 4, 8, 16];

const TAGS: ReadonlyMap<string, number> = new Map(
  [
    // They show nothing, or what is in them is told otherwise.
    "script style noscript template head title meta link base desc defs symbol metadata object embed param source track datalist br wbr",
    // Their text is a part of a line.
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span strike strong sub sup textPath time tspan tt u var",
    // What is in them is what they hold.
    "input textarea select canvas video audio svg iframe frame",
    // What they are depends on what is around them.
    "aside footer header summary th",
    // The same, and all of a parent are alike.
    "li tbody td tfoot thead tr",
  ].flatMap((tags, i) => tags.split(" ").map((tag): [string, number] => [tag, 1 << i])),
);

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
  /** In a label, whose text is the name of its field. */
  label: boolean;
  /** The element is hidden, and what is in it may show itself. */
  hidden: boolean;
}

/** Reads the document in slices. It is read anew where it changed on the way; the last time as far as it comes. */
export async function read(engine: Engine, visibleOnly: boolean, overlay: Element | undefined): Promise<Model> {
  const shadows = await engine.shadows();
  for (let looks = 1; ; looks++) {
    const look = new Look(engine, shadows, visibleOnly, overlay);
    await look.run();
    if (look.lost && looks < MAX_LOOKS && !engine.late) continue;
    return { items: look.items, elements: look.elements, partial: look.lost || look.cut };
  }
}

/** One way through the document. */
class Look {
  readonly items: Item[] = [];
  readonly elements: Element[] = [];
  /** The page changed where the way went on. */
  lost = false;
  /** The time was up, or there is too much. */
  cut = false;
  readonly #engine: Engine;
  readonly #shadows: ReadonlyMap<Element, ShadowRoot>;
  readonly #visibleOnly: boolean;
  readonly #overlay: Element | undefined;
  readonly #levels: Level[] = []; // down to the present element; those from #depth on are over
  readonly #plain = new Map<string, string>();
  readonly #beside = new Map<string, { parent: Node; role: string }>(); // the last of each tag
  #depth = 0;
  #open = -1; // place of the text that goes on
  #checks = MAX_CURSOR_CHECKS;

  constructor(
    engine: Engine,
    shadows: ReadonlyMap<Element, ShadowRoot>,
    visibleOnly: boolean,
    overlay: Element | undefined,
  ) {
    this.#engine = engine;
    this.#shadows = shadows;
    this.#visibleOnly = visibleOnly;
    this.#overlay = overlay;
  }

  async run(): Promise<void> {
    const { body, documentElement } = document;
    // A body that is written in is itself something to show.
    const root = body?.isContentEditable ? documentElement : this.#engine.root();
    if (!root) return;
    this.#add("", root, -1, "");
    if (this.#engine.sort !== "") this.#add(TEXT, root, 0, this.#engine.sort);
    this.#enter({
      parent: root,
      next: root.firstChild,
      list: undefined,
      at: 0,
      item: 0,
      closes: true,
      inline: false,
      label: false,
      hidden: false,
    });
    for (let steps = 1; this.#depth > 0; steps++) {
      if ((steps & 31) === 0 && this.#engine.over) {
        if (this.#engine.late) {
          this.cut = true;
          break;
        }
        await this.#engine.pause();
        // What went away while the page worked has nothing behind it.
        for (const level of this.#levels.slice(0, this.#depth)) {
          if (!level.next || level.next.parentNode === level.parent) continue;
          this.lost = true;
          level.next = null;
        }
      }
      this.#step(this.#levels[this.#depth - 1] as Level);
      if (this.items.length < MAX_ITEMS) continue;
      this.cut = true;
      break;
    }
    const last = this.items.length - 1;
    for (const { item, closes } of this.#levels.slice(0, this.#depth))
      if (closes) (this.items[item] as Item).last = last;
    for (const item of this.items) if (item.role === TEXT) item.text = onOneLine(item.text);
  }

  #step(level: Level): void {
    const node: Node | null = level.list ? (level.list[level.at++] ?? null) : level.next;
    if (!node) {
      this.#depth--;
      if (level.closes) (this.items[level.item] as Item).last = this.items.length - 1;
      if (level.closes || !level.inline) this.#open = -1;
      return;
    }
    if (!level.list) level.next = node.nextSibling;
    // Elements have no value. Each question costs: pages have tens of thousands of nodes.
    const value = node.nodeValue;
    if (value === null) {
      if (node.nodeType === Node.ELEMENT_NODE) this.#element(node as Element, level);
    } else if (!level.hidden && node.nodeType === Node.TEXT_NODE) {
      // In a shadow root and in a slot a text is its host's part.
      const around = level.list || level.parent.nodeType !== Node.ELEMENT_NODE ? undefined : (level.parent as Element);
      this.#text(value, around ?? (this.elements[level.item] as Element), level.item, level.label);
    }
  }

  #element(element: Element, level: Level): void {
    const engine = this.#engine;
    const { localName } = element;
    const tag = TAGS.get(localName) ?? 0;
    if (tag === SKIPPED) {
      if (localName === "br") this.#open = -1;
      return;
    }
    let hidden = false;
    if (!element.checkVisibility(SHOWN)) {
      // Without a box of its own are hidden elements, those whose children stand in their place, and slots.
      if (element.checkVisibility()) hidden = true;
      else if (localName !== "slot" && getComputedStyle(element).display !== "contents") return;
    }
    const attributes = element.hasAttributes();
    if (attributes && (element.getAttribute("aria-hidden") === "true" || engine.isOwn(element))) return;
    if (tag !== INLINE) this.#open = -1;
    const custom = !attributes && localName.includes("-");
    let role = hidden
      ? ""
      : attributes || custom || tag === FIELD
        ? this.#roleOf(element)
        : this.#plainRoleOf(element, localName, tag, level);
    if (element === this.#overlay && !role.endsWith("dialog")) role = "overlay";
    // Most elements have nothing but text in them: no text node is asked for then.
    const text = element.childElementCount === 0 ? (element.textContent ?? "") : undefined;
    if (role === "" && !hidden && text !== "" && this.#checks > 0 && element instanceof HTMLElement) {
      this.#checks--;
      if (engine.beginsPointer(element)) role = "clickable";
    }
    if (role !== "" && this.#visibleOnly && !engine.isVisible(element)) role = "";
    let { item } = level;
    if (role !== "") {
      this.#open = -1;
      item = this.#add(role, element, item, "");
      const own = this.items[item] as Item;
      if (attributes && isOperated(element, role)) own.operated = true;
      tell(own, element, engine, attributes || custom);
      // What is in an editor is its value.
      const editor = (role === "textbox" || role === "searchbox") && tag !== FIELD;
      if (LEAVES.has(role) || editor) {
        if (text !== "" && (editor || role === "button" || role === "switch"))
          own.text ||= onOneLine((text ?? element.textContent ?? "").slice(0, MAX_TEXT));
        return;
      }
    }
    if (tag === FIELD) return;
    const label = level.label || (localName === "label" && (element as HTMLLabelElement).control !== null);
    const shadow = this.#shadows.size > 0 ? this.#shadows.get(element) : undefined;
    if (!shadow && text !== undefined && localName !== "slot") {
      if (!hidden && text !== "") this.#text(text, element, item, label);
      if (role !== "") (this.items[item] as Item).last = this.items.length - 1;
      if (role !== "" || tag !== INLINE) this.#open = -1;
      return;
    }
    const assigned = localName === "slot" ? (element as HTMLSlotElement).assignedNodes() : [];
    const list = assigned.length > 0 ? assigned : undefined;
    const parent = shadow ?? element;
    const next = parent.firstChild;
    if (!next && !list) return;
    this.#enter({ parent, next, list, at: 0, item, closes: role !== "", inline: tag === INLINE, label, hidden });
  }

  #roleOf = (element: Element): string => roleIn(element, this.#engine.roleOf(element));

  /** The same for an element without attributes: the tag alone says it, or the tag and what the element is in. */
  #plainRoleOf(element: Element, localName: string, tag: number, level: Level): string {
    if (tag === PLACED) return this.#roleOf(element);
    if (tag === ALIKE) {
      const { parent } = level;
      const last = this.#beside.get(localName);
      if (last?.parent === parent) return last.role;
      const role = this.#roleOf(element);
      this.#beside.set(localName, { parent, role });
      return role;
    }
    let role = this.#plain.get(localName);
    if (role === undefined) this.#plain.set(localName, (role = this.#roleOf(element)));
    return role;
  }

  #enter(below: Level): void {
    this.#levels[this.#depth++] = below;
  }

  #text(value: string, around: Element, item: number, label: boolean): void {
    // White space that stands alone parts words, whoever sees them.
    if (!/\S/.test(value)) {
      const going = this.items[this.#open];
      if (going && going.text.length < MAX_TEXT) going.text += " ";
      return;
    }
    // Each question costs: what shows no text of its own has an attribute, or is a part that is folded.
    if ((around.hasAttributes() || around.localName === "details") && !this.#engine.showsText(around)) return;
    // What nobody sees is not joined with what stands around it.
    const apart = TAGS.get(around.localName) === INLINE && around.hasAttributes() && this.#engine.isUnseen(around);
    if (apart) this.#open = -1;
    this.#join(value, around, item, label);
    if (apart) this.#open = -1;
  }

  #join(value: string, around: Element, item: number, label: boolean): void {
    const going = this.#open >= 0 ? this.items[this.#open] : undefined;
    if (going) {
      if (going.text.length < MAX_TEXT) going.text += value.slice(0, MAX_TEXT);
      return;
    }
    this.#open = this.#add(TEXT, around, item, value.slice(0, MAX_TEXT));
    if (label) (this.items[this.#open] as Item).state = LABEL;
  }

  #add(role: string, element: Element, parent: number, text: string): number {
    const at = this.items.length;
    const id = role === TEXT ? 0 : numberOf(element);
    this.elements.push(element);
    this.items.push({ role, parent, text, label: "", state: "", last: at, hash: 0, id });
    return at;
  }
}

/** Most texts are so already: asking takes less than making another string. */
const onOneLine = (text: string): string =>
  /^\s|\s$|\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, " ").trim() : text;

const SHOWN = { visibilityProperty: true };

/** States that are said when they are true, by their attribute. */
const STATES = ["checked", "expanded", "pressed", "selected", "invalid", "current"];

/** Notes what an item holds and what state it is in. */
function tell(item: Item, element: Element, engine: Engine, attributes: boolean): void {
  const { role } = item;
  const states: string[] = [];
  if (FIELDS.has(role) || element instanceof HTMLInputElement) {
    const { value, checked } = engine.controlOf(element);
    if (value !== undefined) item.text = value;
    if (checked) states.push("checked");
    if (element.matches(":user-invalid")) states.push("invalid");
  }
  if (attributes) {
    item.label = engine.ariaOf(element, "label") ?? "";
    if (element.hasAttribute("role") || CONTROLS.has(role) || role === "row" || role === "listitem") {
      for (const state of STATES) {
        const value = engine.ariaOf(element, state);
        if (value !== null && value !== "false" && value !== "" && !states.includes(state))
          states.push(value === "mixed" ? `${state}=mixed` : state);
      }
    }
    if ((role === "progressbar" || role === "meter" || role === "slider") && item.text === "")
      item.text = engine.ariaOf(element, "valuetext") ?? engine.ariaOf(element, "valuenow") ?? "";
    if (element instanceof HTMLDetailsElement && element.open) states.push("expanded");
  }
  if ((CONTROLS.has(role) || item.operated) && engine.isDisabled(element)) states.push("disabled");
  if (role === "heading") states.push(`level=${levelOf(element)}`);
  item.state = states.join(" ");
}

/** The level of a heading: 2 where nothing says it. */
export const levelOf = (element: Element): number =>
  Number(element.getAttribute("aria-level")) || Number(/^h([1-6])$/.exec(element.localName)?.[1]) || 2;
