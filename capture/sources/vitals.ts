import type { Vital } from "@gasoline/schema/wire";
import { onCLS, onFCP, onINP, onLCP, onTTFB, type Metric } from "web-vitals/attribution";
import { elementText } from "../element-text.ts";
import { cancelLater, later } from "../natives.ts";
import type { EventFor } from "../record.ts";
import type { Guard } from "../guard.ts";
import type { Realm, Source } from "../realm.ts";
import { write } from "../write.ts";
import { LongTasks } from "./long-tasks.ts";
import { shownURL } from "./request.ts";
import type { Sums } from "./resources.ts";

const tellEvery = 1000;
const maxAttribution = 1000;
const maxText = 200;
/** The library cannot be stopped, only started over; each time costs five observers. */
const maxStarts = 5;

type Name = "lcp" | "cls" | "inp" | "fcp" | "ttfb";

/** Page is what is known of one navigation, hard or soft. */
interface Page {
  url: string;
  type: string;
  soft: boolean;
  vitals: Partial<Record<Name, Vital>>;
}

/**
 * Vitals keeps the web vitals so far and tells snapshots of them, at most one a second, and at once when the page is
 * hidden: from then on they are final, unless the page is shown again and a value changes. LCP is final with the first
 * input, FCP and TTFB when they are known.
 */
class Vitals {
  readonly #realm: Realm;
  readonly #guard: Guard;
  readonly #sums: Sums;
  readonly #tasks: LongTasks;
  #page: Page = { url: location.href, type: "", soft: false, vitals: {} };
  #id: string | undefined;
  #timer: number | undefined;
  #dirty = false;
  #navigation: PerformanceNavigationTiming | undefined; // kept: looking it up costs more than the rest

  constructor(realm: Realm, guard: Guard, sums: Sums, tasks: LongTasks) {
    this.#realm = realm;
    this.#guard = guard;
    this.#sums = sums;
    this.#tasks = tasks;
  }

  take(metric: Metric): void {
    const soft = metric.navigationType === "soft-navigation";
    const id = metric.navigationType + metric.navigationId;
    // Another navigation, or the same page back from the cache: what was measured belongs to the one before.
    if (this.#id !== undefined && this.#id !== id && (soft || metric.navigationType === "back-forward-cache")) {
      this.tell(true);
      this.#page = {
        url: metric.navigationURL ?? location.href,
        type: metric.navigationType,
        soft,
        vitals: {},
      };
    }
    this.#id = id;
    this.#page.type = metric.navigationType;
    const name = metric.name.toLowerCase() as Name;
    const final = name === "fcp" || name === "ttfb" || document.visibilityState === "hidden";
    this.#page.vitals[name] = {
      value: Math.round(metric.value * 10_000) / 10_000,
      rating: metric.rating,
      final,
      attribution: attributionOf(metric),
    };
    this.changed();
  }

  /** inputGiven makes LCP final: the browser stops looking for larger elements. */
  inputGiven(): void {
    const lcp = this.#page.vitals.lcp;
    if (!lcp || lcp.final) return;
    lcp.final = true;
    this.changed();
  }

  /** changed asks for a snapshot soon. */
  changed(): void {
    this.#dirty = true;
    this.#timer ??= later(() => void this.#guard.run(() => this.tell(false)), tellEvery);
  }

  /** tell emits a snapshot if there is anything new. */
  tell(final: boolean): void {
    if (this.#timer !== undefined) cancelLater(this.#timer);
    this.#timer = undefined;
    if (!this.#dirty) return;
    this.#dirty = false;
    const { vitals } = this.#page;
    if (final) for (const vital of Object.values(vitals)) vital.final = true;
    this.#realm.emit("performance", this.#snapshot(), final);
  }

  stop(): void {
    if (this.#timer !== undefined) cancelLater(this.#timer);
  }

  #snapshot(): EventFor<"performance"> {
    this.#navigation ??= performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
    const navigation = this.#navigation;
    const { url, type, soft, vitals } = this.#page;
    const tasks = this.#tasks.list();
    const resources = this.#sums.list();
    return {
      ...this.#realm.at(),
      url: shownURL(url, this.#realm.config),
      navigation_type: type || navigation?.type,
      dom_content_loaded: (!soft && Math.round(navigation?.domContentLoadedEventEnd ?? 0)) || undefined,
      load: (!soft && Math.round(navigation?.loadEventEnd ?? 0)) || undefined,
      ...vitals,
      long_tasks: tasks.length > 0 ? tasks : undefined,
      resources: resources.length > 0 ? resources : undefined,
      soft: soft || undefined,
    };
  }
}

/** vitalSource measures with web-vitals, reporting every change and not only the last value. */
export function vitalSource(sums: Sums, settled: (settle: () => void) => void): Source {
  return {
    name: "vitals",
    start(realm, guard) {
      const tasks = new LongTasks();
      const vitals = new Vitals(realm, guard, sums, tasks);
      let live = true;
      let starts = 0;
      let root: Element | null = null;
      const measure = (): void => {
        const now = document.documentElement as Element | null;
        if (starts > 0 && (starts === maxStarts || now === root || now === null)) return;
        root = now;
        const start = ++starts;
        const take = (metric: Metric): void => {
          if (live && start === starts) guard.run(() => vitals.take(metric));
        };
        const options = { reportAllChanges: true, reportSoftNavs: true };
        onTTFB(take, options);
        onFCP(take, options);
        onLCP(take, options);
        onCLS(take, options);
        onINP(take, options);
      };
      const unwatch = tasks.watch(() => void guard.run(() => vitals.changed()));
      settled(() => void guard.run(() => vitals.tell(false)));
      // A document that was written over has another root, and has lost the library's listeners with ours.
      realm.attached(measure);
      const hidden = (): void => {
        if (document.visibilityState === "hidden") vitals.tell(true);
      };
      realm.hear(guard, document, "visibilitychange", hidden, false);
      realm.hear(guard, window, "pagehide", () => vitals.tell(true), false);
      realm.hear(guard, window, "load", () => void later(() => void guard.run(() => vitals.changed()), 0));
      for (const name of ["keydown", "pointerdown"]) {
        realm.hear(guard, window, name, (event) => {
          if (event.isTrusted) vitals.inputGiven();
        });
      }
      return () => {
        live = false;
        vitals.stop();
        unwatch();
      };
    },
  };
}

/** What the last entry is about, for a script that is built with the library without attribution. */
function subjectOf({ entries }: Metric): object {
  const last = entries.at(-1) as
    | { element?: Element; target?: Node; sources?: { node?: Node }[]; url?: string }
    | undefined;
  const node = last?.element ?? last?.target ?? last?.sources?.[0]?.node;
  return { target: node instanceof Element ? elementText(node) : undefined, url: last?.url };
}

/** Texts and numbers only: the entries behind them are large and live. At most 1 kB. */
function attributionOf(metric: Metric & { attribution?: object }): Record<string, string | number> {
  const attribution = metric.attribution ?? subjectOf(metric);
  const told: Record<string, string | number> = {};
  let left = maxAttribution;
  for (const [name, value] of Object.entries(attribution) as [string, unknown][]) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const short = typeof value === "string" ? value.slice(0, maxText) : Math.round(value * 100) / 100;
    left -= name.length + write(short).length + 4;
    if (left < 0) break;
    told[name] = short;
  }
  return told;
}
