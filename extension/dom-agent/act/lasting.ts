import { EVERY_CHANGE } from "../waiting.ts";

/** What a press makes a control look like, and no more. */
const LOOKS = /^(class|style)$/;

const OLD: MutationObserverInit = { ...EVERY_CHANGE, attributeOldValue: true, characterDataOldValue: true };

/** A part without a text, such as a ripple, is a look, too. */
const htmlOf = (nodes: Iterable<Node>): string =>
  [...nodes]
    .filter((node) => node.textContent?.trim())
    .map((node) => (node instanceof Element ? node.outerHTML.replace(/ (class|style)="[^"]*"/g, "") : node.textContent))
    .join("");

interface Moved {
  removed: Node[];
  added: Set<Node>;
}

/** Watches what a page changes that stays: what it renders anew as it was is no change. */
export class Lasting {
  readonly #records: MutationRecord[] = [];
  readonly #observer = new MutationObserver((records) => void this.#records.push(...records));

  constructor(element: Element) {
    for (const root of new Set([document, element.getRootNode()])) this.#observer.observe(root, OLD);
  }

  /** Ends the watching. */
  stop(): void {
    this.#records.push(...this.#observer.takeRecords());
    this.#observer.disconnect();
  }

  /** Whether anything changed. */
  get any(): boolean {
    const nodes = new Map<Node, Moved>();
    const before = new Map<Node, Map<string, string | null>>(); // the first value of each attribute and text
    for (const { type, target, attributeName, oldValue, addedNodes, removedNodes } of this.#records) {
      if (type === "childList") {
        const at = nodes.get(target) ?? { removed: [], added: new Set() };
        nodes.set(target, at);
        // What came and went again is no change.
        for (const node of removedNodes) if (!at.added.delete(node)) at.removed.push(node);
        for (const node of addedNodes) at.added.add(node);
        continue;
      }
      const values = before.get(target) ?? new Map<string, string | null>();
      before.set(target, values);
      const name = attributeName ?? "";
      if (!LOOKS.test(name) && !values.has(name)) values.set(name, oldValue);
    }
    const isOther = ([target, { removed, added }]: [Node, Moved]): boolean =>
      target.isConnected && htmlOf(removed) !== htmlOf(added);
    return (
      [...nodes].some(isOther) ||
      [...before].some(
        ([target, values]) =>
          target.isConnected &&
          [...values].some(
            ([name, value]) => value !== (target instanceof Element ? target.getAttribute(name) : target.nodeValue),
          ),
      )
    );
  }
}
