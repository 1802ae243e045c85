import type { Exchange, Lifecycle } from "@gasoline/schema/wire";
import { originOf } from "../../state/origins.ts";
import { replace, rules } from "./browser.ts";
import { type TraceContext, carriedBy, carries, isTraced, newContext, rulesFor } from "./context.ts";

/** Documents whose context is remembered, and sites that trace their requests themselves. */
const MAX_DOCUMENTS = 200;
const MAX_OWN = 100;

/**
 * A tab keeps a context for so long, ms. Each change of rules makes Chrome forget the pages that it could go back to at
 * once, so that it must not be one for each page.
 */
const KEEP_MS = 10 * 60_000;

/** What the tracer asks of others. */
interface Surroundings {
  /** Whether requests are traced at all, and for which hosts beyond this machine. */
  wish(): { trace: boolean; traceSites: readonly string[] };
  /** Origins that were found to send a traceparent of their own; kept over the browser's end. */
  own: { read(): Promise<string[]>; write(origins: string[]): Promise<void> };
}

/** The document that an event is of. */
interface Place {
  tab: number;
  document: string;
}

/** What requests of a document carry. */
interface Visit {
  tab: number;
  url: string;
  now: TraceContext;
  /** What they carried until Chrome had new rules; undefined: nothing. */
  before: TraceContext | undefined;
  /** Epoch ms from when on requests carry now. */
  since: number;
}

/**
 * Gives the requests of traced pages a W3C trace context, so that services can tell what they did for them. The requests of
 * one page visit share a trace; which span answers which of them is told by method, path and time. A site whose own
 * requests carry a traceparent is left alone from then on: its ids are the ones that its services know.
 */
export class Tracer {
  readonly #around: Surroundings;
  readonly #visits = new Map<string, Visit>(); // by document
  readonly #showing = new Map<string, Promise<void>>(); // by document: until it is known what its requests carry
  readonly #carried = new Map<number, TraceContext>(); // by tab: what Chrome's rules set
  readonly #made = new Map<number, number>(); // by tab: epoch ms of its context
  #own = new Set<string>();
  #ready: Promise<void> | undefined;
  #queue: Promise<void> = Promise.resolve(); // changes of rules, one after the other

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Reads what an earlier life left: Chrome keeps the rules, and they hold the ids. */
  load(): Promise<void> {
    this.#ready ??= (async () => {
      const [present, own] = await Promise.all([rules(), this.#around.own.read()]);
      for (const [tab, carried] of carriedBy(present)) this.#carried.set(tab, carried);
      this.#own = new Set(own);
    })();
    return this.#ready;
  }

  /** A tab shows a new document. What the user wants is known when wish has ended. */
  showed(tab: number, document: string, url: string, wish: Promise<void>): Promise<void> {
    let known = (): void => {};
    this.#showing.set(document, new Promise((resolve) => (known = resolve)));
    return this.#change(async () => {
      await wish;
      await this.#show(tab, document, url, known);
    }).finally(() => {
      known();
      this.#showing.delete(document);
    });
  }

  /** Resolves when it is known what the requests of a document carry: before, nothing can be written into its events. */
  known(document: string): Promise<void> | undefined {
    return this.#showing.get(document);
  }

  async #show(tab: number, document: string, url: string, known: () => void): Promise<void> {
    const carried = this.#carried.get(tab);
    if (!this.#wanted(url)) {
      if (carried) await this.#remove([tab]);
      return;
    }
    const made = this.#made.get(tab) ?? 0;
    if (carried && (made === 0 || Date.now() - made < KEEP_MS)) {
      if (made === 0) this.#made.set(tab, Date.now()); // an earlier life of the worker made it
      this.#remember(document, { tab, url, now: carried, before: carried, since: 0 });
      return;
    }
    const visit: Visit = { tab, url, now: newContext(), before: carried, since: Infinity };
    this.#remember(document, visit);
    known();
    await this.#set(tab, visit.now);
    visit.since = Date.now();
  }

  /** A tab was closed. */
  closed(tab: number): Promise<void> {
    return this.#change(async () => {
      for (const [document, visit] of this.#visits) if (visit.tab === tab) this.#visits.delete(document);
      if (this.#carried.has(tab)) await this.#remove([tab]);
    });
  }

  /** The user changed what is traced. Pages that are open keep their rules or lose them; none gets new ones. */
  settingsChanged(): Promise<void> {
    return this.#change(async () => {
      const gone = [...this.#visits].filter(([, { url }]) => !this.#wanted(url));
      for (const [document] of gone) this.#visits.delete(document);
      const tabs = new Set([...this.#visits.values()].map(({ tab }) => tab));
      await this.#remove([...this.#carried.keys()].filter((tab) => !tabs.has(tab)));
    });
  }

  /** Writes into a document's request which trace it carried, or learns that the page traces its requests itself. */
  exchange({ tab, document }: Place, exchange: Exchange): void {
    const visit = this.#visitOf(tab, document);
    if (!visit) return;
    const header = exchange.request_headers?.find(({ name }) => name.toLowerCase() === "traceparent")?.value;
    if (header !== undefined) {
      const ours = [visit.now, visit.before].some((context) => context && header.includes(context.trace));
      if (!ours) void this.#leaveAlone(originOf(visit.url));
      return;
    }
    if (exchange.trace_id !== undefined || !carries(exchange.url, visit.url, this.#around.wish().traceSites)) return;
    const started = exchange.started ?? exchange.t;
    const at = started >= visit.since ? visit.now : visit.before;
    if (at) exchange.trace_id = at.trace;
  }

  /** Names in the begin of a document the span that its requests call their parent. */
  lifecycle(document: string, event: Lifecycle): void {
    const visit = this.#visits.get(document);
    if (!visit || event.state !== "document_start") return;
    event.trace_id = visit.now.trace;
    event.span_id = visit.now.span;
  }

  /** The visit of a document, or of the page that it is a frame of. */
  #visitOf(tab: number, document: string): Visit | undefined {
    const own = this.#visits.get(document);
    if (own) return own;
    let latest: Visit | undefined;
    for (const visit of this.#visits.values()) if (visit.tab === tab) latest = visit;
    return latest;
  }

  async #leaveAlone(origin: string): Promise<void> {
    if (origin === "" || this.#own.has(origin)) return;
    this.#own.add(origin);
    const kept = [...this.#own].slice(-MAX_OWN);
    await this.#around.own.write(kept);
    await this.settingsChanged();
  }

  #wanted(url: string): boolean {
    const { trace, traceSites } = this.#around.wish();
    return trace && isTraced(url, traceSites) && !this.#own.has(originOf(url));
  }

  #remember(document: string, visit: Visit): void {
    for (const [old, { tab }] of this.#visits) {
      // The last document of a tab may still have something to say.
      if (this.#visits.size >= MAX_DOCUMENTS || (tab === visit.tab && this.#count(tab) > 1)) this.#visits.delete(old);
    }
    this.#visits.set(document, visit);
  }

  #count(tab: number): number {
    let n = 0;
    for (const visit of this.#visits.values()) if (visit.tab === tab) n++;
    return n;
  }

  async #set(tab: number, carried: TraceContext): Promise<void> {
    const present = await rules();
    const old = present.filter(({ condition }) => condition.tabIds?.[0] === tab).map(({ id }) => id);
    const first = Math.max(0, ...present.map(({ id }) => id)) + 1;
    await replace(old, rulesFor(tab, carried, this.#around.wish().traceSites, first));
    this.#carried.set(tab, carried);
    this.#made.set(tab, Date.now());
  }

  async #remove(tabs: number[]): Promise<void> {
    if (tabs.length === 0) return;
    const present = await rules();
    await replace(
      present.filter(({ condition }) => tabs.includes(condition.tabIds?.[0] ?? -1)).map(({ id }) => id),
      [],
    );
    for (const tab of tabs) {
      this.#carried.delete(tab);
      this.#made.delete(tab);
    }
  }

  /** Runs a change after those before it. One that fails leaves the requests untraced, and the next ones in order. */
  #change(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue
      .then(() => this.load())
      .then(work, work)
      .catch(() => undefined);
    return this.#queue;
  }
}
