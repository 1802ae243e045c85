import type { Exchange, Header } from "@gasoline/schema/wire";
import { boundURL } from "../frames/bound.ts";
import type { Redact } from "./redaction.ts";
import type { Request } from "./request.ts";

/** Headers of one side: at most this many, each value at most so long. */
const MAX_HEADERS = 100;
const MAX_VALUE = 4096;

/** What the network stack knows of a request, in the wire's words and without secrets. */
export function fromRequest(request: Request, redact: Redact): Omit<Exchange, "seq" | "t" | "mono"> {
  const ended = request.ended ?? request.started;
  const headers = request.responseHeaders;
  const length = Number(valueOf(headers, "content-length") ?? Number.NaN);
  const size = Number.isFinite(length) ? length : -1;
  const exchange: Omit<Exchange, "seq" | "t" | "mono"> = {
    request_id: `wr-${request.id}`,
    method: request.method,
    url: boundURL(redact.url(request.url)),
    status: request.status,
    started: request.started,
    duration: round(ended - request.started),
    request_headers: headersOf(request.requestHeaders, redact),
    response_headers: headersOf(headers, redact),
    request_size: -1,
    response_size: size,
    transfer_size: request.fromCache ? 0 : size,
    initiator: { type: request.preflight ? "preflight" : initiatorOf(request.type) },
    outcome: outcomeOf(request),
  };
  const reason = /^HTTP\/\S+ \d+ (.+)$/.exec(request.statusLine)?.[1];
  if (reason) exchange.status_text = reason;
  if (request.ttfb !== undefined) exchange.ttfb = round(request.ttfb - request.started);
  const contentType = valueOf(headers, "content-type");
  if (contentType) exchange.content_type = contentType;
  const timing = valueOf(headers, "server-timing");
  if (timing) exchange.server_timing = timing.slice(0, 1024);
  if (request.requestHeaders.some(({ name }) => name.toLowerCase() === "authorization")) exchange.has_auth = true;
  if (request.error) exchange.error = request.refusal ? `${request.error} (${request.refusal})` : request.error;
  if (request.fromCache) exchange.from_cache = true;
  if (request.redirects.length > 0) exchange.redirects = request.redirects.map((url) => boundURL(redact.url(url)));
  if (request.ip) exchange.remote_address = request.ip;
  return exchange;
}

/**
 * Adds to the page's record what only the network stack knows. The page's word stands for what it
 * saw itself: its bodies, its stack, and that it aborted.
 */
export function joined(page: Exchange, request: Request, redact: Redact): Exchange {
  const seen = fromRequest(request, redact);
  const exchange: Exchange = { ...page };
  if ((page.response_headers?.length ?? 0) < (seen.response_headers?.length ?? 0)) {
    exchange.response_headers = seen.response_headers ?? [];
  }
  if ((page.request_headers?.length ?? 0) < (seen.request_headers?.length ?? 0)) {
    exchange.request_headers = seen.request_headers ?? [];
  }
  if (!page.status && seen.status) exchange.status = seen.status;
  if (page.transfer_size < 0) exchange.transfer_size = seen.transfer_size;
  if (page.response_size < 0) exchange.response_size = seen.response_size;
  // A redirect that the page asked not to follow is an answer for it, and given up by the network.
  if (seen.error && page.outcome !== "aborted" && page.outcome !== "ok") {
    exchange.error = seen.error;
    if (seen.outcome === "blocked") exchange.outcome = "blocked";
  }
  for (const key of ["status_text", "ttfb", "content_type", "server_timing", "has_auth", "from_cache"] as const) {
    if (exchange[key] === undefined && seen[key] !== undefined) Object.assign(exchange, { [key]: seen[key] });
  }
  if (seen.redirects) exchange.redirects = seen.redirects;
  if (seen.remote_address) exchange.remote_address = seen.remote_address;
  return exchange;
}

/** How a request ended, in the wire's words. */
export function outcomeOf(request: Request): string {
  if (request.error) {
    if (request.error === "net::ERR_ABORTED") return "aborted";
    return request.error.startsWith("net::ERR_BLOCKED") ? "blocked" : "network_error";
  }
  return request.status >= 400 ? "http_error" : "ok";
}

function initiatorOf(type: string): string {
  switch (type) {
    case "main_frame":
    case "sub_frame":
      return "navigation";
    case "xmlhttprequest":
      return "worker";
    default:
      return type;
  }
}

function headersOf(headers: readonly chrome.webRequest.HttpHeader[], redact: Redact): Header[] {
  return headers.slice(0, MAX_HEADERS).map(({ name, value }) => ({
    name: name.toLowerCase(),
    value: redact.header(name, (value ?? "").slice(0, MAX_VALUE)),
  }));
}

function valueOf(headers: readonly chrome.webRequest.HttpHeader[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}

const round = (ms: number): number => Math.round(ms * 10) / 10;
