import { ariaOf, componentTags, hasInternals, rootShown } from "./lent.ts";
import { namedBy, referenced, roleOf } from "./role.ts";
import { fold, seen, transformed } from "./text.ts";

export { roleOf, roleTold } from "./role.ts";
export { fold, textHead } from "./text.ts";

/** Names are cut here: an accessible name can be a whole article. */
export const MAX_NAME = 200;
/** No more of a text is read for a name. */
const MAX_READ = 2000;
/** A name is made of so many nodes at most. */
const MAX_NODES = 500;
const MAX_DEPTH = 100;

/** Roles whose name is their content where nothing else gives one. */
const FROM_CONTENT: ReadonlySet<string> = new Set([
  "button",
  "cell",
  "checkbox",
  "columnheader",
  "doc-backlink",
  "doc-biblioref",
  "doc-glossref",
  "doc-noteref",
  "gridcell",
  "heading",
  "legend",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "row",
  "rowheader",
  "switch",
  "tab",
  "term",
  "tooltip",
  "treeitem",
]);

/** What in an element makes its name more than its text. */
const MORE_THAN_TEXT =
  "[aria-label],[aria-labelledby],[aria-owns],[title],[alt],[role],svg,img,input,select,textarea,button,slot,meter," +
  "progress,fieldset,table,label,optgroup,q,iframe";
/** So many elements in one are asked for what CSS puts into them before a name is taken to hold anything. */
const MAX_ASKED = 8;

/** In what way a node adds to a name. */
interface Part {
  /** Something names by it: also when it is not visible. */
  entry: boolean;
  /** aria-labelledby names it: also when it is hidden. */
  referenced: boolean;
  /** It is in something hidden that names: nothing in there is hidden. */
  whole: boolean;
  /** What is not visible counts. */
  unseen: boolean;
  /** It is not rendered: CSS adds nothing, and what stands in a shadow root is not shown. */
  plain: boolean;
  /** It stands in a label: fields tell their value. */
  inLabel: boolean;
  /** Below the element that is named. */
  inner: boolean;
  depth: number;
}

/**
 * Names gives accessible names after https://www.w3.org/TR/accname-1.2/ and keeps what they share: labels by control. It
 * is good for one pass, during which the page does not change.
 */
export class Names {
  readonly #names = new Map<Element, string>();
  readonly #labels = new Map<Node, Map<Element, HTMLLabelElement[]>>();
  #first: Element | undefined; // that was asked for its labels

  /** The accessible name with white space folded, ≤ 200 characters; of a hidden element what it would be. */
  of(element: Element): string {
    let name = this.#names.get(element);
    if (name === undefined) {
      name = fold(new Name(this).of(element), MAX_NAME);
      this.#names.set(element, name);
    }
    return name;
  }

  /**
   * Whether the name can hold a text, which is given in lower case without white space. It is told from the text of the
   * element, which costs a fraction of the name; true where something else makes names.
   */
  mayHold(element: Element, letters: string): boolean {
    if (isNamedByAttribute(element) || hasInternals(element)) return true;
    const labels = this.labelsOf(element);
    if (labels.length > 0) return labels.some((label) => hasMore(label, element) || mayShow(label, letters));
    if (/^(input|select|textarea|fieldset|table|optgroup|caption)$/.test(element.localName)) return true;
    if (!(element instanceof HTMLElement)) return true;
    return FROM_CONTENT.has(roleOf(element)) && (hasMore(element, element) || mayShow(element, letters));
  }

  /** The labels of a control. */
  labelsOf(element: Element): readonly HTMLLabelElement[] {
    const { localName } = element;
    if (!/^(input|select|textarea|button|meter|progress|output)$/.test(localName) && !localName.includes("-"))
      return [];
    // The browser looks through all labels for each control that is asked for its own; from the second on we do that once.
    if (!localName.includes("-")) this.#first ??= element;
    if (this.#first === element) {
      // Without an id only a label around it can be its own.
      if (!element.id && !element.closest("label")) return [];
      return [...((element as HTMLInputElement).labels ?? [])];
    }
    const root = element.getRootNode();
    let known = this.#labels.get(root);
    if (!known) {
      known = labelled(root as Document);
      this.#labels.set(root, known);
    }
    return known.get(element) ?? [];
  }
}

/** labelled gives the labels of each control of a document or shadow root, in document order. */
function labelled(root: Document | ShadowRoot | Element): Map<Element, HTMLLabelElement[]> {
  const found = new Map<Element, HTMLLabelElement[]>();
  for (const label of root.querySelectorAll<HTMLLabelElement>("label")) {
    const control = label instanceof HTMLLabelElement ? label.control : null;
    if (!control) continue;
    const labels = found.get(control);
    if (labels) labels.push(label);
    else found.set(control, [label]);
  }
  return found;
}

/** nameOf gives the accessible name of one element. */
export const nameOf = (element: Element, names = new Names()): string => names.of(element);

const NAMING = "[aria-label],[aria-labelledby],[aria-owns],[title],[placeholder],[aria-placeholder],[alt]";

const isNamedByAttribute = (element: Element): boolean => element.hasAttributes() && element.matches(NAMING);

function hasMore(element: Element, control: Element): boolean {
  if (rootShown(element)) return true;
  if (element.childElementCount === 0) return false;
  if (componentTags().length > 0 && element.querySelector(componentTags().join())) return true;
  const [first, second] = element.querySelectorAll(MORE_THAN_TEXT);
  return first !== undefined && (first !== control || second !== undefined);
}

/** holds reports whether letters stand in a text in this order, with others between them or not. */
function holds(text: string, letters: string): boolean {
  let at = 0;
  for (let i = 0; i < text.length && at < letters.length; i++) if (text[i] === letters[at]) at++;
  return at === letters.length;
}

/**
 * Whether letters can stand in what an element shows: in its text or, where all of that is among them, in it with what CSS
 * puts beside it. Asking CSS is dear.
 */
function mayShow(element: Element, letters: string): boolean {
  const text = (element.textContent ?? "").slice(0, MAX_READ * 5).toLowerCase();
  if (holds(text, letters)) return true;
  if (!holds(letters, seen(text).replace(/\s/g, ""))) return false;
  const asked = [element, ...element.getElementsByTagName("*")];
  return asked.length > MAX_ASKED || asked.some((at) => at.localName.includes("-") || isAddedTo(at));
}

const isAddedTo = (element: Element): boolean =>
  PSEUDO.some((which) => !/^(none|normal)$/.test(getComputedStyle(element, which).content));

const PSEUDO = ["::before", "::after"] as const;

/** Name puts one name together. */
class Name {
  readonly #names: Names;
  readonly #seen = new Set<Node>();
  #left = MAX_NODES;
  #quotes = 0; // that are open

  constructor(names: Names) {
    this.#names = names;
  }

  of(element: Element): string {
    return this.#text(element, ENTRY);
  }

  #text(node: Element, part: Part, style?: CSSStyleDeclaration): string {
    if (this.#left-- <= 0 || part.depth > MAX_DEPTH || this.#seen.has(node) || isCode(node)) return "";
    if (!part.referenced) {
      const by = namedBy(node);
      if (by.length > 0) {
        // An element may name itself besides others: it is not seen yet.
        const named = by
          .filter((at) => !at.closest("[inert]"))
          .map((at) => this.#text(at, { ...ENTRY, ...hiddenAs(at), referenced: true, depth: part.depth + 1 }))
          .join(" ");
        if (named.trim() !== "") return named;
      }
    }
    this.#seen.add(node);
    const role = roleOf(node);
    const field = part.inner || part.inLabel || part.referenced ? valueOf(node, role) : undefined;
    // A field that holds nothing adds what it is called.
    const empty = field === "";
    const typed = node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement;
    if ((field === undefined || !part.inner || empty) && node.localName !== "slot") {
      const label = seen(ariaOf(node, "label") ?? "").trim();
      if (label) return label;
      const native = empty && !typed ? "" : this.#native(node, part);
      if (native) return native;
    }
    if (role === "menu" && part.inner) return "";
    if (field !== undefined) return empty && typed ? hintOf(node, role) : field;
    if (FROM_CONTENT.has(role) || part.referenced || part.inner || node.localName === "caption") {
      const content = this.#content(node, part, role, style);
      if (content.trim() !== "" || (part.inner && !isTitled(node, role))) return content;
    }
    return hintOf(node, role);
  }

  /** What the language of the element says that its name is; "" for nothing. */
  #native(node: Element, part: Part): string {
    if (node instanceof SVGElement)
      return titleOf(node) || (node.localName === "a" ? attribute(node, "xlink:title") : "");
    switch (node.localName) {
      case "fieldset":
        return this.#child(node, "legend", part);
      case "table":
        return this.#child(node, "caption", part) || attribute(node, "summary");
      case "img":
      case "area":
        return attribute(node, "alt");
      case "optgroup":
      case "option":
        return attribute(node, "label");
    }
    const labels = this.#names.labelsOf(node);
    if (labels.length > 0) {
      const named = labels
        .map((label) => this.#text(label, { ...ENTRY, inLabel: true, inner: true, depth: part.depth + 1 }))
        .filter((text) => text.trim() !== "")
        .join(" ");
      if (named !== "") return named;
    }
    return node instanceof HTMLInputElement ? captionOf(node) : "";
  }

  #child(node: Element, tag: string, part: Part): string {
    const child = [...node.children].find(({ localName }) => localName === tag);
    return child && !child.hasAttribute("inert") ? this.#content(child, { ...part, entry: true }, "") : "";
  }

  #content(node: Element, part: Part, role: string, known?: CSSStyleDeclaration): string {
    const style = part.plain ? undefined : (known ?? getComputedStyle(node));
    if (style && !node.firstElementChild && /url\(.*\/ /.test(style.content)) return spoken(style).text;
    if (style && !part.whole && style.contentVisibility === "hidden" && !isInline(style.display)) return "";
    const visible = style === undefined || isSeen(style);
    const unseen = part.unseen || (part.entry && !visible);
    const shown = visible || unseen;
    let text = shown ? this.#added(node, "::before", part) : "";
    const inner = { ...part, entry: false, referenced: false, unseen, inner: true, depth: part.depth + 1 };
    const isShut = node instanceof HTMLDetailsElement && !node.open && !part.whole;
    const summary = isShut && node.querySelector(":scope > summary");
    const add = (child: Node): void => {
      if (summary && child !== summary) return;
      if (child.nodeType === Node.TEXT_NODE) {
        if (this.#left-- > 0 && shown && inner.depth <= MAX_DEPTH)
          text += transformed((child.nodeValue ?? "").slice(0, MAX_READ), style?.textTransform ?? "");
        return;
      }
      if (!(child instanceof Element) || text.length >= MAX_READ || this.#left <= 0) return;
      // What is in a branch is not called as the branch.
      if (role === "treeitem" && roleOf(child) === "group") return;
      if (isLeftOut(child, part.whole)) return;
      const its = getComputedStyle(child);
      const { display } = its;
      if (display === "none" && !part.whole) return;
      // In what is not visible something visible may stand.
      const skips = !unseen && !part.whole && !isSeen(its);
      const own = skips ? this.#content(child, inner, "", its) : this.#text(child, inner, its);
      text += display === "none" || (isInline(display) && child.localName !== "br") ? own : ` ${own} `;
    };
    const root = part.plain ? null : rootShown(node);
    const assigned = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
    if (assigned.length > 0) assigned.forEach(add);
    else for (let child = (root ?? node).firstChild; child && this.#left > 0; child = child.nextSibling) add(child);
    const owned = referenced(node, "aria-owns");
    if (owned.length > 0) text += " ";
    owned.forEach(add);
    return shown ? text + this.#added(node, "::after", part) : text;
  }

  /** What CSS puts before or behind the content of an element. */
  #added(node: Element, which: (typeof PSEUDO)[number], part: Part): string {
    if (part.plain || !(node instanceof HTMLElement) || node.localName === "option") return "";
    const style = getComputedStyle(node, which);
    const told = addedText(style, this.#quotes);
    if (told !== "" && style.content.includes("open-quote")) this.#quotes++;
    if (told !== "" && style.content.includes("close-quote")) this.#quotes--;
    return told;
  }
}

/**
 * addedText is what CSS puts before or behind the content of an element, given the style of that; "" where it is nothing or
 * not visible. quotes: how many are open.
 */
export function addedText(style: CSSStyleDeclaration, quotes = 0): string {
  const { content, display } = style;
  if (/^(none|normal)$/.test(content) || display === "none" || !isSeen(style)) return "";
  const { text, apart } = spoken(style, quotes);
  const told = transformed(text, style.textTransform);
  return apart || !isInline(display) ? ` ${told} ` : told;
}

const ENTRY: Part = {
  entry: true,
  referenced: false,
  whole: false,
  unseen: false,
  plain: false,
  inLabel: false,
  inner: false,
  depth: 0,
};

/** How something hidden that names is read. */
function hiddenAs(element: Element): Pick<Part, "whole" | "plain"> {
  let boxed: Element | null = element;
  while (boxed && getComputedStyle(boxed).display === "contents") boxed = boxed.parentElement;
  const plain = boxed?.checkVisibility() === false;
  return {
    whole: plain || !isSeen(getComputedStyle(element)) || element.closest("[aria-hidden=true]") !== null,
    plain,
  };
}

const isSeen = ({ visibility }: CSSStyleDeclaration): boolean => visibility === "visible";

const isInline = (display: string): boolean => /^(inline|contents|ruby)$/.test(display);

/** Letters of fonts of pictures: nobody can write them. */
const PRIVATE = /[\ue000-\uf8ff\u{f0000}-\u{10fffd}]/gu;

/** What CSS's content says, by its alternative text where it has one. What counters count cannot be asked. */
function spoken({ content, quotes }: CSSStyleDeclaration, depth = 0): { text: string; apart: boolean } {
  const parts: string[] =
    content.match(/"(?:[^"\\]|\\[^])*"|[\w-]+\((?:"(?:[^"\\]|\\[^])*"|[^")])*\)|[\w-]+|\//g) ?? [];
  const slash = parts.indexOf("/");
  const marks = quotes === "auto" ? ["“", "”", "‘", "’"] : stringsOf(quotes);
  const text = parts
    .slice(slash + 1)
    .map((part) => {
      if (part.startsWith('"')) return stringsOf(part)[0] ?? "";
      const level = 2 * Math.max(0, Math.min(depth - (part === "close-quote" ? 1 : 0), marks.length / 2 - 1));
      return (part === "open-quote" ? marks[level] : part === "close-quote" ? marks[level + 1] : "") ?? "";
    })
    .join("");
  return { text: text.replace(PRIVATE, ""), apart: slash >= 0 };
}

/** The strings of CSS between quotes. */
const stringsOf = (css: string): string[] =>
  [...css.matchAll(/"((?:[^"\\]|\\[^])*)"/g)].map(([, inner = ""]) =>
    inner.replace(/\\(?:([0-9a-f]{1,6}) ?|([^]))/gi, (_, code: string | undefined, sign: string) =>
      code === undefined ? sign : String.fromCodePoint(parseInt(code, 16)),
    ),
  );

/** Whether the title of an element counts in the name of another one, where it has nothing else. */
const isTitled = (element: Element, role: string): boolean =>
  (role !== "" && element.getAttribute("alt") !== "") || /^(iframe|label)$/.test(element.localName);

/** The title that a drawing has in it. */
const titleOf = (element: Element): string =>
  [...element.children].find((child) => child.localName === "title")?.textContent?.trim() ?? "";

/** captionOf is what a button of a form says by itself. */
export function captionOf(input: HTMLInputElement): string {
  switch (input.type) {
    case "button":
      return attribute(input, "value");
    case "submit":
    case "reset":
      return input.hasAttribute("value") ? attribute(input, "value") : input.type === "submit" ? "Submit" : "Reset";
    case "image":
      return attribute(input, "alt") || attribute(input, "title") || "Submit Query";
  }
  return "";
}

const isCode = ({ localName }: Element): boolean => /^(script|style|noscript|template)$/.test(localName);

/** Whether an element below the named one adds nothing, however it is shown, as in Chrome. whole: nothing hides it. */
const isLeftOut = (element: Element, whole: boolean): boolean =>
  isCode(element) ||
  (element instanceof SVGElement && /^(title|desc|metadata)$/.test(element.localName)) ||
  (!whole && element.matches("[aria-hidden=true],[inert]"));

/** What a field adds to the name of something around it; undefined for what is no field. */
function valueOf(element: Element, role: string): string | undefined {
  switch (role) {
    case "textbox":
    case "searchbox":
      if (element instanceof HTMLInputElement) return TOLD.test(element.type) ? element.value : undefined;
      return element instanceof HTMLTextAreaElement ? element.value : (element.textContent ?? "");
    case "combobox":
    case "listbox": {
      if (element instanceof HTMLInputElement) return element.value;
      const chosen =
        element instanceof HTMLSelectElement
          ? [...element.selectedOptions].map((option) => option.label)
          : [...element.querySelectorAll('[aria-selected="true"]')].map((option) => option.textContent ?? "");
      if (chosen.length === 0 && role === "combobox" && !(element instanceof HTMLSelectElement))
        return element.textContent ?? "";
      return chosen.slice(0, MAX_DEPTH).join(" ");
    }
    case "meter":
    case "progressbar":
    case "scrollbar":
    case "slider":
    case "spinbutton":
      return (
        ariaOf(element, "valuetext") ??
        ariaOf(element, "valuenow") ??
        (element instanceof HTMLInputElement ? element.value : attribute(element, "value"))
      );
  }
  return undefined;
}

/**
 * What names an element where nothing else does: its title and, of a field that is typed into, what it shows while it is
 * empty, after https://w3c.github.io/html-aam/#accessible-name-and-description-computation and Chrome.
 */
function hintOf(element: Element, role: string): string {
  const title = attribute(element, "title");
  if (element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && HINTS.test(element.type)))
    return title || attribute(element, "placeholder") || attribute(element, "aria-placeholder");
  return ((role === "textbox" || role === "searchbox") && ariaOf(element, "placeholder")?.trim()) || title;
}

/** Types of input whose value is a text that anybody may see. */
const TOLD = /^(text|search|email|tel|url|number)$/;

/** Types of input that show a placeholder. */
const HINTS = /^(text|search|email|tel|url|password|number)$/;

const attribute = (element: Element, name: string): string => element.getAttribute(name)?.trim() ?? "";
