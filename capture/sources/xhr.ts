import type { Header } from "@gasoline/schema/wire";
import {
  append,
  apply,
  byteLength,
  epoch,
  getter,
  indexOf,
  listen,
  method,
  NativeWeakMap,
  now,
  prefix,
  slice,
  trim,
  weakGet,
  weakSet,
  type Fn,
} from "../natives.ts";
import { describeError, isError } from "../error-shape.ts";
import { proxyConstructor, proxyMethod, type Around, type Stop } from "../patch.ts";
import type { Realm, Source } from "../realm.ts";
import { addHeader, redactBody } from "../redact.ts";
import { traceBelow } from "../stack.ts";
import { write } from "../write.ts";
import { nextId, report, trueSize, type Call, type End } from "./exchange.ts";
import { absolute, binarySize, bodyOf, bytesBody, header, known, textArgument, type Body } from "./request.ts";

const readyState = getter<number>("XMLHttpRequest", "readyState");
const statusOf = getter<number>("XMLHttpRequest", "status");
const statusTextOf = getter<string>("XMLHttpRequest", "statusText");
const responseType = getter<string>("XMLHttpRequest", "responseType");
const responseText = getter<string>("XMLHttpRequest", "responseText");
const responseOf = getter<unknown>("XMLHttpRequest", "response");
const urlOf = getter<string>("XMLHttpRequest", "responseURL");
const allHeaders = method<[], string>("XMLHttpRequest", "getAllResponseHeaders");
const rootOf = getter<object | null>("Document", "documentElement");
const outerOf = getter<string>("Element", "outerHTML");
const eventType = getter<string>("Event", "type");

/** State is one XHR object between open and the end; open starts it over. */
interface State {
  method: string;
  url: string;
  headers: Header[];
  call: Call | undefined;
  ttfb: number | undefined;
  done: boolean;
}

/** xhrSource records XMLHttpRequest, asynchronous and synchronous. */
export const xhrSource: Source = {
  name: "xhr",
  start(realm, guard) {
    const states = new NativeWeakMap<object, State>();
    const find = (self: unknown): State | undefined =>
      typeof self === "object" && self !== null ? (weakGet(states, self) as State | undefined) : undefined;
    const stops: Stop[] = [];
    const patch = (name: string, around: Around): void =>
      append(stops, proxyMethod(XMLHttpRequest.prototype, name, around));
    // When the object is made, so that we come before every handler of the page: some abort what is finished.
    append(
      stops,
      proxyConstructor(globalThis, "XMLHttpRequest", (xhr) => {
        const hear = (event: Event): void => {
          // What a script dispatches on its request is not the request's.
          if (event.isTrusted) guard.run(() => changed(realm, xhr, event, find(xhr)));
        };
        const names = ["readystatechange", "abort", "error", "timeout"];
        for (let i = 0; i < names.length; i++) listen(xhr, names[i]!, hear);
      }),
    );
    patch("open", (target, self, args) => {
      if (!guard.idle || args.length < 2 || !isXHR(self)) return apply(target, self, args);
      const verb = textArgument(args, 0);
      const url = textArgument(args, 1);
      const result: unknown = apply(target, self, args);
      guard.run(() => {
        const before = find(self);
        // The native ended it without an event.
        if (before?.call && !before.done) finish(realm, before, { outcome: "aborted" });
        weakSet(states, self, {
          method: known(verb),
          url: absolute(url),
          headers: [],
          call: undefined,
          ttfb: undefined,
          done: false,
        } satisfies State);
      });
      return result;
    });
    patch("setRequestHeader", (target, self, args) => {
      const state = find(self);
      if (!guard.idle || !state || args.length < 2) return apply(target, self, args);
      const name = textArgument(args, 0);
      const value = textArgument(args, 1);
      guard.run(() => addHeader(state.headers, name, value, realm.config.salt));
      return apply(target, self, args);
    });
    patch("send", (target, self, args, top) => {
      const state = find(self);
      if (!state) return apply(target, self, args);
      guard.run(() => sent(realm, state, args, top));
      try {
        return apply(target, self, args);
      } catch (error) {
        guard.run(() => {
          // Only a synchronous request throws for the network; send() in a wrong state was never sent.
          if (!state.call || state.done) return;
          state.done = true;
          if (readyState(self) !== 1)
            report(realm, state.call, { outcome: "network_error", error: isError(error) ? describeError(error) : "" });
        });
        throw error;
      }
    });
    return () => {
      for (let i = 0; i < stops.length; i++) stops[i]!();
    };
  },
};

function isXHR(value: unknown): value is object {
  try {
    readyState(value);
    return true;
  } catch {
    return false;
  }
}

function sent(realm: Realm, state: State, args: readonly unknown[], top: Fn): void {
  if (state.call) return;
  const type = header(state.headers, "content-type");
  state.call = {
    id: nextId(),
    type: "xhr",
    method: state.method,
    url: state.url,
    started: epoch(),
    mono: now(),
    headers: state.headers,
    body: bodyOf(args.length > 0 ? args[0] : undefined, type, realm.config),
    trace: traceBelow(top),
  };
  realm.scope?.requested(state.call);
}

function changed(realm: Realm, xhr: object, event: Event, state: State | undefined): void {
  if (!state?.call || state.done) return;
  realm.scope?.answered(state.call);
  const type = eventType(event);
  if (type === "readystatechange") {
    const ready = readyState(xhr);
    if (ready === 2) state.ttfb = now() - state.call.mono;
    // Told now and not at loadend: a page that aborts in its own handler for this event gets no loadend.
    else if (ready === 4 && statusOf(xhr) > 0) finish(realm, state, answer(realm, xhr, state));
    return;
  }
  // A request that failed is DONE as well, with status 0, and only these say why.
  if (type === "abort") finish(realm, state, { outcome: "aborted" });
  else finish(realm, state, { outcome: "network_error", error: type === "timeout" ? "timeout" : "" });
}

function finish(realm: Realm, state: State, end: End): void {
  state.done = true;
  if (state.call) report(realm, state.call, end);
}

function answer(realm: Realm, xhr: object, state: State): End {
  const status = statusOf(xhr);
  const headers = parseHeaders(allHeaders(xhr), realm.config.salt);
  return {
    outcome: status >= 400 ? "http_error" : "ok",
    status,
    statusText: statusTextOf(xhr),
    url: urlOf(xhr),
    headers,
    ttfb: state.ttfb,
    body: responseBody(realm, xhr, headers),
  };
}

function responseBody(realm: Realm, xhr: object, headers: readonly Header[]): Body {
  const config = realm.config;
  if (!config.bodies) return { size: trueSize(headers), note: "off" };
  const type = responseType(xhr);
  if (type === "" || type === "text") return textBody(responseText(xhr), headers, realm);
  const value = responseOf(xhr);
  // responseText throws for these; the parsed value is the one that the page gets, and is only read.
  if (type === "json") {
    // A little more than is kept, so that the cut shows.
    const text = value === undefined || value === null ? "" : write(value, { left: config.bodyLimit + 1 });
    return textBody(text, headers, realm);
  }
  const contentType = header(headers, "content-type");
  if (type === "document") {
    const root = value === null ? null : rootOf(value);
    const size = trueSize(headers);
    return root && size <= maxDocument ? textBody(outerOf(root), headers, realm) : { size, note: "binary" };
  }
  const size = binarySize(value);
  if (size < 0) return { size: trueSize(headers), note: "binary" };
  return bytesBody(value as object, size, contentType, config);
}

/** A larger document is not written again as text for its head. */
const maxDocument = 1_000_000;

function textBody(text: string, headers: readonly Header[], realm: Realm): Body {
  const config = realm.config;
  const kept = prefix(text, config.bodyLimit);
  const size = trueSize(headers);
  return {
    text: redactBody(kept, header(headers, "content-type"), config.salt),
    size: size < 0 ? byteLength(text) : size,
    note: kept.length < text.length ? "truncated" : undefined,
  };
}

function parseHeaders(raw: string, salt: string): Header[] {
  const headers: Header[] = [];
  let from = 0;
  while (raw && from < raw.length) {
    const newline = indexOf(raw, "\n", from);
    const end = newline < 0 ? raw.length : newline;
    const colon = indexOf(raw, ":", from);
    if (colon > 0 && colon < end) addHeader(headers, slice(raw, from, colon), trim(slice(raw, colon + 1, end)), salt);
    from = end + 1;
  }
  return headers;
}
