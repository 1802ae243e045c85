import type { SourceHealth } from "./record.ts";

const tolerated = 20;

/** Turn is shared by the guards of one realm: only one of them works at a time. */
export interface Turn {
  taken: boolean;
}

/**
 * Guard stands between a source and the page. Work that throws is counted and never reaches the page; after 20
 * failures the source is disabled. While one guard works, page code that our work happens to run (a proxy's traps, a
 * toString) finds every source silent, so that capture never records itself.
 */
export class Guard {
  readonly source: string;
  readonly turn: Turn;
  failures = 0;
  disabled = false;

  constructor(source: string, turn: Turn) {
    this.source = source;
    this.turn = turn;
  }

  /** run does the work, unless the source is disabled or a guard is at work already. */
  run<T>(work: () => T): T | undefined {
    if (this.disabled || this.turn.taken) return undefined;
    this.turn.taken = true;
    try {
      return work();
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
    if (this.failures >= tolerated) this.disabled = true;
  }

  health(): SourceHealth {
    return { source: this.source, failures: this.failures, disabled: this.disabled };
  }
}
