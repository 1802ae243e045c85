import type { Builtins } from "./builtins.ts";
import type { SourceHealth } from "./record.ts";

const tolerated = 20;

/** Turn is shared by the guards of one realm: only one of them works at a time. */
export interface Turn {
  taken: boolean;
}

/**
 * Guard stands between a source and the page. Work that throws is counted and never reaches the page; after 20
 * failures in a row the source is disabled. What values of the page throw (a getter, a proxy's trap, a wrong receiver)
 * is no failure: a source expects it where it touches them. While one guard works, page code that our work happens to run (a proxy's traps, a
 * toString) finds every source silent, so that capture never records itself.
 */
export class Guard {
  readonly source: string;
  readonly turn: Turn;
  failures = 0;
  disabled = false;
  readonly #builtins: Builtins | undefined;
  #inRow = 0;

  /** builtins are what work runs among; without them it runs among the page's, or in a world without a page. */
  constructor(source: string, turn: Turn, builtins?: Builtins) {
    this.source = source;
    this.turn = turn;
    this.#builtins = builtins;
  }

  /** idle says that run would do work: what page code does now is the page's own doing. */
  get idle(): boolean {
    return !this.disabled && !this.turn.taken;
  }

  /** run does the work, unless the source is disabled or a guard is at work already. */
  run<T>(work: () => T): T | undefined {
    if (!this.idle) return undefined;
    this.turn.taken = true;
    try {
      const result = this.#builtins ? this.#builtins.run(work) : work();
      this.#inRow = 0;
      return result;
    } catch {
      this.fail();
      return undefined;
    } finally {
      this.turn.taken = false;
    }
  }

  /** fail counts one failure. */
  fail(): void {
    this.failures++;
    if (++this.#inRow >= tolerated) this.disabled = true;
  }

  health(): SourceHealth {
    return { source: this.source, failures: this.failures, disabled: this.disabled };
  }
}
