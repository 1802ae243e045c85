import { bare, byteLength, cancelLater, isArray, keys, later, now, parse, quote, slice } from "./natives.ts";
import type { CaptureRecord, Kind } from "./record.ts";
import { rewrite, write } from "./write.ts";

/** Batch is what a Batcher sends, as JSON text. Records carry `seq` when the Batcher numbers them. */
export interface Batch {
  records: {
    kind: Kind;
    urgent?: boolean;
    event: { seq?: number; t: number; mono: number } & Record<string, unknown>;
  }[];
  /** by kind: records that were lost since the last batch because the buffer was full */
  dropped?: Partial<Record<Kind, number>>;
}

/** BatcherOptions says where batches go. */
export interface BatcherOptions {
  /** send takes one batch. False, or an exception, means it was not taken: the records stay and are sent again. */
  send(json: string): boolean | void;
  /** numbered puts the document's `seq` into every event, from 1 without gaps. The page side leaves that to the content side. */
  numbered: boolean;
}

const maxRecords = 500;
const maxBytes = 1 << 20;
/**
 * A burst does not wait for the timer: what fills half of the room leaves at once. So much may leave between two turns of
 * the timer; a loop that never ends must not fill the memory of who receives it.
 */
const maxBurst = 16 << 20; // bytes, 800 more for each record
const flushEvery = 100;
const retryEvery = 1000;
/** Errors leave at once, but a storm of them does not dispatch an event each. */
const urgentEvery = 20;

interface Entry {
  kind: Kind;
  head: string;
  event: string;
  size: number;
  order: number;
  next: Entry | undefined;
}

interface Queue {
  first: Entry | undefined;
  last: Entry | undefined;
}

/**
 * Batcher holds the records of one frame until they are sent: at most 500 of them and 1 MB. What does not fit pushes
 * out the oldest and is counted by kind; exceptions and failed exchanges are only pushed out by their own. Events are
 * written to JSON when they come, so later changes of the page cannot reach them. It uses linked entries because array
 * methods belong to the page.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #common: Queue = { first: undefined, last: undefined };
  readonly #spared: Queue = { first: undefined, last: undefined };
  readonly #lost: { [K in Kind]?: number } = bare({});
  #count = 0;
  #bytes = 0;
  #order = 0;
  #seq = 0;
  #timer: number | undefined;
  #sentAt = -retryEvery;
  #burstAt = -flushEvery;
  #burst = 0;
  #refused = false;
  #sending = false;
  #stopped = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  /** add takes a record. It never throws and never keeps a reference to it. */
  add(record: CaptureRecord): void {
    if (this.#stopped) return;
    this.#keep(record.kind, record.urgent === true, spares(record), write(record.event));
    this.#makeRoom();
    this.#schedule(record.urgent === true, isDialog(record));
  }

  /**
   * relay takes a whole batch of the page side's Batcher, with its losses. Only kinds that the page's realm records are
   * taken: who got hold of the channel cannot say what the user did. Other kinds are counted as lost, a text that is
   * not a batch is ignored. admit may change a record, which is a copy, and keeps it out by saying false; add takes it
   * later.
   */
  relay(json: string, admit?: (record: CaptureRecord) => boolean): void {
    if (this.#stopped) return;
    let batch: Batch;
    try {
      batch = parse(json) as Batch;
    } catch {
      return;
    }
    if (typeof batch !== "object" || batch === null || !isArray(batch.records)) return;
    let urgent = false;
    let last = false;
    for (let i = 0; i < batch.records.length; i++) {
      const record = batch.records[i] as unknown as CaptureRecord;
      if (typeof record !== "object" || record === null || !known(record.kind)) continue;
      if (typeof record.event !== "object" || record.event === null) continue;
      if (!ofPage[record.kind] && !isStateOfPage(record)) {
        this.#lose(record.kind, 1);
        continue;
      }
      if (admit && !admit(record)) continue;
      urgent ||= record.urgent === true;
      last ||= isDialog(record);
      this.#keep(record.kind, record.urgent === true, spares(record), rewrite(record.event));
      this.#makeRoom();
    }
    const lost = keys(batch.dropped ?? {});
    for (let i = 0; i < lost.length; i++) {
      const kind = lost[i] as Kind;
      if (known(kind) && ofPage[kind]) this.#lose(kind, countOf(batch.dropped?.[kind]));
    }
    this.#schedule(urgent, last);
  }

  /** flush sends what there is, now. */
  flush(): void {
    if (this.#timer !== undefined) cancelLater(this.#timer);
    this.#timer = undefined;
    // A send that itself records something must not send the same entries again.
    if (this.#sending || (this.#count === 0 && keys(this.#lost).length === 0)) return;
    this.#sending = true;
    const taken = this.#send();
    this.#sending = false;
    this.#sentAt = now();
    this.#refused = !taken;
    if (!taken) this.#wake(retryEvery);
    else if (this.#count > 0) this.#wake(flushEvery);
  }

  /** stop drops what is there; later records are ignored. */
  stop(): void {
    this.#stopped = true;
    if (this.#timer !== undefined) cancelLater(this.#timer);
    this.#timer = undefined;
  }

  #send(): boolean {
    const upTo = this.#order;
    let seq = this.#seq;
    let text = '{"records":[';
    let a = this.#spared.first;
    let b = this.#common.first;
    let separator = "";
    while (a || b) {
      const entry: Entry = a && (!b || a.order < b.order) ? a : (b as Entry);
      if (entry === a) a = a.next;
      else b = entry.next;
      const event = this.#options.numbered ? '{"seq":' + ++seq + "," + slice(entry.event, 1) : entry.event;
      text += separator + entry.head + event + "}";
      separator = ",";
    }
    text += "]" + (keys(this.#lost).length > 0 ? ',"dropped":' + write(this.#lost) : "") + "}";
    try {
      if (this.#options.send(text) === false) return false;
    } catch {
      return false;
    }
    this.#seq = seq;
    this.#forget(this.#common, upTo);
    this.#forget(this.#spared, upTo);
    const kinds = keys(this.#lost);
    for (let i = 0; i < kinds.length; i++) delete this.#lost[kinds[i] as Kind];
    return true;
  }

  #keep(kind: Kind, urgent: boolean, spared: boolean, event: string): void {
    // An event without members cannot take a number; ours always have t and mono.
    if (event.length < 3) return;
    const size = event.length < 2048 ? event.length : byteLength(event);
    if (size < 0 || size > maxBytes) return this.#lose(kind, 1);
    const head = '{"kind":' + quote(kind) + (urgent ? ',"urgent":true' : "") + ',"event":';
    push(spared ? this.#spared : this.#common, {
      kind,
      head,
      event,
      size,
      order: ++this.#order,
      next: undefined,
    });
    this.#count++;
    this.#bytes += size;
    while (this.#count > maxRecords || this.#bytes > maxBytes) this.#dropOldest();
  }

  /** makeRoom sends when half of the room is taken, unless the last batch was refused or too much has left already. */
  #makeRoom(): void {
    if (this.#refused || (this.#count < maxRecords / 2 && this.#bytes < maxBytes / 2)) return;
    if (now() - this.#burstAt >= flushEvery) {
      this.#burstAt = now();
      this.#burst = 0;
    }
    if (this.#burst >= maxBurst) return;
    this.#burst += this.#count * 800 + this.#bytes;
    this.flush();
  }

  #dropOldest(): void {
    const entry = shift(this.#common) ?? shift(this.#spared);
    if (!entry) return;
    this.#count--;
    this.#bytes -= entry.size;
    this.#lose(entry.kind, 1);
  }

  #lose(kind: Kind, count: number): void {
    if (count > 0) this.#lost[kind] = (this.#lost[kind] ?? 0) + count;
  }

  #forget(queue: Queue, upTo: number): void {
    while (queue.first && queue.first.order <= upTo) {
      this.#count--;
      this.#bytes -= queue.first.size;
      shift(queue);
    }
  }

  #schedule(urgent: boolean, last: boolean): void {
    if (this.#stopped) return;
    if (urgent && (last || now() - this.#sentAt >= urgentEvery)) this.flush();
    else this.#wake(urgent ? urgentEvery : flushEvery);
  }

  #wake(ms: number): void {
    if (this.#timer === undefined && !this.#stopped) this.#timer = later(() => this.flush(), ms);
  }
}

function spares(record: CaptureRecord): boolean {
  if (record.kind === "exceptions") return true;
  return record.kind === "network" && record.event.outcome !== "ok" && record.event.outcome !== "pending";
}

const kinds = bare<Record<Kind, true>>({
  logs: true,
  exceptions: true,
  network: true,
  waterfall: true,
  websocket: true,
  actions: true,
  dom: true,
  lifecycle: true,
  performance: true,
});

function known(kind: unknown): kind is Kind {
  return typeof kind === "string" && kinds[kind as Kind] === true;
}

/** What startPageRealm records. */
const ofPage = bare<{ [K in Kind]?: true }>({ logs: true, exceptions: true, network: true, websocket: true });

/** What the page's realm alone can tell of the document. */
const statesOfPage = bare<{ [state: string]: true }>({
  dialog_opened: true,
  dialog_closed: true,
  worker_started: true,
});

function isStateOfPage(record: CaptureRecord): boolean {
  if (record.kind !== "lifecycle") return false;
  const { state } = record.event as { state?: unknown };
  return typeof state === "string" && statesOfPage[state] === true;
}

/** A dialog holds up everything in its document: what tells of it cannot wait for a timer. */
function isDialog(record: CaptureRecord): boolean {
  if (record.kind !== "lifecycle") return false;
  const { state } = record.event as { state?: unknown };
  return state === "dialog_opened" || state === "dialog_closed";
}

const maxLost = 1e9;

function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && value <= maxLost ? floor(value) : 0;
}

const floor = Math.floor;

function push(queue: Queue, entry: Entry): void {
  if (queue.last) queue.last.next = entry;
  else queue.first = entry;
  queue.last = entry;
}

function shift(queue: Queue): Entry | undefined {
  const entry = queue.first;
  if (entry) queue.first = entry.next;
  if (!queue.first) queue.last = undefined;
  return entry;
}
