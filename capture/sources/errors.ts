import type { EventFor } from "../record.ts";
import type { Realm, Source } from "../realm.ts";
import type { Guard } from "../guard.ts";
import { elementText } from "../element-text.ts";
import { causesOf, shapeOf, type ErrorShape } from "../error-shape.ts";
import {
  descriptor,
  getter,
  hasOwn,
  indexOf,
  later,
  lower,
  mapClear,
  mapDelete,
  mapGet,
  mapSet,
  method,
  NativeMap,
  slice,
  startsWith,
} from "../natives.ts";
import { redactURL } from "../redact.ts";
import { writeCause } from "../scope.ts";
import { budgetOf, serialize } from "../serialize.ts";
import { framesOf, isOurs } from "../stack.ts";
import { callOf } from "./json.ts";
import { Loads } from "./loads.ts";
import { absolute } from "./request.ts";

const errorOf = getter<unknown>("ErrorEvent", "error");
const messageOf = getter<string>("ErrorEvent", "message");
const fileOf = getter<string>("ErrorEvent", "filename");
const lineOf = getter<number>("ErrorEvent", "lineno");
const columnOf = getter<number>("ErrorEvent", "colno");
const reasonOf = getter<unknown>("PromiseRejectionEvent", "reason");
const targetOf = getter<EventTarget | null>("Event", "target");
const detailOf = getter<unknown>("CustomEvent", "detail");
/** What an element was to load: the accessors of the elements that can fail to. */
const sources = [
  getter<unknown>("HTMLImageElement", "currentSrc"),
  getter<unknown>("HTMLImageElement", "src"),
  getter<unknown>("HTMLScriptElement", "src"),
  getter<unknown>("HTMLLinkElement", "href"),
  getter<unknown>("HTMLMediaElement", "currentSrc"),
  getter<unknown>("HTMLMediaElement", "src"),
  getter<unknown>("HTMLSourceElement", "src"),
  getter<unknown>("HTMLIFrameElement", "src"),
  getter<unknown>("HTMLEmbedElement", "src"),
  getter<unknown>("HTMLObjectElement", "data"),
  getter<unknown>("HTMLTrackElement", "src"),
  getter<unknown>("HTMLInputElement", "src"),
  getter<unknown>("SVGImageElement", "href"),
];

type Exception = EventFor<"exceptions">;

const repeatsFor = 1000;
const maxRepeats = 200;

/**
 * Errors turns what went wrong into exceptions. The first of its kind is emitted at once; equal ones (type, message,
 * top frame) within a second are counted and emitted once more with the count.
 */
export class Errors {
  readonly #realm: Realm;
  readonly #recent = new NativeMap<string, { event: Exception; more: number }>();
  #size = 0;

  constructor(realm: Realm) {
    this.#realm = realm;
  }

  /** textOf is a short text of a thrown value that is no error. */
  readonly textOf = (value: unknown): string =>
    serialize(value, budgetOf({ depth: 3, width: 20, nodes: 50, chars: 1000 }, this.#realm.config.salt));

  /** report emits an exception, or counts it with its like. */
  report(event: Exception): void {
    const top = event.stack && event.stack.length > 0 ? event.stack[0] : undefined;
    // What another action led to is told, however alike it is.
    const key =
      (this.#realm.scope?.cause(true)?.action ?? "") +
      "\n" +
      event.mechanism +
      "\n" +
      event.type +
      "\n" +
      event.message +
      "\n" +
      (top ? top.url + ":" + top.line + ":" + top.column : event.url);
    const before = mapGet(this.#recent, key) as { event: Exception; more: number } | undefined;
    if (before) {
      before.more++;
      before.event = event;
      return;
    }
    if (++this.#size > maxRepeats) {
      mapClear(this.#recent);
      this.#size = 1;
    }
    const entry = { event, more: 0 };
    mapSet(this.#recent, key, entry);
    later(() => {
      if (mapGet(this.#recent, key) !== entry) return;
      mapDelete(this.#recent, key);
      this.#size--;
      if (entry.more > 0) this.#realm.emit("exceptions", { ...entry.event, count: entry.more }, true);
    }, repeatsFor);
    this.#realm.emit("exceptions", event, true);
  }

  /** exception makes the event of something that was thrown. */
  exception(thrown: unknown, mechanism: string): Exception {
    const shape: ErrorShape = shapeOf(thrown, this.textOf);
    const frames = shape.frames.length > 0 ? shape.frames : framesOf(callOf(thrown)?.stack);
    const top = frames.length > 0 ? frames[0] : undefined;
    const { t, mono } = this.#realm.at();
    return {
      t,
      mono,
      type: shape.type,
      message: shape.message,
      stack: frames.length > 0 ? frames : undefined,
      raw_stack: shape.raw || undefined,
      cause: causesOf(thrown, this.textOf),
      handled: false,
      mechanism,
      url: top?.url,
      line: top?.line,
      column: top?.column,
    };
  }
}

/** The last error of a dedicated worker: it comes once more as an error of the window. */
export interface WorkerError {
  message: string;
  url: string;
  line: number;
  column: number;
  mono: number;
}

/** Seen is shared by the error and the worker source. */
export interface Seen {
  worker: WorkerError | undefined;
}

/** errorSource records uncaught errors, unhandled rejections and resources that did not load. */
export function errorSource(seen: Seen): Source {
  return {
    name: "errors",
    start(realm, guard) {
      const errors = new Errors(realm);
      const loads = new Loads(realm);
      loads.start(guard, (what) =>
        typeof what === "string" ? imported(what, realm, errors, loads) : resource(what, realm, errors, loads),
      );
      // Listeners and not window.onerror, which pages assign over. The capture phase, since resource errors do not bubble.
      realm.hear(guard, window, "error", (event) => uncaught(event, realm, errors, seen, loads));
      realm.hear(guard, window, "unhandledrejection", (event) => {
        const rejection = rejectionOf(event);
        if (!rejection) return;
        const made = errors.exception(rejection.reason, "unhandledrejection");
        const module = importIn(made.message);
        if (module === "") return errors.report(made);
        const cause = realm.scope?.cause(true);
        if (cause) writeCause(made, cause);
        loads.why(module, "script", false, true, (why) => {
          if (why !== "") made.cause = [{ type: "ResourceError", message: slice(why, 2) }];
          errors.report(made);
        });
      });
      return () => loads.stop();
    },
  };
}

/**
 * rejectionOf finds the reason. Promises that are polyfills tell of theirs by an event of their own: core-js by a plain
 * one with a member "reason", bluebird by a CustomEvent with it in its detail. Undefined: an event that tells nothing.
 */
function rejectionOf(event: Event): { reason: unknown } | undefined {
  try {
    return { reason: reasonOf(event) };
  } catch {
    return given(event) ?? given(detail(event));
  }
}

function detail(event: Event): unknown {
  try {
    return detailOf(event);
  } catch {
    return undefined; // not a CustomEvent
  }
}

/** The holder may be a proxy of the page. */
function given(holder: unknown): { reason: unknown } | undefined {
  if (typeof holder !== "object" || holder === null) return undefined;
  try {
    const own = descriptor(holder, "reason");
    return own && hasOwn(own, "value") ? { reason: own.value } : undefined;
  } catch {
    return undefined;
  }
}

/** importIn is the address of a module that import() did not get, in the words of Chromium; "" of any other error. */
function importIn(message: string): string {
  const at = indexOf(message, "imported module: ");
  return at < 0 ? "" : slice(message, at + 17);
}

/** imported reports a module without an element whose failure the page keeps to itself. */
function imported(module: string, realm: Realm, errors: Errors, loads: Loads): void {
  const url = redactURL(module, realm.config.salt);
  const event = unloaded(realm, "import of " + url, url);
  loads.why(module, "script", false, false, (why) => errors.report({ ...event, message: event.message + why }));
}

function uncaught(event: Event, realm: Realm, errors: Errors, seen: Seen, loads: Loads): void {
  const target = targetOf(event);
  if (target && (target as unknown) !== window) {
    // Whatever else a script dispatches by this name is no resource.
    if (event.isTrusted) resource(target, realm, errors, loads);
    return;
  }
  let message: string;
  try {
    message = messageOf(event);
  } catch {
    return; // not an ErrorEvent: dispatched by a script, and says nothing
  }
  const url = fileOf(event);
  const line = lineOf(event);
  const column = columnOf(event);
  loads.told(url);
  // Thrown by a native that we had called for the page: the page's own frame is the first that is left.
  const ours = isOurs(url);
  const worker = seen.worker;
  if (worker && realm.at().mono - worker.mono < 1000) {
    if (worker.message === message && worker.url === url && worker.line === line && worker.column === column) return;
  }
  const thrown = errorOf(event);
  const made = errors.exception(thrown, "onerror");
  if (thrown === null || thrown === undefined) {
    // A script of another origin without CORS: the browser tells nothing but "Script error."
    made.type = message === "Script error." ? "CrossOriginError" : "Error";
    made.message = message;
  }
  errors.report({
    ...made,
    url: ours ? made.url : url || made.url,
    line: ours ? made.line : line || made.line,
    column: ours ? made.column : column || made.column,
  });
}

function resource(target: EventTarget, realm: Realm, errors: Errors, loads: Loads): void {
  let url = "";
  let loading = false;
  for (let i = 0; i < sources.length && url === ""; i++) {
    try {
      const value = sources[i]!(target);
      loading = true;
      if (typeof value === "string") url = value;
    } catch {
      // not that kind of element
    }
  }
  if (!loading) return;
  const tag = lower(nodeNameOf(target));
  const has = (name: string): string => attributeOf(target, name) ?? "";
  const module = lower(has("type")) === "module";
  // Rules, maps and other data within the document: their error is one of the window.
  if (tag === "script" && url === "" && !module) return;
  url = url === "" ? url : absolute(url);
  const element = elementText(target);
  const shown = url === "" ? "" : redactURL(url, realm.config.salt);
  const message = element + " did not load" + (shown === "" ? "" : " " + shown);
  const event = unloaded(realm, message, shown, element);
  const cause = realm.scope?.cause(true);
  if (cause) writeCause(event, cause);
  const said = mediaFault(target);
  loads.why(url, tag, has("integrity") !== "", module, (why) =>
    errors.report({ ...event, message: event.message + (why || said) }),
  );
}

/** unloaded makes the event of something that did not load, now. */
function unloaded(realm: Realm, message: string, url: string, element?: string): Exception {
  return { ...realm.at(), type: "ResourceError", message, mechanism: "resource", handled: false, url, element };
}

/** mediaFault is what a media element says of its error itself. */
function mediaFault(target: EventTarget): string {
  try {
    const error = mediaErrorOf(target);
    const said = error ? mediaMessageOf(error) : "";
    return said ? ": its element says " + said : "";
  } catch {
    return ""; // no media element
  }
}

const mediaErrorOf = getter<object | null>("HTMLMediaElement", "error");
const mediaMessageOf = getter<string>("MediaError", "message");

const attributeOf = method<[string], string | null>("Element", "getAttribute");
const nodeNameOf = getter<string>("Node", "nodeName");

/** workerError makes the record of an error of a worker, seen from outside. */
export function workerError(
  event: Event,
  script: string,
  realm: Realm,
  errors: Errors,
  seen: Seen,
  guard: Guard,
  shared: boolean,
): void {
  guard.run(() => {
    const { t, mono } = realm.at();
    const found = { message: "", url: "", line: 0, column: 0, mono };
    try {
      found.message = messageOf(event);
      found.url = fileOf(event);
      found.line = lineOf(event);
      found.column = columnOf(event);
    } catch {
      // A script that could not be loaded gives a plain Event, as does one of a shared worker that is no script.
      found.message = (shared ? "shared " : "") + "worker script did not load";
      found.url = script;
    }
    seen.worker = found;
    errors.report({
      t,
      mono,
      ...named(found.message),
      mechanism: "worker",
      handled: false,
      url: found.url,
      line: found.line || undefined,
      column: found.column || undefined,
    } as Exception);
  });
}

/** "Uncaught TypeError: x" → type and message; the error object itself stays in the worker. */
function named(text: string): { type: string; message: string } {
  const start = startsWith(text, "Uncaught ") ? 9 : 0;
  const colon = indexOf(text, ": ", start);
  const type = colon > 0 ? slice(text, start, colon) : "";
  // A class name has no spaces; anything else before a colon is part of the sentence.
  return type !== "" && indexOf(type, " ") < 0
    ? { type, message: slice(text, colon + 2) }
    : { type: "Error", message: slice(text, start) };
}
