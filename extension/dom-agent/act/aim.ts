import { isTarget } from "../actionable.ts";
import { Row } from "../row.ts";
import { elementAt, shadowOf } from "../shadow.ts";
import { EVERY_CHANGE, turn } from "../waiting.ts";
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

/** Those before which the page may have used the element for another row. */
const ENDS = /^(pointer(down|up)|mouseup|click|contextmenu)$/;

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
  readonly #still: () => boolean;
  #lasting: Lasting | undefined; // from when the button came down
  readonly #row: Row;
  #down: Element | undefined; // what the button came down on
  /** Whether the element was clicked. */
  clicked = false;
  readonly #state: string;
  readonly #viewport = viewport();
  #met: boolean | undefined;
  #released = false; // on the element
  #elsewhere = false; // it was let go of on another one
  /** Whether the end of the press, or a further press of the same gesture, came to another element or row, and so to nobody. */
  strayed = false;
  /** Whether the page changed by the press alone, before the button was let go of: more than how the element looks. */
  acted = false;
  readonly #changes = new MutationObserver((records) => this.#look(records));

  /**
   * again finds what stands for the element when it is gone, or throws. still says whether the element is what was named: when
   * the pointer comes the page may use it for something else.
   */
  constructor(element: Element, point: { x: number; y: number }, again: () => Element, still = (): boolean => true) {
    this.#element = element;
    this.#point = point;
    this.#again = again;
    this.#still = still;
    this.#state = stateOf(element);
    this.#row = new Row(element);
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
    return this.#met === true && !this.clicked && this.#down?.isConnected === false;
  }

  /** Whether the button was let go of on another element, which came to where it was pressed: nothing was clicked. */
  get off(): boolean {
    return this.#met === true && !this.clicked && this.#elsewhere;
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
    if (this.#met && !here && event.type === "pointerdown") this.strayed = true;
    // Another row's: the page hears no end of the press, for that would be the other row's.
    if (this.#met && here && ENDS.test(event.type) && this.#row.isAnothers) this.strayed = true;
    this.#met ??= here;
    if (this.#met && event.type.endsWith("down")) {
      if (target instanceof Element) this.#down ??= target;
      this.#lasting ??= new Lasting(this.#element);
      this.#watch();
    }
    if (event.type === "click" && here && !this.strayed) this.clicked = true;
    if (this.#met && !this.strayed) {
      if (RELEASES.has(event.type)) {
        this.#released ||= here;
        this.#elsewhere ||= !here;
      }
      if (event.type !== "click" || here || !this.#moved) return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  /** Watches what the page does while it hears of a press, and at its end; not what it does later, by itself. */
  #watch(): void {
    for (const root of [document, this.#element.getRootNode()]) this.#changes.observe(root, EVERY_CHANGE);
    void turn().then(() => this.#changes.disconnect());
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
    if (isTarget(hit, this.#element)) return this.#met !== undefined || this.#still();
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

const viewport = (): string => `${innerWidth} ${innerHeight}`;

const stateOf = (element: Element): string => STATES.map((name) => element.getAttribute(name)).join();
