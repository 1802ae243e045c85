import { subscribe } from "node:diagnostics_channel";
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import http2, { type Http2Server, type ServerHttp2Stream } from "node:http2";
import { apply } from "../natives.ts";
import { ROLE, type Runtime, Span } from "../runtime.ts";
import { foreignSpans } from "../opentelemetry.ts";
import { query } from "../redact.ts";
import { parseTraceparent, parseTracestate, SESSION, validSession } from "../trace.ts";
import { clip } from "../values.ts";
import { wrap } from "./modules.ts";

interface Started {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Where Next leaves what it found out about a request. */
const nextMeta: unique symbol = Symbol.for("NextInternalRequestMeta") as never;

/** Routed is what frameworks leave on a request. */
interface Routed extends IncomingMessage {
  route?: { path?: unknown };
  baseUrl?: unknown;
  originalUrl?: unknown;
  [nextMeta]?: { match?: { definition?: { pathname?: unknown } } };
}

/** watchServers makes a span of each request that a server of http, https or http2 gets, and runs its handlers in it. */
export function watchServers(runtime: Runtime): void {
  subscribe("http.server.request.start", (message) => {
    runtime.guard(() => {
      const { request, response } = message as Started;
      const span = foreignSpans() ? undefined : begin(runtime, request, response);
      // The handlers are called behind this, without a frame of ours. A connection keeps its last request's context.
      if (span !== runtime.scopes.getStore()) runtime.scopes.enterWith(span as Span);
    });
  });
  for (const { prototype } of [http.IncomingMessage, http.ServerResponse]) {
    wrap(prototype, "emit", (emit) => runtime.bound(emit));
  }
  for (const name of ["createServer", "createSecureServer"] as const) {
    wrap(
      http2,
      name,
      (native) =>
        function (this: unknown, ...args) {
          const server = apply(native, this, args) as Http2Server;
          runtime.guard(() => watchStreams(runtime, server));
          return server;
        },
    );
  }
}

/** watchStreams follows the streams of an HTTP/2 server, also where they become requests and responses. */
function watchStreams(runtime: Runtime, server: Http2Server): void {
  const requests = new WeakMap<object, Routed>();
  const { emit } = server;
  server.emit = function (this: Http2Server, event: string, ...args: unknown[]): boolean {
    let span: Span | undefined;
    if (event === "stream") {
      const [stream, headers] = args as [ServerHttp2Stream, IncomingHttpHeaders];
      runtime.guard(() => {
        if (!foreignSpans()) span = beginStream(runtime, stream, headers, requests);
      });
    } else if (event === "request" || event === "checkContinue") {
      const request = args[0] as Routed & { stream?: ServerHttp2Stream };
      span = request.stream && runtime.served.get(request.stream);
      if (span && request.stream) {
        runtime.served.set(request, span);
        requests.set(request.stream, request);
      }
    }
    if (span && span !== runtime.scopes.getStore()) runtime.scopes.enterWith(span);
    return apply(emit, this, [event, ...args]);
  } as Http2Server["emit"];
}

/** Head is what a request says before its body. */
interface Head {
  method: string;
  url: string;
  scheme: string;
  version: string;
  host: string | undefined;
  headers: IncomingHttpHeaders;
}

/** open makes the span of a request that comes in. */
function open(runtime: Runtime, { method, url, scheme, version, host, headers }: Head): Span {
  const { gated } = runtime.config;
  const recorded = !gated || validSession(headers[SESSION], runtime.config.token());
  const parent = parseTraceparent(headers["traceparent"]);
  const span = new Span(
    runtime,
    "http",
    method,
    ROLE.server,
    parent && { ...parent, state: parseTracestate(headers["tracestate"]) },
    recorded,
  );
  if (!recorded) return span;
  const at = url.indexOf("?");
  const path = clip(at < 0 ? url : url.slice(0, at), 1024);
  span.name = `${method} ${path}`;
  span.attributes = {
    "http.request.method": method,
    "url.path": path,
    "url.scheme": scheme,
    "network.protocol.version": version,
  };
  if (at >= 0) span.attributes["url.query"] = query(clip(url.slice(at + 1), 2048));
  if (host) span.attributes["server.address"] = clip(host, 256);
  const id = headers["x-request-id"];
  if (typeof id === "string") span.attributes["request_id"] = clip(id, 128);
  return span;
}

/** close ends it. status is undefined where nothing was answered. */
function close(span: Span, route: string, status: number | undefined, whole: boolean): void {
  if (route !== "") {
    span.attributes["http.route"] = route;
    span.name = `${String(span.attributes["http.request.method"])} ${route}`;
  }
  if (status !== undefined) span.attributes["http.response.status_code"] = status;
  if (status !== undefined && status >= 500) span.status = 2;
  if (!whole) span.attributes["error.type"] = "aborted";
}

function begin(runtime: Runtime, request: Routed, response: ServerResponse): Span {
  const { headers, method = "GET", url = "/", httpVersion: version } = request;
  const scheme = (request.socket as { encrypted?: boolean }).encrypted === true ? "https" : "http";
  const span = open(runtime, { method, url, scheme, version, host: headers.host, headers });
  runtime.served.set(request, span).set(response, span);
  if (!span.recorded) return span;
  response.once("close", () => {
    runtime.guard(() => {
      const status = response.headersSent ? response.statusCode : undefined;
      close(span, found(runtime, request), status, response.writableFinished);
    });
    span.end();
  });
  return span;
}

function beginStream(
  runtime: Runtime,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  requests: WeakMap<object, Routed>,
): Span {
  const span = open(runtime, {
    method: String(headers[":method"] ?? "GET"),
    url: String(headers[":path"] ?? "/"),
    scheme: String(headers[":scheme"] ?? "https"),
    version: "2",
    host: headers.host ?? (headers[":authority"] as string | undefined),
    headers,
  });
  runtime.served.set(stream, span);
  const of = Object.getPrototypeOf(stream) as ServerHttp2Stream;
  if (!Object.hasOwn(of, "emit")) wrap(of, "emit", (emit) => runtime.bound(emit));
  if (!span.recorded) return span;
  stream.once("close", () => {
    runtime.guard(() => {
      const status = Number(stream.sentHeaders?.[":status"]);
      close(span, found(runtime, requests.get(stream)), status || undefined, stream.rstCode === 0);
    });
    span.end();
  });
  return span;
}

/** found returns the pattern that a framework matched, "" when none did. */
function found(runtime: Runtime, request: Routed | undefined): string {
  if (!request) return "";
  let route: unknown = runtime.routes.get(request)?.();
  if (route === undefined && request.route) {
    const path = request.route.path;
    const base = typeof request.baseUrl === "string" ? request.baseUrl : "";
    if (typeof path === "string") route = path === "/" && base ? base : base + path;
    else if (path instanceof RegExp) route = base + String(path);
  }
  route ??= request[nextMeta]?.match?.definition?.pathname;
  return typeof route === "string" ? clip(route, 512) : "";
}
