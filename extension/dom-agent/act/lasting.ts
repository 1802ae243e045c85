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
    const nodes = new Map<Node, { removed: Node[]; added: Node[] }>();
    const before = new Map<Node, Map<string, string | null>>(); // the first value of each attribute and text
    for (const { type, target, attributeName, oldValue, addedNodes, removedNodes } of this.#records) {
      if (type === "childList") {
        const at = nodes.get(target) ?? { removed: [], added: [] };
        nodes.set(target, at);
        at.removed.push(...removedNodes);
        at.added.push(...addedNodes);
        continue;
      }
      const values = before.get(target) ?? new Map<string, string | null>();
      before.set(target, values);
      const name = attributeName ?? "";
      if (!LOOKS.test(name) && !values.has(name)) values.set(name, oldValue);
    }
    const isOther = ([target, { removed, added }]: [Node, { removed: Node[]; added: Node[] }]): boolean =>
      target.isConnected && htmlOf(removed) !== htmlOf(added.filter((node) => node.parentNode === target));
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
