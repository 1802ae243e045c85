import type { Exception, Exchange, Lifecycle, Log, ResourceTiming } from "@gasoline/schema/wire";
import { withSalt } from "@gasoline/capture/redact";
import { type Outgoing, type Stamp, isEventKind } from "../daemon/outbox.ts";
import type { Uploader } from "../daemon/uploader.ts";
import type { ActionTimes, Stampable } from "../execution/times.ts";
import type { NetworkJoin } from "../network/join.ts";
import type { Tracer } from "../trace/tracer.ts";
import { isLoopback } from "../../state/origins.ts";
import type { LoadedFiles } from "../sourcemaps/loaded.ts";
import type { SourceMapper } from "../sourcemaps/mapper.ts";

/** Characters of frames' batches that are on their way at once. Pages have a bound of their own, a thousand frames do not. */
const MAX_FRAMES = 16_000_000;
/** Kinds of which an action that runs in the tab may be the cause. */
const IN_TIME: ReadonlySet<string> = new Set(["logs", "exceptions", "network", "websocket", "dom", "lifecycle"]);

/** Kinds that only the extension itself makes: a page could speak for the user. */
const OURS: ReadonlySet<string> = new Set(["marks", "extension_logs"]);

interface Batch {
  records?: { kind: string; event: Outgoing["event"] }[];
  dropped?: Record<string, number>;
}

/** Exchanges that a document read from its own timing carry such an id. */
const FROM_TIMING = /^rt-/;

/** What Resource Timing calls scripts; "other" are those of workers, among others. */
const SCRIPTS: ReadonlySet<string> = new Set(["script", "other", "link"]);

/**
 * The way of a document's batch through the worker: pseudonyms get their key, which no page is told, requests get what
 * the network stack saw, stacks get their sources, then it is handed to the uploader. Batches are completed beside each other, each within its own time, and handed on in
 * the order in which they came.
 */
export class Pipeline {
  readonly #join: NetworkJoin;
  readonly #mapper: SourceMapper;
  readonly #loaded: LoadedFiles;
  readonly #uploader: Uploader;
  readonly #shows: (url: string) => boolean;
  readonly #salt: () => Promise<string>;
  readonly #times: ActionTimes;
  readonly #tracer: Tracer;
  #frames = 0; // characters of frames' batches on their way; <= MAX_FRAMES
  readonly #tails = new Map<string, { tab: number; tail: Promise<void> }>(); // by document: the end of its queue

  /**
   * shows says whether Chrome shows us requests to a URL. salt keys the pseudonyms of pages; the join uses the same.
   */
  constructor(
    join: NetworkJoin,
    mapper: SourceMapper,
    loaded: LoadedFiles,
    uploader: Uploader,
    shows: (url: string) => boolean,
    salt: () => Promise<string>,
    times: ActionTimes,
    tracer: Tracer,
  ) {
    this.#join = join;
    this.#mapper = mapper;
    this.#loaded = loaded;
    this.#uploader = uploader;
    this.#shows = shows;
    this.#salt = salt;
    this.#times = times;
    this.#tracer = tracer;
  }

  /**
   * Takes a batch. done is called when its events are delivered or put aside. Where frames send more than MAX_FRAMES, the
   * events of a frame's batch are counted as lost.
   */
  take(stamp: Stamp, json: string, urgent: boolean, done: () => void): void {
    const size = stamp.frame === 0 ? 0 : json.length;
    if (this.#frames + size > MAX_FRAMES) {
      this.#uploader.addDropped(stamp, countsOf(json));
      this.#uploader.add(stamp, [], urgent);
      done();
      return;
    }
    this.#frames += size;
    const before = this.#tails.get(stamp.document)?.tail ?? Promise.resolve();
    const complete = this.#complete(stamp, json);
    const tail = before.then(async () => {
      const { events, dropped } = await complete;
      if (dropped) this.#uploader.addDropped(stamp, dropped);
      this.#uploader.add(stamp, events, urgent);
    });
    this.#tails.set(stamp.document, { tab: stamp.tab, tail });
    void tail.then(async () => {
      this.#frames -= size;
      if (this.#tails.get(stamp.document)?.tail === tail) this.#tails.delete(stamp.document);
      await this.#uploader.settle();
      done();
    });
  }

  /** Resolves when every batch that was taken so far, of one tab or of all, is with the uploader. */
  async idle(tab?: number): Promise<void> {
    const asked = [...this.#tails.values()].filter((of) => tab === undefined || of.tab === tab);
    await Promise.all(asked.map(({ tail }) => tail));
  }

  async #complete(stamp: Stamp, json: string): Promise<{ events: Outgoing[]; dropped?: Record<string, number> }> {
    let batch: Batch;
    try {
      batch = JSON.parse(withSalt(json, await this.#salt())) as Batch;
      await this.#tracer.known(stamp.document);
    } catch {
      return { events: [], dropped: { batch: 1 } };
    }
    const records = batch.records ?? [];
    // A script that fails when it is first run is in the same batch as the word that it was loaded.
    for (const { kind, event } of records) if (kind === "waterfall") this.#timing(stamp, event as ResourceTiming);
    const events = await Promise.all(
      records.flatMap(({ kind, event }) => {
        if (!isEventKind(kind) || OURS.has(kind)) return [];
        if (IN_TIME.has(kind)) this.#times.stamp(stamp.tab, event as Stampable);
        const exchange = kind === "network" ? (event as Exchange) : undefined;
        if (exchange) this.#tracer.exchange(stamp, exchange);
        else if (kind === "lifecycle") this.#tracer.lifecycle(stamp.document, event as Lifecycle);
        // What the document saw of it is the lesser part of what Chrome shows.
        if (exchange && FROM_TIMING.test(exchange.request_id) && this.#shows(exchange.url)) return [];
        if (exchange?.outcome !== "pending") return [this.#event(stamp, { kind, event })];
        void this.#follow(stamp, exchange);
        return [];
      }),
    );
    return { events, ...(batch.dropped && { dropped: batch.dropped }) };
  }

  #timing(stamp: Stamp, timing: ResourceTiming): void {
    // What a page elsewhere loads of this machine is not asked for again: the extension's request is none of that page's.
    const far = isLoopback(timing.url) && !isLoopback(stamp.page_url);
    if (SCRIPTS.has(timing.initiator_type) && !far) void this.#loaded.add(timing.url, "script");
    else if (timing.initiator_type === "beacon") this.#join.timed(stamp.document, timing);
  }

  /** A request without an end so far is listed once: when it ended, or when that takes long. */
  async #follow(stamp: Stamp, exchange: Exchange): Promise<void> {
    const event = await this.#join.follow(stamp.document, exchange);
    if (event) this.#uploader.add(stamp, [{ kind: "network", event }], false);
  }

  async #event(stamp: Stamp, { kind, event }: Outgoing): Promise<Outgoing> {
    if (kind === "network") {
      this.#join.told(stamp.document, event as Exchange);
      return { kind, event: await this.#join.complete(stamp.document, event as Exchange) };
    }
    if (kind === "exceptions") return { kind, event: await this.#mapper.map(event as Exception) };
    if (kind === "logs" && (event as Log).stack) return { kind, event: await this.#mapper.map(event as Log) };
    return { kind, event };
  }
}

/** How many events of each kind a batch has, without reading it: in a text of a page the quotes would be escaped. */
function countsOf(json: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [, kind = ""] of json.matchAll(/\{"kind":"([a-z]+)"/g)) {
    if (isEventKind(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
