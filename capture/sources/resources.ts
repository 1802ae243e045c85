import type { EventFor } from "../record.ts";
import type { Realm, Source } from "../realm.ts";
import type { ResourceSum } from "@gasoline/schema/wire";
import { epoch, now } from "../natives.ts";
import { nextId } from "./exchange.ts";
import { shownURL } from "./request.ts";

/** Chrome's own members, not in every typing. */
interface Timing extends PerformanceResourceTiming {
  renderBlockingStatus?: string;
  deliveryType?: string;
  responseStatus: number;
}

/** What the page's realm records itself, and what a frame tells of its own document. */
const toldElsewhere = new Set(["fetch", "xmlhttprequest", "beacon", "iframe", "frame", "other", ""]);

/** Sums counts resources by type while they come; the buffer of the browser forgets after 250. */
export class Sums {
  readonly #byType = new Map<string, ResourceSum>();

  add(type: string, bytes: number): void {
    const sum = this.#byType.get(type) ?? { type, count: 0, bytes: 0 };
    sum.count++;
    sum.bytes += bytes;
    this.#byType.set(type, sum);
  }

  list(): ResourceSum[] {
    return [...this.#byType.values()].sort((a, b) => b.bytes - a.bytes).slice(0, 20);
  }
}

/**
 * resourceSource records Resource Timing: the waterfall of what the document loaded. The document's own request and
 * resources that were answered with an error status are exchanges, too. pending is called with what records the entries
 * that are over and not yet delivered; settled with what does that and tells of the document's own request.
 */
export function resourceSource(
  sums: Sums,
  settled: (settle: () => void) => void,
  pending: (take: () => void) => void,
): Source {
  return {
    name: "resources",
    start(realm, guard) {
      const started = now();
      let navigation = false;
      const tell = (entries: PerformanceEntryList): void => {
        for (const entry of entries as Timing[]) {
          if (entry.entryType === "navigation") {
            tellNavigation();
            continue;
          }
          sums.add(entry.initiatorType || "other", entry.transferSize);
          const late = realm.config.lateSince && entry.responseEnd < started;
          const resource = resourceOf(entry);
          realm.emit("waterfall", {
            ...resource,
            url: shownURL(entry.name, realm.config),
            flags: late ? ["late"] : undefined,
          });
          if (entry.responseStatus >= 400 && !toldElsewhere.has(entry.initiatorType))
            tellExchange(realm, entry, entry.initiatorType === "img" ? "image" : entry.initiatorType);
        }
      };
      // The document's entry is delivered when the page is loaded; its request is over long before.
      const tellNavigation = (): void => {
        const [entry] = performance.getEntriesByType("navigation") as unknown as Timing[];
        if (navigation || !entry?.responseEnd || !entry.responseStatus || !/^https?:/.test(entry.name)) return;
        navigation = true;
        tellExchange(realm, entry, "navigation");
      };
      const observer = new PerformanceObserver((entries) => guard.run(() => tell(entries.getEntries())));
      observer.observe({ type: "resource", buffered: true });
      const loaded = new PerformanceObserver((entries) => guard.run(() => tell(entries.getEntries())));
      loaded.observe({ type: "navigation", buffered: true });
      const take = (): void => void guard.run(() => tell(observer.takeRecords()));
      pending(take);
      settled(() => {
        take();
        guard.run(tellNavigation);
      });
      return () => {
        observer.disconnect();
        loaded.disconnect();
      };
    },
  };
}

/** tellExchange records a request that no code of the page made. Its method is not told; it is GET but for forms. */
function tellExchange(realm: Realm, entry: Timing, initiator: string): void {
  const failed = entry.responseStatus >= 400;
  const timing = resourceOf(entry);
  const end = entry.responseEnd || entry.startTime;
  realm.emit(
    "network",
    {
      t: timing.t,
      mono: timing.mono,
      request_id: "rt-" + nextId(),
      method: "GET",
      url: shownURL(entry.name, realm.config),
      status: entry.responseStatus,
      started: timing.t - (end - entry.startTime),
      ttfb: entry.responseStart > 0 ? round(entry.responseStart - entry.startTime) : undefined,
      duration: round(end - entry.startTime),
      request_size: -1,
      response_size: entry.decodedBodySize,
      transfer_size: entry.transferSize,
      content_type: initiator === "navigation" ? document.contentType : undefined,
      initiator: { type: initiator },
      outcome: failed ? "http_error" : "ok",
      protocol: timing.protocol,
      from_cache: timing.from_cache,
      server_timing: serverTiming(entry),
      flags: ["inferred"],
    },
    failed,
  );
}

function resourceOf(entry: Timing): EventFor<"waterfall"> {
  // Without Timing-Allow-Origin another origin's phases are all zero: then they are unknown, not short.
  const told = entry.requestStart > 0;
  return {
    // When it ended, on the clock of now: the time origin drifts from the wall clock while a machine sleeps.
    t: epoch() - (now() - (entry.responseEnd || entry.startTime)),
    mono: entry.responseEnd || entry.startTime,
    url: entry.name,
    initiator_type: entry.initiatorType || "other",
    start: round(entry.startTime),
    duration: round(entry.duration),
    dns: told ? phase(entry.domainLookupStart, entry.domainLookupEnd) : undefined,
    connect: told ? phase(entry.connectStart, entry.connectEnd) : undefined,
    tls: told && entry.secureConnectionStart > 0 ? phase(entry.secureConnectionStart, entry.connectEnd) : undefined,
    wait: told ? phase(entry.requestStart, entry.responseStart) : undefined,
    receive: told ? phase(entry.responseStart, entry.responseEnd) : undefined,
    transfer_size: entry.transferSize,
    encoded_size: entry.encodedBodySize,
    decoded_size: entry.decodedBodySize,
    status: entry.responseStatus || undefined,
    render_blocking: entry.renderBlockingStatus === "blocking" || undefined,
    from_cache: entry.deliveryType === "cache" || (entry.transferSize === 0 && entry.decodedBodySize > 0) || undefined,
    protocol: entry.nextHopProtocol || undefined,
  };
}

/** serverTiming writes the entries as their header had them. */
function serverTiming(entry: Timing): string | undefined {
  const list = entry.serverTiming.map(
    ({ name, duration, description }) =>
      name + (duration ? `;dur=${duration}` : "") + (description ? `;desc=${JSON.stringify(description)}` : ""),
  );
  return list.length > 0 ? list.join(", ").slice(0, 1024) : undefined;
}

const phase = (from: number, to: number): number => round(Math.max(0, to - from));
const round = (ms: number): number => Math.round(ms * 10) / 10;
