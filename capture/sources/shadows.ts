import type { OpenShadow } from "../locators/deep.ts";

/** Elements of one delivery that are asked for a root. */
const maxAsked = 500;
/** Custom elements that may still get one. */
const maxWaiting = 500;

/**
 * Shadows finds the shadow roots that come into a page, for observers that see none by themselves. Those of custom elements
 * are found, open and closed, and open ones of others. A root that an element gets without any change of the page is found
 * at the next look.
 */
export class Shadows {
  readonly #closed: OpenShadow | undefined;
  readonly #found: (root: ShadowRoot) => void;
  readonly #known = new WeakSet<ShadowRoot>();
  readonly #waiting = new Set<Element>();
  #asked = 0;

  /** found is called once for each root. */
  constructor(found: (root: ShadowRoot) => void, closed?: OpenShadow) {
    this.#found = found;
    this.#closed = closed;
  }

  /** begin is called before the nodes of one delivery. */
  begin(): void {
    this.#asked = 0;
  }

  /** within looks at a node and what is in it. */
  within(node: Node, most = maxAsked): void {
    if (node instanceof Element) this.#ask(node);
    if (!node.hasChildNodes()) return;
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT);
    while (this.#asked < most && walker.nextNode()) this.#ask(walker.currentNode as Element);
  }

  /** again asks those that had no root yet. */
  again(): void {
    for (const element of this.#waiting) {
      if (!element.isConnected) this.#waiting.delete(element);
      else this.#ask(element);
    }
  }

  #ask(element: Element): void {
    this.#asked++;
    const custom = element.localName.includes("-");
    const root = element.shadowRoot ?? (custom ? this.#closed?.(element) : null);
    if (!root) {
      if (custom && this.#waiting.size < maxWaiting) this.#waiting.add(element);
      return;
    }
    this.#waiting.delete(element);
    if (this.#known.has(root)) return;
    this.#known.add(root);
    this.#found(root);
    this.within(root);
  }
}
