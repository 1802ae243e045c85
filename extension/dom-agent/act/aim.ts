import { isTarget } from "../actionable.ts";

/** What a press of a real button comes to, in order. */
const EVENTS = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "auxclick",
  "dblclick",
  "contextmenu",
] as const;

/**
 * Keeps a real press from everything but its element: between the look at a point and the press there the page may have
 * moved. The first event decides; when it is another element's, the page hears of none of them. Listeners of the page on
 * window that were there before still do.
 */
export class Aim {
  readonly #element: Element;
  readonly #point: { x: number; y: number };
  readonly #again: () => Element;
  #met: boolean | undefined;

  /** again finds what stands for the element when it is gone, or throws. */
  constructor(element: Element, point: { x: number; y: number }, again: () => Element) {
    this.#element = element;
    this.#point = point;
    this.#again = again;
    for (const name of EVENTS) window.addEventListener(name, this.#hear, true);
  }

  /** Whether the press came to another element, and so to nobody. */
  get missed(): boolean {
    return this.#met === false;
  }

  stop(): void {
    for (const name of EVENTS) window.removeEventListener(name, this.#hear, true);
  }

  readonly #hear = (event: MouseEvent): void => {
    const near = Math.abs(event.clientX - this.#point.x) < 1.5 && Math.abs(event.clientY - this.#point.y) < 1.5;
    if (!event.isTrusted || !near) return;
    const [target] = event.composedPath();
    this.#met ??= target instanceof Element && this.#isMeant(target);
    if (this.#met) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  #isMeant(hit: Element): boolean {
    if (isTarget(hit, this.#element)) return true;
    if (this.#element.isConnected) return false;
    try {
      return isTarget(hit, this.#again());
    } catch {
      return false;
    }
  }
}
