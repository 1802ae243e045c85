import type { Deadline } from "./environment.ts";
import { Pass } from "./pass.ts";
import { EVERY_CHANGE, turn } from "./waiting.ts";

/** Work in one go, ms: less than the page's next frame has. */
const SLICE_MS = 12;

/** Slices lets the page work in between. Call pause where over says so. */
export class Slices {
  /** The page gets no time in between, so that it cannot change meanwhile: a slice is all the time there is. */
  readonly #atOnce: boolean;
  /** Good until the next pause. It stays the same while the page does not change. */
  pass = new Pass();
  readonly #deadline: Deadline;
  #until = performance.now() + SLICE_MS;

  constructor(deadline: Deadline, atOnce = false) {
    this.#deadline = deadline;
    this.#atOnce = atOnce;
  }

  /** Whether a slice is over. */
  get over(): boolean {
    return performance.now() >= this.#until;
  }

  /** Whether the time is up: of the whole call, or of the one slice. */
  get late(): boolean {
    return Date.now() >= this.#deadline.at || (this.#atOnce && this.over);
  }

  /** Begins the next part of work that goes on without pauses. */
  next(): void {
    if (this.#atOnce) this.#until = performance.now() + SLICE_MS;
  }

  /** Lets the page work. Throws when nobody waits for the call any more. */
  async pause(): Promise<void> {
    this.#deadline.signal.throwIfAborted();
    if (this.#atOnce) return;
    let changed = false;
    const change = (): void => void (changed = true);
    const observer = new MutationObserver(change);
    observer.observe(document, EVERY_CHANGE);
    addEventListener("input", change, true);
    await turn();
    removeEventListener("input", change, true);
    if (changed) this.pass = new Pass();
    observer.disconnect();
    this.#deadline.signal.throwIfAborted();
    this.#until = performance.now() + SLICE_MS;
  }
}
