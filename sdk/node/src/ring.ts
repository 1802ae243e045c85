import { type Item, Worth } from "./record.ts";

/** Bounds of what waits: events, and bytes by their own count. */
export const MAX_EVENTS = 5000;
export const MAX_BYTES = 4 << 20;
const MAX_FAILED = 512;
/** How many events of one trace are kept longer because of its error. */
const MAX_EXPLAINING = 256;

/** Queue is a first-in first-out list whose head goes in constant time. */
class Queue {
  private items: (Item | undefined)[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  peek(): Item | undefined {
    return this.items[this.head];
  }

  shift(): Item | undefined {
    const item = this.items[this.head];
    if (item === undefined) return undefined;
    this.items[this.head++] = undefined;
    if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }
}

/**
 * Ring keeps what waits to be sent: at most MAX_EVENTS and MAX_BYTES. When it is full the least worth goes first, and
 * of that the oldest; of a trace with an error, 256 events stay longer. What goes is counted.
 */
export class Ring {
  count = 0;
  bytes = 0;
  /** Dropped since the last report. */
  dropped = 0;
  /** Dropped in all. */
  lost = 0;
  private readonly queues = [new Queue(), new Queue(), new Queue(), new Queue(), new Queue()] as const;
  /** How many events of traces with an error were kept longer, by trace. */
  private readonly failed = new Map<string, number>();

  /** Adds an item. It never fails and takes constant time but for what it drops. */
  push(item: Item): void {
    if (item.worth === Worth.Error && item.trace !== "") this.fail(item.trace);
    this.queues[item.worth].push(item);
    this.count++;
    this.bytes += item.size;
    while (this.count > MAX_EVENTS || this.bytes > MAX_BYTES) this.drop();
  }

  /** Returns up to so many events and bytes, the most worth first, and at least one when there is any. */
  take(events: number, bytes: number): Item[] {
    const out: Item[] = [];
    let size = 0;
    for (let worth = Worth.Error; worth >= 0; worth--) {
      const queue = this.queues[worth as Worth];
      for (let next = queue.peek(); next && out.length < events; next = queue.peek()) {
        if (size + next.size > bytes && out.length > 0) return out;
        queue.shift();
        this.count--;
        this.bytes -= next.size;
        size += next.size;
        out.push(next);
      }
    }
    return out;
  }

  /** Drops all but errors and what belongs to their traces. */
  keepErrors(): void {
    for (const worth of [Worth.Debug, Worth.Info, Worth.Warn]) {
      const queue = this.queues[worth];
      for (let left = queue.length; left > 0; left--) {
        const item = queue.shift();
        if (!item) break;
        if (!this.explains(item)) this.forget(item);
      }
    }
  }

  private fail(trace: string): void {
    if (this.failed.has(trace)) return;
    this.failed.set(trace, 0);
    if (this.failed.size > MAX_FAILED) {
      for (const oldest of this.failed.keys()) {
        this.failed.delete(oldest);
        break;
      }
    }
  }

  private drop(): void {
    for (const queue of this.queues) {
      for (let item = queue.shift(); item; item = queue.shift()) {
        if (this.explains(item)) continue;
        this.forget(item);
        return;
      }
    }
  }

  /** Moves an item of a trace with an error up, and reports whether it did. */
  private explains(item: Item): boolean {
    const kept = item.worth < Worth.Explains ? this.failed.get(item.trace) : undefined;
    if (kept === undefined || kept >= MAX_EXPLAINING) return false;
    this.failed.set(item.trace, kept + 1);
    item.worth = Worth.Explains;
    this.queues[Worth.Explains].push(item);
    return true;
  }

  private forget(item: Item): void {
    this.count--;
    this.bytes -= item.size;
    this.dropped++;
    this.lost++;
  }
}
