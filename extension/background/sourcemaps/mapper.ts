import { AnyMap, type SectionedSourceMapInput, type TraceMap, originalPositionFor } from "@jridgewell/trace-mapping";
import type { Cause, StackFrame } from "@gasoline/schema/wire";
import { SizedCache } from "./cache.ts";
import { decodeDataURL, sourceMapURL } from "./find.ts";
import type { LoadedAs } from "./loaded.ts";
import { isModest } from "./modest.ts";

/** An event is held this long for its maps; later it goes as it is. */
const HOLD_MS = 300;

const CACHE_SIZE = 20_000_000; // characters of map JSON
const MAX_FILE = 30_000_000; // bytes of a script or a map; a larger one is not read to its end
const MAX_LOADS = 12; // scripts at once; further ones stay unmapped until the next stack
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
  readonly #loadedAs: (url: string) => Promise<LoadedAs | undefined>;
  readonly #fetch: (url: string) => Promise<Response>;
  readonly #known = new SizedCache<Known>(CACHE_SIZE);
  readonly #loading = new Map<string, Promise<Known | undefined>>();
  readonly #failed = new Map<string, number>(); // script URL → epoch ms; bounded with the loads

  /**
   * granted says whether an origin may be asked, loadedAs what a page loaded a URL as. get fetches a file, without the
   * user's cookies.
   */
  constructor(
    granted: (url: string) => boolean,
    loadedAs: (url: string) => Promise<LoadedAs | undefined>,
    get = fetchFile,
  ) {
    this.#granted = granted;
    this.#loadedAs = loadedAs;
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
      if (this.#loading.size >= MAX_LOADS) return Promise.resolve(undefined);
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

  async #read(url: string): Promise<Known | undefined> {
    const as = await this.#loadedAs(url);
    if (!as) return undefined; // a stack can name any URL
    if (as === "document") return this.#keep(url, { map: null, ignored: new Set() }, 200);
    const response = await this.#fetch(url);
    const script = await textOf(response);
    const where = sourceMapURL(script, url, response.headers.get("SourceMap") ?? response.headers.get("X-SourceMap"));
    if (!where) return this.#keep(url, { map: null, ignored: new Set() }, 200);
    if (!where.startsWith("data:") && !isBeside(where, url)) throw new Error("map of another origin");
    const json = where.startsWith("data:") ? decodeDataURL(where) : await textOf(await this.#fetch(where));
    if (json === undefined) throw new Error("map cannot be decoded");
    // Servers may begin JSON with )]}' against inclusion as a script.
    const beside = where.startsWith("data:") ? url : where;
    const parsed = JSON.parse(json.replace(/^\)\]\}'[^\n]*\n?/, "")) as SectionedSourceMapInput;
    if (!isModest(parsed, beside)) throw new Error("map is too much");
    const map = new AnyMap(parsed, beside);
    const ignored = new Set<string>();
    for (const i of map.ignoreList ?? []) ignored.add(map.resolvedSources[i] ?? "");
    return this.#keep(url, { map, ignored }, json.length);
  }

  #keep(url: string, known: Known, size: number): Known {
    this.#known.set(url, known, size);
    return known;
  }
}

/**
 * Says whether a map may be asked for: at the script's own origin only. A script of any page names it, and the extension's
 * request is none of the page's to whoever gets it: without an Origin, and past what keeps pages from the local network.
 */
function isBeside(map: string, script: string): boolean {
  const [there, own] = [new URL(map), new URL(script)];
  // A blob: has the origin of who made it.
  return there.protocol === own.protocol && there.host === own.host && there.username + there.password === "";
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
    credentials: "omit",
    redirect: "error", // it would lead anywhere
    cache: "force-cache",
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`${response.status} for ${url}`);
  return response;
}

/** Reads a body as it comes, and gives it up when it is too large. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > MAX_FILE) {
      await reader?.cancel();
      throw new Error("too large");
    }
    text += decoder.decode(value, { stream: true });
  }
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
