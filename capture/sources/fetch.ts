import {
  apply,
  bare,
  epoch,
  get,
  getter,
  method,
  NativeProxy,
  NativeWeakMap,
  now,
  uncurry,
  weakGet,
  weakSet,
  type Fn,
} from "../natives.ts";
import { readHead, whole, written } from "../body-reader.ts";
import { proxyConstructor, proxyMethod, type Stop } from "../patch.ts";
import type { Guard } from "../guard.ts";
import type { Realm, Source } from "../realm.ts";
import { describeError, isError } from "../error-shape.ts";
import { redactBody } from "../redact.ts";
import { traceBelow } from "../stack.ts";
import { nextId, report, trueSize, type Call, type End } from "./exchange.ts";
import {
  absolute,
  bodyOf,
  header,
  headersOf,
  isA,
  known,
  parses,
  requestURL,
  textArgument,
  textOf,
  type Body,
} from "./request.ts";
import { between, overhear, overhearNothing, type Ending, type Heard } from "./body-stream.ts";
import { ending, streamedBody } from "./streamed.ts";
import { binaryType, essence, streams } from "./content.ts";
import type { Header } from "@gasoline/schema/wire";

const requestMethod = getter<string>("Request", "method");
const requestHeaders = getter<object>("Request", "headers");
const requestBody = getter<object | null>("Request", "body");
const requestSignal = getter<object>("Request", "signal");
const requestKeepalive = getter<boolean>("Request", "keepalive");
const aborted = getter<boolean>("AbortSignal", "aborted");
const reasonOf = getter<unknown>("AbortSignal", "reason");
const statusOf = getter<number>("Response", "status");
const statusTextOf = getter<string>("Response", "statusText");
const typeOf = getter<string>("Response", "type");
const urlOf = getter<string>("Response", "url");
const headersIn = getter<object>("Response", "headers");
const bodyIn = getter<object | null>("Response", "body");
const clone = method<[], object>("Response", "clone");

interface Pending extends Call {
  signal: unknown;
}

/**
 * fetchSource records fetch. The page gets a promise that settles with the native's own response or reason.
 *
 * It cannot be the native promise itself: watching that one means attaching a handler to it, and a promise with a
 * handler never counts as unhandled, so a failed `fetch(url)` that nobody looks at would lose its unhandledrejection
 * event. A promise in between that we do not watch keeps both sides true: nothing is swallowed, nothing is invented.
 */
export const fetchSource: Source = {
  name: "fetch",
  start(realm, guard) {
    const isNative = textOfFunction(globalThis.fetch) === "function fetch() { [native code] }";
    const stopRequests = requestsMade(realm, guard, isNative);
    const stopFetch = proxyMethod(globalThis, "fetch", (target, self, args, top) => {
      // Of another receiver the native may refuse all, before it looks at an argument.
      if (!guard.idle || args.length === 0 || (self !== undefined && self !== null && self !== globalThis))
        return apply(target, self, args);
      const request = isA(args[0], "Request") ? args[0] : undefined;
      const url = request ? requestURL(request) : textArgument(args, 0);
      const init: Init = { __proto__: null } as never;
      if (args.length > 1 && isObject(args[1])) args[1] = overheard(args[1], init, isNative);
      const started = epoch();
      const mono = now();
      const upload = request !== undefined && requestBody(request) !== null;
      const promise = apply(target, self, args) as Promise<object>;
      const call = guard.run(() => begin(realm, { url, request, upload, init, started, mono }, top));
      if (!call) return promise;
      return guard.run(() => givenUp(realm, call)) ? promise : watched(promise, realm, guard, call);
    });
    return () => {
      stopFetch();
      stopRequests();
      overhearNothing();
    };
  },
};

const noInit: Init = bare({});

/** What Requests were made with. Of one that is made the body is a stream. */
const bodiesOf = new NativeWeakMap<object, Body>();

function requestsMade(realm: Realm, guard: Guard, isNative: boolean): Stop {
  const heard = new NativeWeakMap<object, Init>();
  const remember = (request: object, body: Body | undefined): void => {
    if (body) weakSet(bodiesOf, request, body);
  };
  const stopClass = proxyConstructor(
    globalThis,
    "Request",
    (request, args) => {
      guard.run(() => {
        const { body } = (weakGet(heard, args) as Init | undefined) ?? noInit;
        const from = args.length > 0 ? args[0] : undefined;
        if (body !== undefined && body !== null) remember(request, bodyOf(body, typeOfRequest(request), realm.config));
        else if (isA(from, "Request")) remember(request, weakGet(bodiesOf, from) as Body | undefined);
      });
    },
    (args) => {
      if (!guard.idle || args.length < 2 || !isObject(args[1])) return;
      const init: Init = { __proto__: null } as never;
      args[1] = overheard(args[1], init, isNative);
      weakSet(heard, args, init);
    },
  );
  const stopClone = proxyMethod(Request.prototype, "clone", (target, self, args) => {
    const copy = apply(target, self, args) as object;
    guard.run(() => remember(copy, weakGet(bodiesOf, self as object) as Body | undefined));
    return copy;
  });
  return () => {
    stopClass();
    stopClone();
  };
}

const getHeader = method<[string], string | null>("Headers", "get");
const typeOfRequest = (request: object): string => getHeader(requestHeaders(request), "content-type") ?? "";

/** What the native read of the second argument. */
interface Init {
  method?: unknown;
  headers?: unknown;
  body?: unknown;
  signal?: unknown;
  keepalive?: unknown;
}

const textOfFunction = uncurry(Function.prototype.toString);
const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/**
 * overheard stands in for a fetch's init and keeps what the native reads of it. The native's own reading is the only
 * way to the truth that runs no getter and no trap of the page a second time. Somebody who replaced fetch before us may
 * do more than read members: for them it stands on the init itself, and a proxy of the page then sees our checks.
 */
function overheard(init: object, heard: Init, readOnly: boolean): object {
  const hear = (_: object, key: keyof Init): unknown => {
    // The page's own object as receiver: its getters may have private members.
    const value = get(init, key) as unknown;
    if (key === "method" || key === "headers" || key === "body" || key === "signal" || key === "keepalive")
      heard[key] = value;
    return value;
  };
  return new NativeProxy(readOnly ? bare({}) : init, { __proto__: null, get: hear } as ProxyHandler<object>);
}

function watched(promise: Promise<object>, realm: Realm, guard: Guard, call: Pending): unknown {
  return between<object>(
    promise,
    // Before the page sees it: now its body is surely unread and can be cloned.
    (response) => guard.run(() => answered(realm, guard, call, response)),
    (reason) => guard.run(() => report(realm, call, failure(call, reason))),
    // Somebody replaced fetch before us, by one that gives no native promise.
    () => guard.run(() => report(realm, call, { outcome: "pending" })),
  );
}

interface Asked {
  url: string;
  request: object | undefined;
  /** the Request has a body, which the native has taken by now */
  upload: boolean;
  init: Init;
  started: number;
  mono: number;
}

function begin(realm: Realm, { url, request, upload, init, started, mono }: Asked, top: Fn): Pending {
  const { method: verb, body } = init;
  const headers = headersOf(init.headers ?? (request && requestHeaders(request)), realm.config.salt);
  const call: Pending = {
    id: nextId(),
    type: "fetch",
    method: verb !== undefined ? known(textOf(verb)) : request ? requestMethod(request) : "GET",
    url: absolute(url),
    started,
    mono,
    headers,
    // A Request's body is a stream: reading it needs a clone, and a clone tees the upload.
    body:
      body === undefined && upload
        ? ((weakGet(bodiesOf, request!) as Body | undefined) ?? {
            size: -1,
            note: realm.config.bodies ? "unread" : "off",
          })
        : bodyOf(body, header(headers, "content-type"), realm.config),
    trace: traceBelow(top),
    signal: init.signal ?? (request && requestSignal(request)),
  };
  realm.scope?.requested(call);
  // The page may be gone before the answer comes.
  if (init.keepalive ? true : init.keepalive === undefined && request && requestKeepalive(request))
    report(realm, call, { outcome: "pending" });
  return call;
}

/**
 * givenUp records a call whose signal was aborted before it was made. Its promise is rejected already, and the page gets
 * that one: a promise of ours in between would settle a microtask later, which shows in the order of the page's handlers.
 * What the native refuses without a look at the signal, such as a bad URL, is not given up.
 */
function givenUp(realm: Realm, call: Pending): boolean {
  if (!isA(call.signal, "AbortSignal") || !aborted(call.signal) || !parses(call.url)) return false;
  report(realm, call, failure(call, reasonOf(call.signal)));
  return true;
}

function failure(call: Pending, reason: unknown): End {
  // A page can abort with any reason; then only the signal knows it. A bad URL fails by itself, whatever the signal says.
  const gaveUp =
    isAbort(reason) || (isA(call.signal, "AbortSignal") && aborted(call.signal) && reason === reasonOf(call.signal));
  const error = isError(reason) ? describeError(reason) : typeof reason === "string" ? reason : "";
  return { outcome: gaveUp ? "aborted" : "network_error", error };
}

function isAbort(reason: unknown): boolean {
  if (typeof reason !== "object" || reason === null) return false;
  try {
    return domName(reason) === "AbortError";
  } catch {
    return false; // not a DOMException
  }
}

const domName = getter<string>("DOMException", "name");

function answered(realm: Realm, guard: Guard, call: Pending, response: object): void {
  realm.scope?.answered(call);
  // Somebody replaced fetch before us, by one that answers with anything.
  if (!isA(response, "Response")) return report(realm, call, { outcome: "pending" });
  const status = statusOf(response);
  const opaque = typeOf(response) === "opaque" || typeOf(response) === "opaqueredirect";
  const headers = headersOf(headersIn(response), realm.config.salt);
  const end: End = {
    outcome: status >= 400 ? "http_error" : "ok",
    status,
    statusText: statusTextOf(response),
    url: urlOf(response),
    headers,
    ttfb: now() - call.mono,
  };
  const finish = (body: Body): void => report(realm, call, { ...end, body });
  const contentType = header(headers, "content-type");
  const failed = (error: unknown): End => failure(call, error);
  if (!opaque && streams(contentType) && bodyIn(response))
    return streamedBody(realm, guard, call, end, response, contentType, failed);
  if (!realm.config.bodies) return finish({ size: trueSize(headers), note: "off" });
  if (opaque) return finish({ size: -1, note: "opaque" });
  // These have no body by definition, though some engines give them an empty stream.
  if (!bodyIn(response) || status === 204 || status === 205 || status === 304) return finish({ size: 0 });
  // An error that is answered by a picture's type is seldom a picture.
  if (status < 400 && binaryType(contentType)) return finish({ size: trueSize(headers), note: "binary" });
  readBody(realm, guard, response, contentType, headers, (body, how, error) =>
    report(realm, call, { ...end, ...ending(how, failed(error), end), body }),
  );
}

function readBody(
  realm: Realm,
  guard: Guard,
  response: object,
  contentType: string,
  headers: readonly Header[],
  done: (body: Body, how: Ending, error?: unknown) => void,
): void {
  const copy = bodyIn(clone(response));
  if (!copy) return done({ size: -1 }, "ended");
  const config = realm.config;
  const patience = essence(contentType) === "text/plain" ? written : whole;
  let begun = false;
  let last: Ending | undefined;
  let hear: ((how: Ending, error?: unknown) => void) | undefined;
  const heard: Heard = {
    begin: () => (begun = true),
    piece: () => {},
    text: () => {},
    end: (how, error) => {
      last = how;
      hear?.(how, error);
    },
  };
  overhear(response, guard, heard, false);
  readHead(copy, config.bodyLimit, contentType, patience, (head) => {
    guard.run(() => {
      if (head.binary) return done({ size: trueSize(headers), note: "binary" }, "ended");
      const text = redactBody(head.text, contentType, config.salt);
      const size = head.complete ? head.size : trueSize(headers);
      if (head.complete) return done({ text, size }, "ended");
      const cut: Body = { text, size, note: "truncated" };
      if (head.error !== undefined) return done(cut, "failed", head.error);
      if (last === "stopped") return done(cut, "stopped");
      if (!begun || last !== undefined || head.size > config.bodyLimit) return done(cut, "ended");
      // It pauses, and the page reads it piece by piece: its end is told when the page comes to it.
      done({ text, size, note: "streaming" }, "ended");
      hear = (how, error) => done(cut, how, error);
    });
  });
}
