import { isTarget } from "../actionable.ts";
import { elementAt, shadowOf } from "../shadow.ts";
import { EVERY_CHANGE } from "../waiting.ts";
import { Lasting } from "./lasting.ts";

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

/** Those that say where it was let go of; a page can keep each of them from coming. */
const RELEASES: ReadonlySet<string> = new Set(["pointerup", "mouseup", "click"]);

/** What widgets say of themselves when they act on the press already. */
const STATES = ["aria-checked", "aria-expanded", "aria-pressed", "aria-selected", "data-state"];

/**
 * Keeps a real press from everything but its element: between the look at a point and the press there the page may have
 * moved. The first event decides; when it is another element's, the page hears of none of them. Listeners of the page on
 * window that were there before still do. The debugger's bar may come while the button is pressed, and the page moves: where
 * it is let go of is another element then, and the page hears of no click there.
 */
export class Aim {
  readonly #element: Element;
  readonly #point: { x: number; y: number };
  readonly #again: () => Element;
  #lasting: Lasting | undefined; // from when the button came down
  #down: Element | undefined; // what the button came down on
  #clicked = false;
  readonly #state: string;
  readonly #viewport = viewport();
  #met: boolean | undefined;
  #released = false; // on the element
  /** Whether the page changed by the press alone, before the button was let go of: more than how the element looks. */
  acted = false;
  readonly #changes = new MutationObserver((records) => this.#look(records));

  /** again finds what stands for the element when it is gone, or throws. */
  constructor(element: Element, point: { x: number; y: number }, again: () => Element) {
    this.#element = element;
    this.#point = point;
    this.#again = again;
    this.#state = stateOf(element);
    for (const name of EVENTS) window.addEventListener(name, this.#hear, true);
  }

  /** Whether the press came to another element, and so to nobody. */
  get missed(): boolean {
    return this.#met === false;
  }

  /**
   * Whether the page moved while the button was pressed on the element, which was let go of elsewhere: nothing was clicked. Not
   * where the press was enough for the element.
   */
  get slipped(): boolean {
    if (!this.#met || this.#released || !this.#moved) return false;
    return this.#element.isConnected && stateOf(this.#element) === this.#state;
  }

  /** Whether the page took away what was pressed, and no click followed. */
  get lost(): boolean {
    return this.#met === true && !this.#clicked && this.#down?.isConnected === false;
  }

  /** Whether anything in the page is another than before the press. */
  get changed(): boolean {
    return this.#lasting?.any === true;
  }

  get #moved(): boolean {
    return viewport() !== this.#viewport;
  }

  stop(): void {
    this.#lasting?.stop();
    this.#changes.disconnect();
    for (const name of EVENTS) window.removeEventListener(name, this.#hear, true);
  }

  readonly #hear = (event: MouseEvent): void => {
    const near = Math.abs(event.clientX - this.#point.x) < 1.5 && Math.abs(event.clientY - this.#point.y) < 1.5;
    if (!event.isTrusted || !near) return;
    const target = innermost(event);
    const here = this.#isMeant(target);
    this.#met ??= here;
    if (this.#met && event.type.endsWith("down")) {
      if (target instanceof Element) this.#down ??= target;
      this.#lasting ??= new Lasting(this.#element);
      this.#watch();
    }
    if (event.type === "click" && here) this.#clicked = true;
    if (this.#met) {
      if (here && RELEASES.has(event.type)) this.#released = true;
      if (event.type !== "click" || here || !this.#moved) return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  /** Watches what the page does while it hears of a press, and at its end; not what it does later, by itself. */
  #watch(): void {
    for (const root of [document, this.#element.getRootNode()]) this.#changes.observe(root, EVERY_CHANGE);
    setTimeout(() => this.#changes.disconnect());
  }

  #look(records: MutationRecord[]): void {
    this.acted ||= records.some(
      ({ type, target, attributeName, addedNodes, removedNodes }) =>
        !this.#element.contains(target) ||
        (type === "attributes"
          ? !/^(class|style)$/.test(attributeName!)
          : // Ripples are elements without a text.
            type !== "childList" || [...addedNodes, ...removedNodes].some((node) => node.textContent)),
    );
  }

  #isMeant(hit: EventTarget | null | undefined): boolean {
    if (!(hit instanceof Element)) return false;
    if (isTarget(hit, this.#element)) return true;
    if (this.#element.isConnected) return false;
    try {
      return isTarget(hit, this.#again());
    } catch {
      return false;
    }
  }
}

/** What an event is about. In a closed root it is told as its host's: there what lies at the point counts. */
function innermost(event: MouseEvent): EventTarget | null | undefined {
  const [target] = event.composedPath();
  const closed = target instanceof Element && !target.shadowRoot && shadowOf(target);
  return closed ? elementAt(event.clientX, event.clientY) : target;
}

const viewport = (): string => `${window.innerWidth} ${window.innerHeight}`;

const stateOf = (element: Element): string => STATES.map((name) => element.getAttribute(name)).join();
