/** How long to wait after failures: doubling between two bounds, spread so that nothing beats in step. */
export class Backoff {
  readonly #minMS: number;
  readonly #maxMS: number;
  readonly #random: () => number;
  #failures = 0;

  /** random gives numbers in [0, 1). */
  constructor(minMS: number, maxMS: number, random: () => number = Math.random) {
    this.#minMS = minMS;
    this.#maxMS = maxMS;
    this.#random = random;
  }

  /** Counts one more failure and returns the ms to wait: between half of the step and the step. */
  next(): number {
    const step = Math.min(this.#maxMS, this.#minMS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    return step / 2 + (step / 2) * this.#random();
  }

  /** Forgets the failures. */
  reset(): void {
    this.#failures = 0;
  }
}
