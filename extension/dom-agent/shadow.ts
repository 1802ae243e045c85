import { Roots, type Scope, Search, type Tree, run, select } from "@gasoline/capture/locators/deep";
import { parse } from "@gasoline/capture/locators/grammar";
import { rootOf } from "./browser.ts";

/** Hosts of closed roots, as far as they were asked. */
const closed = new WeakSet<Element>();

/** The shadow roots of the document. */
export const ROOTS = new Roots((host) => {
  const root = rootOf(host);
  if (root) closed.add(host);
  return root;
});

/** The shadow root of a host, closed ones included. */
export const shadowOf = (host: Element): ShadowRoot | null => ROOTS.of(host);

export type { Scope };

/** The document and every shadow root in it that is known. */
export function roots(): Scope[] {
  const trees: Tree[] = [run(ROOTS.below(document))];
  for (const { below } of trees) trees.push(...below.map(({ tree }) => tree)); // it goes on over what it adds
  return trees.map(({ scope }) => scope);
}

/** Finds by CSS with ">>>" for steps into shadow roots. Throws SyntaxError for invalid selectors. */
export function query(selector: string, scope: Scope): Element[] {
  const locator = parse(selector);
  return run(new Search(scope, ROOTS).query(locator.kind === "css" ? locator.steps : [selector]));
}

/** Elements below a scope that fit CSS, in every shadow root, in the order of the page. */
export const everywhere = (selector: string, scope: Scope): Element[] => select(selector, run(ROOTS.below(scope)));

/** Every element below a scope, shadow roots included, in document order. */
export const everyElement = (scope: Scope): Element[] => everywhere("*", scope);

/** The slot that a node is shown in; null where it is shown where it stands. */
function slotOf(node: Element | Text): HTMLSlotElement | null {
  const { assignedSlot, parentElement: host } = node;
  if (assignedSlot || !host || !closed.has(host)) return assignedSlot;
  // What is in a closed root is told only by its slots.
  const slots = shadowOf(host)?.querySelectorAll("slot") ?? [];
  return [...slots].find((slot) => slot.assignedNodes().includes(node)) ?? null;
}

/** The parent in the tree as it is shown: out of a shadow root to its host. */
export function parentOf(element: Element | Text): Element | null {
  return slotOf(element) ?? element.parentElement ?? hostOf(element);
}

/** The element in whose shadow root a node is. */
export function hostOf(node: Node): Element | null {
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** What a text stands in: right in a shadow root its host. */
export const holderOf = (text: Text): Element | null => text.parentElement ?? parentOf(text);

/** The nodes that an element shows: of its shadow root, of those that are in its slot, or its own. */
export function shownIn(element: Element): Node[] {
  const slotted = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
  return slotted.length > 0 ? slotted : [...(shadowOf(element) ?? element).childNodes];
}

/** Says whether an element is another one or inside of it, through shadow roots. */
export const isInside = (element: Element, outer: Element): boolean => first(element, (at) => at === outer) !== null;

/** The element with the focus, in the innermost shadow root. */
export function focused(): Element | null {
  let at = document.activeElement;
  while (at) {
    const inner = shadowOf(at)?.activeElement;
    if (!inner) return at;
    at = inner;
  }
  return at;
}

/** The topmost element at a point of the viewport, in the innermost shadow root: what a pointer there comes to. */
export function elementAt(x: number, y: number): Element | null {
  let at = document.elementFromPoint(x, y);
  for (let depth = 0; at && depth < 50; depth++) {
    const inner: Element | null = shadowOf(at)?.elementFromPoint(x, y) ?? null;
    if (!inner || inner === at) return slotAt(at, x, y) ?? at;
    at = inner;
  }
  return at;
}

/** The boxes of the lines of a text. */
export function rectsOf(text: Text): DOMRectList {
  const range = document.createRange();
  range.selectNode(text);
  return range.getClientRects();
}

/** The slot that shows a text of a host at a point: there browsers name the host, and a pointer comes to the slot. */
function slotAt(host: Element, x: number, y: number): Element | undefined {
  for (const text of host.childNodes) {
    const slot = text instanceof Text && slotOf(text);
    if (!slot) continue;
    const isHere = [...rectsOf(text)].some(
      ({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom,
    );
    if (isHere && getComputedStyle(slot).pointerEvents !== "none") return slot;
  }
  return undefined;
}

/** The nearest element that fits CSS, of an element and what it is shown in. */
export const nearest = (element: Element, selector: string): Element | null =>
  first(element, (at) => at.matches(selector));

/** The first that is so, of an element and what it is shown in. */
export function first(element: Element, is: (at: Element) => unknown): Element | null {
  for (let at: Element | null = element; at; at = parentOf(at)) if (is(at)) return at;
  return null;
}
