import { roleOf } from "./role.ts";
import { fold } from "./text.ts";

export { roleOf } from "./role.ts";
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
  "tooltip",
  "treeitem",
]);

/** What in an element makes its name more than its text. */
const MORE_THAN_TEXT =
  "[aria-label],[aria-labelledby],[aria-owns],[title],[alt],[role],svg,img,input,select,textarea,button,slot,meter," +
  "progress,fieldset,table,label,optgroup";

/** In what way a node adds to a name. */
interface Part {
  /** aria-labelledby names it: also when it is hidden. */
  referenced: boolean;
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
    if (isNamedByAttribute(element)) return true;
    const labels = this.labelsOf(element);
    if (labels.length > 0) return labels.some((label) => hasMore(label, element) || holds(label, letters));
    if (/^(input|select|textarea|fieldset|table|svg|optgroup|caption)$/.test(element.localName)) return true;
    return FROM_CONTENT.has(roleOf(element)) && (hasMore(element, element) || holds(element, letters));
  }

  /** The labels of a control. */
  labelsOf(element: Element): readonly HTMLLabelElement[] {
    const { localName } = element;
    if (!/^(input|select|textarea|button|meter|progress|output)$/.test(localName) && !localName.includes("-"))
      return [];
    // The browser looks through all labels for each control that is asked for its own; from the second on we do that once.
    this.#first ??= element;
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
  if (element.childElementCount === 0) return false;
  const [first, second] = element.querySelectorAll(MORE_THAN_TEXT);
  return first !== undefined && (first !== control || second !== undefined);
}

/** holds reports whether letters stand in the text of an element in this order, with others between them or not. */
function holds(element: Element, letters: string): boolean {
  const text = (element.textContent ?? "").slice(0, MAX_READ * 5).toLowerCase();
  let at = 0;
  for (let i = 0; i < text.length && at < letters.length; i++) if (text[i] === letters[at]) at++;
  return at === letters.length;
}

/** Name puts one name together. */
class Name {
  readonly #names: Names;
  readonly #seen = new Set<Node>();
  #left = MAX_NODES;

  constructor(names: Names) {
    this.#names = names;
  }

  of(element: Element): string {
    return this.#text(element, { referenced: false, inLabel: false, inner: false, depth: 0 });
  }

  #text(node: Node, part: Part): string {
    if (this.#left-- <= 0 || part.depth > MAX_DEPTH || this.#seen.has(node)) return "";
    if (node.nodeType === Node.TEXT_NODE) return (node.nodeValue ?? "").slice(0, MAX_READ);
    if (!(node instanceof Element)) return "";
    if (!part.referenced) {
      const by = this.#referenced(node, "aria-labelledby");
      if (by.length > 0) {
        // An element may name itself besides others: it is not seen yet.
        const named = by
          .map((at) => this.#text(at, { ...part, referenced: true, inner: false, depth: part.depth + 1 }))
          .join(" ");
        if (named.trim() !== "") return named;
      }
    }
    this.#seen.add(node);
    const role = roleOf(node);
    const field = part.inner || part.inLabel || part.referenced ? valueOf(node, role) : undefined;
    // A field that holds nothing adds what it is called.
    const empty = field === "" && (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement);
    if (field === undefined || !part.inner || empty) {
      const label = node.getAttribute("aria-label")?.trim();
      if (label) return label;
      const native = this.#native(node, part);
      if (native) return native;
    }
    if (role === "menu") return "";
    if (empty) return hintOf(node, role);
    if (field !== undefined) return field;
    if (FROM_CONTENT.has(role) || part.referenced || part.inner || node.localName === "caption") {
      const content = this.#content(node, part);
      if (content.trim() !== "" || part.inner) return content;
    }
    return hintOf(node, role);
  }

  /** What the language of the element says that its name is; "" for nothing. */
  #native(node: Element, part: Part): string {
    switch (node.localName) {
      case "fieldset":
        return this.#child(node, "legend", part);
      case "table":
        return this.#child(node, "caption", part);
      case "svg":
        return [...node.children].find((child) => child.localName === "title")?.textContent ?? "";
      case "img":
      case "area":
        return attribute(node, "alt");
      case "optgroup":
        return attribute(node, "label");
      case "input": {
        const { type } = node as HTMLInputElement;
        const value = /^(button|submit|reset)$/.test(type) ? attribute(node, "value") : "";
        if (value) return value;
        if (type === "submit") return "Submit";
        if (type === "reset") return "Reset";
      }
    }
    const labels = this.#names.labelsOf(node);
    if (labels.length > 0) {
      return labels
        .map((label) => this.#text(label, { referenced: false, inLabel: true, inner: true, depth: part.depth + 1 }))
        .filter((text) => text.trim() !== "")
        .join(" ");
    }
    if (node instanceof HTMLInputElement && node.type === "image")
      return attribute(node, "alt") || attribute(node, "title") || "Submit Query";
    return "";
  }

  #child(node: Element, tag: string, part: Part): string {
    const child = [...node.children].find(({ localName }) => localName === tag);
    return child ? this.#content(child, part) : "";
  }

  #content(node: Element, part: Part): string {
    let text = "";
    const inner = { ...part, referenced: false, inner: true, depth: part.depth + 1 };
    const add = (child: Node): void => {
      if (!(child instanceof Element)) {
        text += this.#text(child, inner);
        return;
      }
      // Style is asked for only where there are elements inside: most names are a text alone.
      const shown = this.#left > 0 && text.length < MAX_READ ? howShown(child) : "none";
      if (shown === "none") return;
      const own = this.#text(child, inner);
      text += shown === "inline" ? own : ` ${own} `;
    };
    const assigned = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
    if (assigned.length > 0) assigned.forEach(add);
    else for (let child = node.firstChild; child && this.#left > 0; child = child.nextSibling) add(child);
    this.#referenced(node, "aria-owns").forEach(add);
    return text;
  }

  #referenced(node: Element, name: string): Element[] {
    const ids = node.getAttribute(name)?.trim();
    if (!ids) return [];
    const root = node.getRootNode();
    if (!(root instanceof Document || root instanceof ShadowRoot)) return [];
    return ids
      .split(/\s+/, MAX_DEPTH)
      .map((id) => root.getElementById(id))
      .filter((found) => found !== null);
  }
}

/** Whether an element below the named one is shown, and as a part of a line. */
function howShown(element: Element): "none" | "inline" | "block" {
  if (/^(script|style|noscript|template)$/.test(element.localName)) return "none";
  if (element.hasAttribute("hidden") || element.getAttribute("aria-hidden") === "true") return "none";
  if (element.localName === "br") return "block";
  const { display, visibility } = getComputedStyle(element);
  if (display === "none" || visibility === "hidden" || visibility === "collapse") return "none";
  return display === "inline" || display === "contents" ? "inline" : "block";
}

/** What a field adds to the name of something around it; undefined for what is no field. */
function valueOf(element: Element, role: string): string | undefined {
  switch (role) {
    case "textbox":
    case "searchbox":
      return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        ? element.value
        : (element.textContent ?? "");
    case "combobox":
    case "listbox": {
      if (element instanceof HTMLInputElement) return element.value;
      const chosen =
        element instanceof HTMLSelectElement
          ? [...element.selectedOptions].map((option) => option.label)
          : [...element.querySelectorAll('[aria-selected="true"]')].map((option) => option.textContent ?? "");
      return chosen.slice(0, MAX_DEPTH).join(" ");
    }
    case "meter":
    case "progressbar":
    case "scrollbar":
    case "slider":
    case "spinbutton":
      return (
        element.getAttribute("aria-valuetext") ??
        element.getAttribute("aria-valuenow") ??
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
  return ((role === "textbox" || role === "searchbox") && attribute(element, "aria-placeholder")) || title;
}

/** Types of input that show a placeholder. */
const HINTS = /^(text|search|email|tel|url|password|number)$/;

const attribute = (element: Element, name: string): string => element.getAttribute(name)?.trim() ?? "";
