import type { Exception, Exchange, Log } from "@gasoline/schema/wire";
import { type Outgoing, type Stamp, isEventKind } from "../daemon/outbox.ts";
import type { Uploader } from "../daemon/uploader.ts";
import type { ActionTimes, Stampable } from "../execution/times.ts";
import type { NetworkJoin } from "../network/join.ts";
import type { SourceMapper } from "../sourcemaps/mapper.ts";

/** Kinds of which an action that runs in the tab may be the cause. */
const IN_TIME: ReadonlySet<string> = new Set(["logs", "exceptions", "network", "websocket", "dom", "lifecycle"]);

interface Batch {
  records?: { kind: string; event: Outgoing["event"] }[];
  dropped?: Record<string, number>;
}

/**
 * The way of a document's batch through the worker: requests get what the network stack saw, stacks get their sources,
 * then it is handed to the uploader. Batches are completed beside each other, each within its own time, and handed on in
 * the order in which they came.
 */
export class Pipeline {
  readonly #join: NetworkJoin;
  readonly #mapper: SourceMapper;
  readonly #uploader: Uploader;
  readonly #times: ActionTimes;
  readonly #tails = new Map<string, Promise<void>>(); // by document: the end of its queue

  constructor(join: NetworkJoin, mapper: SourceMapper, uploader: Uploader, times: ActionTimes) {
    this.#join = join;
    this.#mapper = mapper;
    this.#uploader = uploader;
    this.#times = times;
  }

  /** Takes a batch. done is called when its events are delivered or put aside. */
  take(stamp: Stamp, json: string, urgent: boolean, done: () => void): void {
    const before = this.#tails.get(stamp.document) ?? Promise.resolve();
    const complete = this.#complete(stamp, json);
    const tail = before.then(async () => {
      const { events, dropped } = await complete;
      if (dropped) this.#uploader.addDropped(stamp, dropped);
      this.#uploader.add(stamp, events, urgent);
    });
    this.#tails.set(stamp.document, tail);
    void tail.then(async () => {
      if (this.#tails.get(stamp.document) === tail) this.#tails.delete(stamp.document);
      await this.#uploader.settle();
      done();
    });
  }

  /** Resolves when every batch that was taken so far is with the uploader. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }

  async #complete(stamp: Stamp, json: string): Promise<{ events: Outgoing[]; dropped?: Record<string, number> }> {
    let batch: Batch;
    try {
      batch = JSON.parse(json) as Batch;
    } catch {
      return { events: [], dropped: { batch: 1 } };
    }
    const events = await Promise.all(
      (batch.records ?? []).flatMap(({ kind, event }) => {
        if (!isEventKind(kind)) return [];
        if (IN_TIME.has(kind)) this.#times.stamp(stamp.tab, event as Stampable);
        const exchange = kind === "network" ? (event as Exchange) : undefined;
        if (exchange?.outcome !== "pending") return [this.#event(stamp, { kind, event })];
        void this.#follow(stamp, exchange);
        return [];
      }),
    );
    return { events, ...(batch.dropped && { dropped: batch.dropped }) };
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
