import type { Send } from "./context.ts";

interface Point {
  x: number;
  y: number;
}

/** The mouse moves in so many steps to where it is dragged, after some of a few pixels: dragging begins by those. */
const STEPS = 12;
const FIRST = [2, 5, 9];

/** What the browser would carry begins to be dragged within so long, ms, after the page was asked. */
const CARRIED_MS = 1000;

/**
 * Dragging by the mouse in one tab. Where the page lets the browser itself carry something, it carries it here: nothing is
 * shown on the user's screen, and the mouse of the user is left alone.
 */
export class DragInput {
  readonly #send: Send;
  readonly #raw: Send;
  readonly #over: () => void;
  readonly #on: (heard: (params: object) => void) => () => void;
  #at: Point = { x: 0, y: 0 };
  #off: (() => void) | undefined;
  #data: unknown;
  #carried: (() => void) | undefined;
  /** The button is pressed. */
  held = false;

  /**
   * send fails where the page was left; raw does not, and serves to let go. on calls with the params of each event
   * Input.dragIntercepted. over is called at the end.
   */
  constructor(send: Send, raw: Send, on: (heard: (params: object) => void) => () => void, over: () => void) {
    this.#send = send;
    this.#raw = raw;
    this.#over = over;
    this.#on = on;
  }

  /** Presses the button at a point. */
  async hold(at: Point): Promise<void> {
    this.#off = this.#on((params) => {
      this.#data = (params as { data: unknown }).data;
      this.#carried?.();
    });
    this.held = true;
    await this.#send("Input.setInterceptDrags", { enabled: true });
    this.#at = at;
    await this.#mouse("mouseMoved", 0);
    await this.#mouse("mousePressed", 1);
  }

  /** Moves to a point with the button pressed. */
  async pull(to: Point): Promise<void> {
    const from = this.#at;
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const parts = [...FIRST.map((far) => far / length), ...Array.from({ length: STEPS }, (_, i) => (i + 1) / STEPS)];
    for (const part of parts.filter((each) => each <= 1).sort((a, b) => a - b)) {
      this.#at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      if (this.#data === undefined) await this.#mouse("mouseMoved", 1);
    }
    this.#at = to;
    if (this.#data !== undefined) await this.#carry(["dragEnter", "dragOver"]);
  }

  /** Lets go. native: the page let the browser carry something. */
  async release(native: boolean): Promise<void> {
    if (native && this.#data === undefined) await this.#begun();
    if (this.#data === undefined) await this.#mouse("mouseReleased", 1);
    else await this.#carry(["dragEnter", "dragOver", "dragOver", "drop"]);
    await this.#end();
  }

  /** Lets go of what could not be brought where it should be. */
  async cancel(): Promise<void> {
    if (!this.held) return;
    if (this.#data === undefined) {
      const escape = { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 };
      try {
        await this.#send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...escape });
        await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...escape });
      } catch {
        // The page that it was begun in is left: the next one gets no key.
      }
      // Not where it was pressed: that would be a click.
      this.#at = { x: -1, y: -1 };
      await this.#mouse("mouseMoved", 1, this.#raw);
      await this.#mouse("mouseReleased", 1, this.#raw);
    } else await this.#carry(["dragCancel"], this.#raw);
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#off?.();
    this.#over();
    this.#data = undefined;
    this.held = false;
    await this.#raw("Input.setInterceptDrags", { enabled: false });
  }

  #begun(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CARRIED_MS);
      this.#carried = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #mouse(type: string, buttons: number, send = this.#send): Promise<void> {
    const button = buttons > 0 ? "left" : "none";
    const clickCount = type === "mouseMoved" ? 0 : 1;
    const held = type === "mouseReleased" ? 0 : buttons;
    await send("Input.dispatchMouseEvent", {
      type,
      ...this.#at,
      button,
      buttons: held,
      clickCount,
      pointerType: "mouse",
    });
  }

  async #carry(types: string[], send = this.#send): Promise<void> {
    for (const type of types) await send("Input.dispatchDragEvent", { type, ...this.#at, data: this.#data });
  }
}
