import type { Builtins } from "./builtins.ts";
import { Guard, type Turn } from "./guard.ts";
import { epoch, listen, now, unlisten } from "./natives.ts";
import type { Scope } from "./scope.ts";
import type { Stop } from "./patch.ts";
import type { Capture, CaptureConfig, CaptureRecord, EventFor, Kind, SourceHealth } from "./record.ts";

/** Source is one thing that can be watched. start is called once per realm; what it returns ends it. */
export interface Source {
  name: string;
  start(realm: Realm, guard: Guard): Stop;
}

/** Realm is what sources of one window share: where records go, the settings, the clock, whose turn it is. */
export class Realm implements Capture {
  config: CaptureConfig;
  /** which action leads to what; the page's realm has one */
  readonly scope: Scope | undefined;
  readonly #builtins: Builtins | undefined;
  readonly #emitTo: (record: CaptureRecord) => void;
  readonly #turn: Turn = { taken: false };
  // Linked, because the page owns the array methods.
  #running: { guard: Guard; stop: Stop; next: Running } | undefined;
  #attaching: { attach: () => void; next: Attaching } | undefined;
  #hearing: { end: () => void; next: Hearing } | undefined;
  #live = true;

  constructor(env: { emit(record: CaptureRecord): void; config: CaptureConfig; builtins?: Builtins }, scope?: Scope) {
    this.config = { ...env.config };
    this.#emitTo = env.emit;
    this.#builtins = env.builtins;
    this.scope = scope;
  }

  /** start adds a source. One that cannot start is counted as failed; the others do not notice. */
  start(source: Source): void {
    const guard = new Guard(source.name, this.#turn, this.#builtins);
    let stop: Stop = () => {};
    try {
      // Not under the guard: a source may have something to tell at once.
      stop = source.start(this, guard);
    } catch {
      guard.fail();
    }
    this.#running = { guard, stop, next: this.#running };
  }

  /** emit hands a record on, unless capture was stopped. */
  emit<K extends Kind>(kind: K, event: EventFor<K>, urgent = false): void {
    if (!this.#live) return;
    // Of a request the cause is what made it, which report knows.
    if (kind !== "network") this.scope?.stamp(event, kind === "exceptions");
    this.#emitTo({ kind, urgent: urgent || undefined, event } as unknown as CaptureRecord);
  }

  /** at is the time stamp that every event starts with. */
  at(): { t: number; mono: number } {
    return { t: epoch(), mono: now() };
  }

  /** attached runs attach now and whenever document.open() has removed listeners. */
  attached(attach: () => void): void {
    this.#attaching = { attach, next: this.#attaching };
    attach();
  }

  /** hear listens under a guard, also after document.open() has removed listeners, until capture ends. */
  hear(
    guard: Guard,
    target: EventTarget,
    name: string,
    work: (event: Event) => void,
    how: boolean | AddEventListenerOptions = true,
  ): void {
    const heard = (event: Event): void => void guard.run(() => work(event));
    this.attached(() => listen(target, name, heard, how));
    this.#hearing = { end: () => unlisten(target, name, heard, how), next: this.#hearing };
  }

  reattach(): void {
    for (let at = this.#attaching; at; at = at.next) at.attach();
  }

  stop(): void {
    this.#live = false;
    for (let at = this.#running; at; at = at.next) at.stop();
    for (let at = this.#hearing; at; at = at.next) at.end();
    this.#running = undefined;
    this.#attaching = undefined;
    this.#hearing = undefined;
  }

  configure(change: Partial<CaptureConfig>): void {
    this.config = { ...this.config, ...change };
  }

  health(): SourceHealth[] {
    const all: SourceHealth[] = [];
    for (let at = this.#running; at; at = at.next) all[all.length] = at.guard.health();
    return all;
  }
}

type Running = { guard: Guard; stop: Stop; next: Running } | undefined;
type Hearing = { end: () => void; next: Hearing } | undefined;
type Attaching = { attach: () => void; next: Attaching } | undefined;
