import { subscribe } from "node:diagnostics_channel";
import { errorMonitor } from "node:events";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import http2, { type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import https from "node:https";
import { rethrown } from "../frames.ts";
import { apply } from "../natives.ts";
import { type Method, ROLE, type Runtime, type Span } from "../runtime.ts";
import { url as masked } from "../redact.ts";
import { parseTracestate, traceparent } from "../trace.ts";
import { clip, word } from "../values.ts";
import { wrap } from "./modules.ts";

/** watchClients makes a span of each request that http, https, fetch or undici sends, and tells the service its ids. */
export function watchClients(runtime: Runtime): void {
  for (const module of [http, https]) {
    const { request } = module;
    const ours = function (this: unknown, ...args: unknown[]): ClientRequest {
      const span = runtime.open("http", "HTTP", ROLE.client);
      const sent = apply(request, this, args) as ClientRequest;
      if (span) runtime.guard(() => follow(runtime, span, sent));
      return sent;
    };
    const get = function (this: unknown, ...args: unknown[]): ClientRequest {
      const sent = apply(ours, this, args) as ClientRequest;
      sent.end();
      return sent;
    };
    Object.defineProperty(ours, "name", { value: "request" });
    Object.defineProperty(get, "name", { value: "get" });
    module.request = ours as typeof module.request;
    module.get = get as typeof module.get;
  }
  watchSessions(runtime);
  watchUndici(runtime);
}

/** Headers of a request by http2: an object, or in newer Node a list of names and values. */
type Headers = Record<string | symbol, unknown> | readonly unknown[] | null | undefined;

/** watchSessions follows the requests of http2's sessions. Their class is known with the first of them. */
function watchSessions(runtime: Runtime): void {
  const known = new WeakSet<object>();
  const origins = new WeakMap<object, URL>();
  wrap(
    http2,
    "connect",
    (native) =>
      function (this: unknown, ...args) {
        const session = apply(native, this, args) as ClientHttp2Session;
        runtime.guard(() => {
          origins.set(session, new URL(String(args[0])));
          const of = Object.getPrototypeOf(session) as object;
          if (known.has(of)) return;
          known.add(of);
          wrap(of, "request", (request) => requested(runtime, origins, request));
        });
        return session;
      },
  );
}

const requested = (runtime: Runtime, origins: WeakMap<object, URL>, native: Method): Method =>
  function (this: unknown, ...args) {
    const session = this as ClientHttp2Session;
    let span: Span | undefined;
    runtime.guard(() => {
      span = runtime.open("http2", "HTTP", ROLE.client);
      if (!span) return;
      const headers = (args[0] ?? {}) as Headers;
      const list = Array.isArray(headers);
      const get = (name: string): unknown => {
        if (!list) return (headers as Record<string, unknown>)[name];
        const at = headers.findIndex((h, i) => i % 2 === 0 && String(h).toLowerCase() === name);
        return at < 0 ? undefined : headers[at + 1];
      };
      const { protocol, host } = origins.get(session) ?? new URL("https://unknown");
      const authority = word(get(":authority"), host);
      begin(span, word(get(":method"), "GET"), `${protocol}//${authority}${word(get(":path"), "/")}`);
      span.attributes["network.protocol.version"] = "2";
      const given = get("traceparent");
      if (given !== undefined && (list || !runtime.copied(given))) return;
      const state = stateOf(span, get("tracestate"));
      // The program's headers stay as they are.
      if (list) {
        const added = ["traceparent", traceparent(span)];
        if (state && get("tracestate") === undefined) added.push("tracestate", state);
        args[0] = [...headers, ...added];
      } else {
        const { tracestate: _, ...rest } = headers as Record<string, unknown>;
        args[0] = { ...rest, traceparent: traceparent(span), ...(state && { tracestate: state }) };
      }
    });
    let stream: ClientHttp2Stream;
    try {
      stream = apply(native, this, args) as ClientHttp2Stream;
    } catch (error) {
      runtime.guard(() => span && failed(span, error));
      span?.end();
      throw rethrown(error, "node-do-not-add-exception-line");
    }
    if (span) {
      const followed = span;
      stream.once("response", (headers) => runtime.guard(() => answered(followed, Number(headers[":status"]))));
      stream.once(errorMonitor, (error: Error) => runtime.guard(() => failed(followed, error)));
      stream.once("close", () => {
        runtime.guard(() => {
          if (stream.rstCode !== 0 && followed.status === 0)
            failed(followed, new Error(`stream ended with ${stream.rstCode}`));
        });
        followed.end();
      });
    }
    return stream;
  };

function follow(runtime: Runtime, span: Span, request: ClientRequest): void {
  const { method, protocol, path } = request;
  const host = String(request.getHeader("host") ?? request.host);
  begin(span, method, `${protocol}//${host}${path}`);
  // A list of headers is written at once; then nothing can be added.
  if (!request.headersSent) {
    const given = request.getHeader("traceparent");
    if (given === undefined || runtime.copied(given)) {
      request.setHeader("traceparent", traceparent(span));
      const state = stateOf(span, request.getHeader("tracestate"));
      if (state) request.setHeader("tracestate", state);
      else request.removeHeader("tracestate");
    }
  }
  // errorMonitor is told of errors and does not count as who handles them; prependOnceListener for "response" would.
  request.once(errorMonitor, (error: Error) => runtime.guard(() => failed(span, error)));
  request.once("close", () => {
    runtime.guard(() => {
      const response = (request as ClientRequest & { res?: IncomingMessage | null }).res;
      if (response?.statusCode) answered(span, response.statusCode);
    });
    span.end();
  });
}

interface UndiciRequest {
  origin: unknown;
  path: string;
  method: string;
  headers: string | string[];
  addHeader(name: string, value: string): unknown;
}

function watchUndici(runtime: Runtime): void {
  const spans = new WeakMap<object, Span>();
  const on = (name: string, take: (message: { request: UndiciRequest } & Record<string, unknown>) => void) =>
    subscribe(`undici:request:${name}`, (message) =>
      runtime.guard(() => take(message as { request: UndiciRequest } & Record<string, unknown>)),
    );
  on("create", ({ request }) => {
    const span = runtime.open("undici", "HTTP", ROLE.client);
    if (!span) return;
    spans.set(request, span);
    begin(span, request.method, String(request.origin) + request.path);
    const { headers } = request;
    const get = (name: string): string | undefined => {
      if (typeof headers === "string") return new RegExp(`(?:^|\\r\\n)${name}: *([^\\r]*)`, "i").exec(headers)?.[1];
      const at = headers.findIndex((h, i) => i % 2 === 0 && h.toLowerCase() === name);
      return at < 0 ? undefined : headers[at + 1];
    };
    const [given, others] = [get("traceparent"), get("tracestate")];
    if (given !== undefined && !runtime.copied(given)) return;
    const put = (name: string, old: string | undefined, value: string): void => {
      if (old === undefined) {
        if (value) request.addHeader(name, value);
      } else if (typeof request.headers === "string") request.headers = request.headers.replace(old, () => value);
      else request.headers[request.headers.indexOf(old)] = value;
    };
    put("traceparent", given, traceparent(span));
    put("tracestate", others, stateOf(span, others));
  });
  on("headers", ({ request, response }) => {
    const span = spans.get(request);
    if (span) answered(span, (response as { statusCode: number }).statusCode);
  });
  on("trailers", ({ request }) => spans.get(request)?.end());
  on("error", ({ request, error }) => {
    const span = spans.get(request);
    if (!span) return;
    failed(span, error);
    span.end();
  });
}

/** stateOf returns what a request says of other tracers: what the program gave it, else what came with the trace. */
const stateOf = (span: Span, given: unknown): string =>
  parseTracestate(Array.isArray(given) ? given.join(",") : given) || span.state;

function begin(span: Span, method: string, address: string): void {
  const full = masked(clip(address, 2048));
  const path = /^\w+:\/\/[^/?#]*([^?#]*)/.exec(full)?.[1] || "/";
  span.name = `${method} ${path}`;
  span.attributes = { "http.request.method": method, "url.full": full };
  const host = /^\w+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d+))?/.exec(full);
  if (host?.[1]) span.attributes["server.address"] = host[1];
  if (host?.[2]) span.attributes["server.port"] = Number(host[2]);
}

function answered(span: Span, status: number): void {
  span.attributes["http.response.status_code"] = status;
  if (status >= 400) span.status = 2;
}

/** failed tells why a request came to nothing. The program gets the error and may throw it on. */
function failed(span: Span, error: unknown): void {
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  span.status = 2;
  span.message = clip(String(message ?? error), 1024);
  span.attributes["error.type"] = word(code ?? name, "Error");
}
