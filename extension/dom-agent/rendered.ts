import type { Tree } from "@gasoline/capture/locators/deep";
import { run, select } from "@gasoline/capture/locators/deep";
import { addedText, captionOf } from "@gasoline/capture/locators/name";
import { seen, transformed } from "@gasoline/capture/locators/text";
import { type Said, saidBy } from "./said.ts";
import { ROOTS, parentOf } from "./shadow.ts";

/** Where a text stands in: how lines and words of it are kept. */
interface Style {
  visible: boolean;
  /** white space stays as it is */
  pre: boolean;
  transform: string;
}

/** Of a page with more elements, and sheets that do not tell it, it is not asked what CSS adds to them. */
const MAX_ASKED = 20_000;
/** Of a part with fewer elements each is asked. */
const MIN_READ = 500;

/**
 * Flat is the part of the page below an element as it is shown: what stands in shadow roots in the place of their hosts,
 * what is slotted in the place of its slot. It is good for one look: roots are looked for once.
 */
export class Flat {
  readonly root: Element;
  /** Elements that show something else than their children, or have one such below. */
  readonly #mixed = new Set<Element>();
  readonly #roots = new Map<Element, ShadowRoot>();
  readonly #tree: Tree;
  #known: Said | undefined;
  #count = 0; // of elements, once it is known what sheets may do

  constructor(root: Element) {
    this.root = root;
    this.#tree = run(ROOTS.below(root));
    this.#take(this.#tree);
    for (const host of this.#roots.keys()) this.#mark(host);
    const scopes: ParentNode[] = [...this.#roots.values()];
    if (root.getRootNode() instanceof ShadowRoot) scopes.push(root);
    const slots = scopes.flatMap((scope) => [...scope.querySelectorAll("slot")]);
    if (root instanceof HTMLSlotElement) slots.push(root);
    for (const slot of slots) if (slot.assignedNodes().length > 0) this.#mark(slot);
  }

  #take({ below }: Tree): void {
    for (const { host, tree } of below) {
      if (tree.scope instanceof ShadowRoot) this.#roots.set(host, tree.scope);
      this.#take(tree);
    }
  }

  #mark(element: Element): void {
    for (let at: Element | null = element; at && !this.#mixed.has(at); at = at === this.root ? null : parentOf(at))
      this.#mixed.add(at);
  }

  /** Whether below an element all is shown where it stands. */
  isPlain(element: Element): boolean {
    return !this.#mixed.has(element);
  }

  /** What an element shows, in its order: without texts of its own that it does not show. */
  shown(element: Element): Node[] {
    const slotted = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    const all = slotted.length > 0 ? slotted : childrenOf(this.#roots.get(element) ?? element);
    if (!this.#mayHide(element)) return all;
    const says = all.some((node) => node instanceof Text && node.data.trim() !== "");
    return says && !showsText(element) ? all.filter((node) => !(node instanceof Text)) : all;
  }

  /** Whether texts in an element may not be shown: by its tag, by the page's sheets, or until they are found. */
  #mayHide(element: Element): boolean {
    return FOLDED.test(element.localName) || element.hasAttribute("hidden") || this.#said.far;
  }

  /**
   * Finds what is said without a text of the page, by CSS and by buttons that are fields, and what the browser lays out only
   * once it is scrolled to.
   */
  #ask(): void {
    const { at, far } = this.#said;
    if ((!at || far) && this.#count > MAX_ASKED) return;
    for (const element of this.#fitting(at && !far ? ["q", "input", ...at] : ["*"]))
      if ((far && isFarAway(element)) || SAID.some((which) => addedTo(element, which) !== "") || sign(element) !== "")
        this.#mark(element);
  }

  /** What sheets may do here. Of a small part nothing is read: asking its elements is less. */
  get #said(): Said {
    if (this.#known) return this.#known;
    this.#count = this.root.getElementsByTagName("*").length;
    for (const root of this.#roots.values()) this.#count += root.querySelectorAll("*").length;
    if (this.#count < MIN_READ) return (this.#known = { at: undefined, far: true });
    const scopes = new Set([document, this.root.getRootNode(), ...this.#roots.values()]) as Set<Document | ShadowRoot>;
    return (this.#known = saidBy(scopes, this.#count));
  }

  /** The root and each element below it that fit one of some selectors. */
  #fitting(selectors: string[]): Element[] {
    const selector = selectors.join();
    return [...(this.root.matches(selector) ? [this.root] : []), ...select(selector, this.#tree)];
  }

  /** Each element and text that is shown below the root, in the order of the page; the root comes first. */
  *nodes(from: Element = this.root): Generator<Element | Text, void, boolean | undefined> {
    const inside = [[from as Node].values()];
    for (let list = inside.at(-1); list; list = inside.at(-1)) {
      const { value, done } = list.next();
      if (done) {
        inside.pop();
        continue;
      }
      if (!isPart(value)) continue;
      const node = value;
      // What the reader says true of is left out with all that is in it.
      const skip = yield node;
      if (!skip && node.nodeType === Node.ELEMENT_NODE) inside.push(this.shown(node as Element).values());
    }
  }

  /**
   * The text as it is rendered, with its lines: what innerText is of a page without shadow roots, with what CSS puts into it and
   * what buttons say.
   */
  text(): string {
    this.#ask();
    if (this.isPlain(this.root)) return ownText(this.root);
    const lines = new Lines();
    this.#write(this.root, lines);
    return lines.end();
  }

  #write(element: Element, lines: Lines): void {
    const style = getComputedStyle(element);
    if (/^(script|style|noscript|template|textarea|input)$/.test(element.localName))
      return style.visibility === "visible" ? lines.text(` ${sign(element)} `, false) : undefined;
    const how: Style = {
      visible: style.visibility === "visible",
      pre: /^(pre|break-spaces)/.test(style.whiteSpace),
      transform: style.textTransform,
    };
    lines.text(addedTo(element, "::before"), false);
    for (const node of this.shown(element)) {
      if (node instanceof Text) {
        if (how.visible) lines.text(transformed(node.data, how.transform), how.pre);
      } else if (node instanceof Element) this.#part(node, lines);
    }
    lines.text(addedTo(element, "::after"), false);
  }

  #part(element: Element, lines: Lines): void {
    if (element instanceof HTMLBRElement) return lines.text("\n", true);
    const { display } = getComputedStyle(element);
    if (display !== "contents" && !element.checkVisibility()) return;
    const breaks = breaksOf(element, display);
    lines.break(breaks);
    if (!this.isPlain(element)) this.#write(element, lines);
    else {
      const text = ownText(element);
      // innerText takes white space at the ends away, which is between words where it stands in a line.
      const inline = breaks === 0 && text.trim() !== "" && !/\n/.test(text);
      if (inline && /^\s/.test(element.textContent ?? "")) lines.text(" ", false);
      lines.text(inline ? text.trim() : text, true);
      if (inline && /\s$/.test(element.textContent ?? "")) lines.text(" ", false);
    }
    if (display === "table-cell" && element.nextElementSibling) lines.text("\t", true);
    lines.break(breaks);
  }
}

/** Faster than a list of the browser's: pages have tens of thousands of nodes. */
function childrenOf({ firstChild }: Node): Node[] {
  const all: Node[] = [];
  for (let node: Node | null = firstChild; node; node = node.nextSibling) all.push(node);
  return all;
}

const isPart = (node: Node): node is Element | Text =>
  node.nodeType === Node.ELEMENT_NODE || node.nodeType === Node.TEXT_NODE || node.nodeType === Node.CDATA_SECTION_NODE;

/** What shows something else in the place of what is written in it. */
const REPLACED = /^(canvas|video|audio|iframe|progress|meter|textarea)$/;

/** These and what can be folded. */
const FOLDED = new RegExp(`${REPLACED.source}|^details$`);

/** Boxes whose content CSS cannot leave out. */
const ALWAYS_FULL = /^(inline|contents|ruby.*|(?!table-caption)table-.*)$/;

/** Says whether an element shows the texts that stand directly in it. What is in elements in it these are asked. */
export function showsText(element: Element): boolean {
  if (REPLACED.test(element.localName)) return false;
  if (element instanceof HTMLDetailsElement) {
    const { contentVisibility } = getComputedStyle(element, "::details-content");
    if (contentVisibility ? contentVisibility === "hidden" : !element.open) return false;
  }
  const { contentVisibility, display } = getComputedStyle(element);
  return contentVisibility !== "hidden" || ALWAYS_FULL.test(display);
}

/** Says whether an element is, or stands in, what content-visibility: auto may have left out: innerText has nothing of it. */
const isFarAway = (element: Element): boolean =>
  getComputedStyle(element).contentVisibility === "auto" ||
  (!element.checkVisibility({ contentVisibilityAuto: true }) && element.checkVisibility());

const SAID = ["::before", "::after"] as const;

/** What CSS puts before or behind the content of an element, and a user sees. */
function addedTo(element: Element, which: (typeof SAID)[number]): string {
  if (!(element instanceof HTMLElement)) return "";
  const style = getComputedStyle(element, which);
  // What counters count cannot be asked.
  if (/counters?\(/.test(style.content)) return "";
  const text = addedText(style);
  if (seen(text).trim() === "" || parseFloat(style.opacity) < 0.02) return "";
  return style.height === "0px" && style.overflow !== "visible" ? "" : text;
}

/** What a button says that is a field. */
const sign = (element: Element): string => (element instanceof HTMLInputElement ? captionOf(element) : "");

/** The text of an element as it is rendered, in shadow roots and slots, too. */
export const renderedText = (element: Element): string => new Flat(element).text();

const ownText = (element: Element): string => (element instanceof HTMLElement ? element.innerText : drawnText(element));

/** What is drawn or stands in no page of its own: SVG, MathML, XML. */
const UNDRAWN = /^(script|style|metadata|defs|symbol|clipPath|mask|pattern|marker)$/;
/** Parts of a line. */
const IN_LINE = /^(tspan|textPath|a|m[a-z]+)$/;

/** The text of what is no HTML: a line for each text of a drawing, its titles and descriptions among them. */
export function drawnText(element: Element, written = (_part: Element, text: string): string => text): string {
  let text = "";
  for (const node of element.childNodes) {
    if (node instanceof Text) text += node.data.replace(/\s+/g, " ");
    if (!(node instanceof Element) || UNDRAWN.test(node.localName)) continue;
    if (node.localName !== "title" && node.localName !== "desc" && !node.checkVisibility()) continue;
    const inner = written(node, node instanceof HTMLElement ? node.innerText : drawnText(node, written));
    const apart = !IN_LINE.test(node.localName) || (node.localName === "a" && element.localName !== "text");
    text += apart && inner.trim() !== "" ? `\n${inner.trim()}\n` : inner;
  }
  return text.replace(/ *\n[ \n]*/g, "\n").trim();
}

function breaksOf(element: Element, display: string): number {
  if (/^(inline|contents|ruby|table-cell)/.test(display)) return 0;
  return element.localName === "p" ? 2 : 1;
}

/** Lines puts texts together as they stand on a page: white space between words is one space, and none at the ends of lines. */
class Lines {
  #out: string[] = [];
  #breaks = 0;
  #space = false;
  #start = true; // of a line, or of the text

  text(text: string, asItIs: boolean): void {
    if (text === "") return;
    if (asItIs) return this.#add(text, text.endsWith("\n"));
    const words = text.replace(/[ \t\n\r\f]+/g, " ");
    const bare = words.trim();
    if (words.startsWith(" ")) this.#space = true;
    if (bare !== "") this.#add(bare, false);
    if (bare !== "" && words.endsWith(" ")) this.#space = true;
  }

  break(lines: number): void {
    this.#breaks = Math.max(this.#breaks, lines);
  }

  end(): string {
    return this.#out.join("");
  }

  #add(text: string, ends: boolean): void {
    if (this.#breaks > 0 && this.#out.length > 0) {
      this.#out.push("\n".repeat(this.#breaks));
      this.#start = true;
    }
    this.#breaks = 0;
    if (this.#space && !this.#start && !/^[\n\t]/.test(text)) this.#out.push(" ");
    this.#space = false;
    this.#out.push(text);
    this.#start = ends;
  }
}
