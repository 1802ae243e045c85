import { AnyMap, type TraceMap, originalPositionFor } from "@jridgewell/trace-mapping";
import type { Cause, StackFrame } from "@gasoline/schema/wire";
import { SizedCache } from "./cache.ts";
import { decodeDataURL, sourceMapURL } from "./find.ts";

/** An event is held this long for its maps; later it goes as it is. */
const HOLD_MS = 300;

const CACHE_SIZE = 20_000_000; // characters of map JSON
const MAX_SCRIPT = 30_000_000; // bytes; a larger one is not looked at
const FORGET_FAILURE_MS = 60_000;

/** What is known of a script's map. null: the script has none, it is the source itself. */
interface Known {
  map: TraceMap | null;
  ignored: ReadonlySet<string>;
}

/** An event whose stacks can be mapped: a log, or an exception with its causes. */
export interface Stacked {
  stack?: StackFrame[];
  cause?: Cause[];
  flags?: string[];
}

/** Translates stack frames to the sources they were built from. Raw positions always stay. */
export class SourceMapper {
  readonly #granted: (url: string) => boolean;
  readonly #fetch: (url: string) => Promise<Response>;
  readonly #known = new SizedCache<Known>(CACHE_SIZE);
  readonly #loading = new Map<string, Promise<Known | undefined>>();
  readonly #failed = new Map<string, number>(); // script URL → epoch ms; bounded with the loads

  /** granted says whether an origin may be asked; fetch gets a file with the user's cookies. */
  constructor(granted: (url: string) => boolean, get = fetchFile) {
    this.#granted = granted;
    this.#fetch = get;
  }

  /** Maps an event's stacks. Flags it "unmapped" when a map could not be had in time. */
  async map<T extends Stacked>(event: T): Promise<T> {
    const stacks = [event.stack, ...(event.cause ?? []).map((cause) => cause.stack)];
    const scripts = new Set(stacks.flatMap((stack) => (stack ?? []).map((frame) => frame.url)));
    const wanted = [...scripts].filter((url) => this.#granted(url));
    if (wanted.length === 0) return event;
    const found = await within(HOLD_MS, Promise.all(wanted.map((url) => this.#load(url))));
    const maps = new Map<string, Known>();
    let missing = found === undefined;
    for (const [i, url] of wanted.entries()) {
      const known = found?.[i] ?? this.#known.get(url);
      if (known) maps.set(url, known);
      else missing = true;
    }
    const mapStack = (stack: StackFrame[] | undefined) => stack?.map((frame) => mapFrame(frame, maps.get(frame.url)));
    const mapped: T = { ...event };
    if (event.stack) mapped.stack = mapStack(event.stack) ?? [];
    if (event.cause) {
      mapped.cause = event.cause.map((cause) =>
        cause.stack ? { ...cause, stack: mapStack(cause.stack) ?? [] } : cause,
      );
    }
    if (missing) mapped.flags = [...(event.flags ?? []), "unmapped"];
    return mapped;
  }

  #load(url: string): Promise<Known | undefined> {
    const known = this.#known.get(url);
    if (known) return Promise.resolve(known);
    const failedAt = this.#failed.get(url);
    if (failedAt !== undefined && Date.now() - failedAt < FORGET_FAILURE_MS) return Promise.resolve(undefined);
    let loading = this.#loading.get(url);
    if (!loading) {
      loading = this.#read(url)
        .catch(() => {
          if (this.#failed.size > 500) this.#failed.clear();
          this.#failed.set(url, Date.now());
          return undefined;
        })
        .finally(() => this.#loading.delete(url));
      this.#loading.set(url, loading);
    }
    return loading;
  }

  async #read(url: string): Promise<Known> {
    const response = await this.#fetch(url);
    const script = await response.text();
    const where = sourceMapURL(script, url, response.headers.get("SourceMap") ?? response.headers.get("X-SourceMap"));
    if (!where) return this.#keep(url, { map: null, ignored: new Set() }, 200);
    if (!where.startsWith("data:") && !this.#granted(where)) throw new Error("map on an origin that was not granted");
    const json = where.startsWith("data:") ? decodeDataURL(where) : await (await this.#fetch(where)).text();
    if (json === undefined) throw new Error("map cannot be decoded");
    // Servers may begin JSON with )]}' against inclusion as a script.
    const map = new AnyMap(json.replace(/^\)\]\}'[^\n]*\n?/, ""), where.startsWith("data:") ? url : where);
    const ignored = new Set<string>();
    for (const i of map.ignoreList ?? []) ignored.add(map.resolvedSources[i] ?? "");
    return this.#keep(url, { map, ignored }, json.length);
  }

  #keep(url: string, known: Known, size: number): Known {
    this.#known.set(url, known, size);
    return known;
  }
}

function mapFrame(frame: StackFrame, known: Known | undefined): StackFrame {
  if (!known) return frame;
  const ownCode = (path: string) => !/\/node_modules\/|^webpack\/|\/webpack\/(bootstrap|runtime)/.test(path);
  if (!known.map) return { ...frame, in_app: ownCode(frame.url) };
  // Positions on the wire count from 1; the library's columns from 0.
  const position = originalPositionFor(known.map, { line: frame.line, column: Math.max(0, frame.column - 1) });
  if (position.source === null || position.line === null) return frame;
  return {
    ...frame,
    function: position.name ?? frame.function,
    source: position.source,
    source_line: position.line,
    source_column: (position.column ?? 0) + 1,
    in_app: !known.ignored.has(position.source) && ownCode(position.source),
  };
}

async function fetchFile(url: string): Promise<Response> {
  const response = await fetch(url, {
    credentials: "include",
    cache: "force-cache",
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`${response.status} for ${url}`);
  if (Number(response.headers.get("content-length") ?? 0) > MAX_SCRIPT) throw new Error("too large");
  return response;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const first = await Promise.race([work, late]);
  clearTimeout(timer);
  return first;
}
