import type { EventFor } from "../record.ts";
import type { Source } from "../realm.ts";
import type { ResourceSum } from "@gasoline/schema/wire";
import { epoch, now } from "../natives.ts";
import { shownURL } from "./request.ts";

/** Chrome's own members, not in every typing. */
interface Timing extends PerformanceResourceTiming {
  renderBlockingStatus?: string;
  deliveryType?: string;
  responseStatus: number;
}

/** Sums counts resources by type while they come; the buffer of the browser forgets after 250. */
export class Sums {
  private readonly byType = new Map<string, ResourceSum>();

  add(type: string, bytes: number): void {
    const sum = this.byType.get(type) ?? { type, count: 0, bytes: 0 };
    sum.count++;
    sum.bytes += bytes;
    this.byType.set(type, sum);
  }

  list(): ResourceSum[] {
    return [...this.byType.values()].sort((a, b) => b.bytes - a.bytes).slice(0, 20);
  }
}

/** resourceSource records Resource Timing: the waterfall of what the document loaded. */
export function resourceSource(sums: Sums): Source {
  return {
    name: "resources",
    start(realm, guard) {
      const started = now();
      const observer = new PerformanceObserver((entries) => {
        guard.run(() => {
          for (const entry of entries.getEntries() as Timing[]) {
            sums.add(entry.initiatorType || "other", entry.transferSize);
            const late = realm.config.lateSince && entry.responseEnd < started;
            realm.emit("waterfall", {
              ...resourceOf(entry),
              url: shownURL(entry.name, realm.config),
              flags: late ? ["late"] : undefined,
            });
          }
        });
      });
      observer.observe({ type: "resource", buffered: true });
      return () => observer.disconnect();
    },
  };
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

const phase = (from: number, to: number): number => round(Math.max(0, to - from));
const round = (ms: number): number => Math.round(ms * 10) / 10;
