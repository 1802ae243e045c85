// A clock that stands still until a test moves it, in a page: timers, Date and performance.now. As Vitest's.

interface Timer {
  at: number;
  every: number | undefined;
  call: () => void;
}

const native = {
  Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  now: performance.now.bind(performance),
};

/** Timers that call themselves end a test at this many. */
const MAX_CALLS = 10_000;

/** The clock of the page's tests: one at a time. */
export class Clock {
  #now = 0;
  #start = 0;
  #next = 1;
  readonly #timers = new Map<number, Timer>();
  #running = false;

  /** Puts itself in the place of the page's clock. */
  install(now: number | Date = native.Date.now()): void {
    if (this.#running) return;
    this.#running = true;
    this.#now = this.#start = Number(now);
    const add = (call: unknown, ms: unknown, args: unknown[], every: boolean): number => {
      const after = Math.max(0, Number(ms) || 0);
      const id = this.#next++;
      const work = (): void => void (call as (...args: unknown[]) => void)(...args);
      this.#timers.set(id, { at: this.#now + after, every: every ? Math.max(1, after) : undefined, call: work });
      return id;
    };
    const clear = (id: unknown): void => void this.#timers.delete(Number(id));
    const time = (): number => this.#now;
    class Stopped extends native.Date {
      constructor(...args: ConstructorParameters<typeof Date> | []) {
        if (args.length === 0) super(time());
        else super(...args);
      }
      static override now(): number {
        return time();
      }
    }
    Object.assign(globalThis, {
      Date: Stopped,
      setTimeout: (call: unknown, ms: unknown, ...args: unknown[]) => add(call, ms, args, false),
      setInterval: (call: unknown, ms: unknown, ...args: unknown[]) => add(call, ms, args, true),
      clearTimeout: clear,
      clearInterval: clear,
    });
    performance.now = () => this.#now - this.#start;
  }

  /** Gives the page its own clock back. */
  uninstall(): void {
    if (!this.#running) return;
    this.#running = false;
    this.clear();
    const { now, ...own } = native;
    Object.assign(globalThis, own);
    performance.now = now;
  }

  set(time: number | Date): void {
    this.#now = Number(time);
  }

  clear(): void {
    this.#timers.clear();
  }

  get count(): number {
    return this.#timers.size;
  }

  /** Calls what is due within ms, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let calls = 0; this.#due(until); calls++) check(calls);
    this.#now = until;
  }

  /** The same; what a call leads to in promises comes before the next one. */
  async advanceAsync(ms: number): Promise<void> {
    const until = this.#now + ms;
    await turn();
    for (let calls = 0; this.#due(until); calls++) {
      check(calls);
      await turn();
    }
    this.#now = until;
  }

  /** Calls timers until none is left. */
  async runAll(): Promise<void> {
    await turn();
    for (let calls = 0; this.#due(Infinity); calls++) {
      check(calls);
      await turn();
    }
  }

  #due(until: number): boolean {
    let next: [number, Timer] | undefined;
    for (const entry of this.#timers) if (entry[1].at <= until && (!next || entry[1].at < next[1].at)) next = entry;
    if (!next) return false;
    const [id, timer] = next;
    this.#now = Math.max(this.#now, timer.at);
    if (timer.every === undefined) this.#timers.delete(id);
    else timer.at = this.#now + timer.every;
    timer.call();
    return true;
  }
}

function check(calls: number): void {
  if (calls > MAX_CALLS) throw new Error("timers have no end");
}

const { setTimeout: later } = globalThis;

/** Lets everything run that waits for no timer. */
const turn = (): Promise<void> => new Promise((resolve) => void later(resolve, 0));
