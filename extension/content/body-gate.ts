import type { CaptureRecord, RecordOf } from "@gasoline/capture";

/** What the gate asks of the content script. */
export interface GateEvents {
  /** Takes a record that was held back. */
  pass: (record: CaptureRecord) => void;
  /** The user's setting did not come in time; bodies are taken out until it does. */
  gaveUp: () => void;
}

/** Requests wait this long for the user's setting, from the first one on: a worker that has to be woken first is slow. */
const HOLD_MS = 2000;

/** What may wait: records, and characters of their bodies. More is let through without bodies. */
const MAX_HELD = 500;
const MAX_SIZE = 1_000_000;

/**
 * Keeps bodies in the frame unless the user wants them captured. The page reads the bodies of its first requests before
 * the setting can be known; their records wait here for it, and pass with their bodies or without.
 */
export class BodyGate {
  readonly #events: GateEvents;
  #bodies: boolean | undefined; // undefined: not known yet
  #held: RecordOf<"network">[] = []; // <= MAX_HELD
  #size = 0; // sum of sizeOf over held; <= MAX_SIZE
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waits = true; // false once the setting is known, or too late

  constructor(events: GateEvents) {
    this.#events = events;
  }

  /** Says whether a record of the page may pass now, without its bodies where they are not wanted. */
  admit(record: CaptureRecord): boolean {
    if (record.kind !== "network" || this.#bodies === true) return true;
    const size = sizeOf(record);
    if (this.#waits && this.#held.length < MAX_HELD && this.#size + size <= MAX_SIZE) {
      this.#held.push(record);
      this.#size += size;
      this.#timer ??= setTimeout(() => this.#giveUp(), HOLD_MS);
      return false;
    }
    withoutBodies(record);
    return true;
  }

  /** The user's setting is known, or another one. */
  set(bodies: boolean): void {
    this.#bodies = bodies;
    this.#waits = false;
    this.release();
  }

  /** Lets go what waits, without bodies unless they are known to be wanted: it must leave the frame now. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held;
    this.#held = [];
    this.#size = 0;
    for (const record of held) {
      if (this.#bodies !== true) withoutBodies(record);
      this.#events.pass(record);
    }
  }

  /** Drops what waits; nothing more will be asked. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#waits = false;
    this.#held = [];
  }

  #giveUp(): void {
    this.#waits = false;
    this.release();
    this.#events.gaveUp();
  }
}

function sizeOf({ event }: RecordOf<"network">): number {
  return (event.request_body?.length ?? 0) + (event.response_body?.length ?? 0);
}

/** Makes the record what it would be had the bodies never been read. */
function withoutBodies({ event }: RecordOf<"network">): void {
  delete event.request_body;
  delete event.response_body;
  if (event.request_size !== 0) event.request_body_note = "off";
  event.response_body_note = "off";
  const flags = event.flags?.filter((flag) => flag !== "truncated");
  if (flags && flags.length > 0) event.flags = flags;
  else delete event.flags;
}
