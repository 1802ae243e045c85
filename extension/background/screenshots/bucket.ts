/** Lets n pass per second, and those beyond wait: Chrome refuses more than two captures a second. */
export class TokenBucket {
  readonly #everyMS: number;
  readonly #wait: (ms: number) => Promise<void>;
  readonly #now: () => number;
  #free = 0; // when the next one may pass

  constructor(
    perSecond: number,
    now = Date.now,
    wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  ) {
    // A little more than the share: Chrome's clock is not ours.
    this.#everyMS = 1000 / perSecond + 20;
    this.#now = now;
    this.#wait = wait;
  }

  /** Resolves when the caller may go; callers go in order. */
  async take(): Promise<void> {
    const now = this.#now();
    const at = Math.max(now, this.#free);
    this.#free = at + this.#everyMS;
    if (at > now) await this.#wait(at - now);
  }
}
