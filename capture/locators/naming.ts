import type { Locator } from "@gasoline/schema/wire";
import { cancelLater, later, now } from "../natives.ts";
import type { Roots, Steps } from "./deep.ts";
import { type Sketch, locate } from "./ranked.ts";

/** A search pauses after so long, ms: the main thread belongs to the page. */
const SLICE = 6;
/** A page that goes away waits at most so long, ms. */
const LAST = 50;

interface Waiting {
  sketch: Sketch | undefined;
  done: (locators: Locator[] | undefined) => void;
}

/** Naming searches for the locators of elements, one after the other, in slices and behind the page's own work. */
export class Naming {
  readonly #roots: Roots;
  readonly #run: (work: () => void) => void;
  #waiting: Waiting[] = [];
  #steps: Steps<Locator[]> | undefined; // of the first that waits
  #timer: number | undefined;

  /** run is what everything runs in that is not called by the caller. */
  constructor(roots: Roots, run: (work: () => void) => void) {
    this.#roots = roots;
    this.#run = run;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** done is called for each in the order in which they came, without locators where there is no sketch or no time. */
  add(sketch: Sketch | undefined, done: Waiting["done"]): void {
    this.#waiting.push({ sketch, done });
    this.#plan();
  }

  /** settle calls all that wait now. What cannot be found in 50 ms goes without locators. */
  settle(): void {
    if (this.#timer !== undefined) cancelLater(this.#timer);
    this.#timer = undefined;
    this.#work(now() + LAST);
    for (const { done } of this.#waiting.splice(0)) done(undefined);
    this.#steps = undefined;
  }

  #plan(): void {
    this.#timer ??= later(() => {
      this.#timer = undefined;
      let ran = false;
      this.#run(() => {
        ran = true;
        this.#work(now() + SLICE);
      });
      // Who may not work any more loses what waits.
      if (!ran) this.#waiting = [];
      if (this.#waiting.length > 0) this.#plan();
    }, 0);
  }

  #work(until: number): void {
    for (let first = this.#waiting[0]; first && now() < until; first = this.#waiting[0]) {
      const found = this.#search(first.sketch, until);
      if (found === "pause") return;
      this.#waiting.shift();
      this.#steps = undefined;
      first.done(found);
    }
  }

  #search(sketch: Sketch | undefined, until: number): Locator[] | "pause" | undefined {
    if (!sketch) return undefined;
    this.#steps ??= locate(sketch, this.#roots);
    try {
      for (;;) {
        const { done, value } = this.#steps.next();
        if (done) return value;
        if (now() >= until) return "pause";
      }
    } catch {
      // The page is in a state that no search goes through; the action counts all the same.
      return undefined;
    }
  }
}
