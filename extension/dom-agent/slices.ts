import type { Deadline } from "./environment.ts";

/** Work in one go, ms: half of what the page's next frame has. */
const SLICE_MS = 8;

/**
 * Slices lets the page work in between. Call pause often; it waits only when a slice is over. Nothing that was read before a
 * pause may be taken for what the page is after it.
 */
export class Slices {
  readonly #deadline: Deadline;
  #until = performance.now() + SLICE_MS;

  constructor(deadline: Deadline) {
    this.#deadline = deadline;
  }

  /** Whether a slice is over, and the next call of pause would wait. */
  get over(): boolean {
    return performance.now() >= this.#until;
  }

  /** Whether the time of the whole call is up. */
  get late(): boolean {
    return Date.now() >= this.#deadline.at;
  }

  /** Lets the page work. Throws when nobody waits for the call any more. */
  async pause(): Promise<void> {
    this.#deadline.signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      // A message lets input and frames go first, and is not held back in background tabs as timers are.
      port1.addEventListener("message", () => resolve(), { once: true });
      port1.start();
      port2.postMessage(null);
    });
    this.#deadline.signal.throwIfAborted();
    this.#until = performance.now() + SLICE_MS;
  }
}
