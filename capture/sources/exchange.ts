import type { Header } from "@gasoline/schema/wire";
import { writeCause } from "../scope.ts";
import { append, hasOwn, lower, random, radix, slice, startsWith } from "../natives.ts";
import type { EventFor } from "../record.ts";
import type { Realm } from "../realm.ts";
import { framesOf, type Trace } from "../stack.ts";
import { hasAuth, header, shownURL, type Body } from "./request.ts";

/** Call is a request that has been made and not yet answered. */
export interface Call {
  id: string;
  /** fetch, xhr, beacon */
  type: string;
  method: string;
  /** absolute, not yet redacted */
  url: string;
  /** epoch ms */
  started: number;
  /** performance.now */
  mono: number;
  headers: Header[];
  body: Body;
  trace: Trace;
}

/** End is how a call ended. Sizes are bytes, 0 when unknown. */
export interface End {
  outcome: "ok" | "http_error" | "network_error" | "aborted" | "blocked" | "pending";
  status?: number;
  statusText?: string;
  /** after redirects */
  url?: string;
  headers?: Header[] | undefined;
  /** ms from the start to the headers */
  ttfb?: number | undefined;
  body?: Body;
  error?: string;
}

const realmId = slice(radix(random(), 36), 2, 8);
let calls = 0;

/** nextId numbers the requests of this realm; the random part tells documents apart. */
export function nextId(): string {
  return realmId + "-" + radix(++calls, 36);
}

/** report emits the exchange. The stack is only read, which is the dear half of it, when the call failed. */
export function report(realm: Realm, call: Call, end: End): void {
  const { t, mono } = realm.at();
  const failed = end.outcome !== "ok" && end.outcome !== "pending";
  const url = shownURL(end.url || call.url, realm.config);
  const first = shownURL(call.url, realm.config);
  const stack = failed ? framesOf(call.trace.stack) : undefined;
  const headers = end.headers;
  const length = headers ? header(headers, "content-length") : "";
  const event: EventFor<"network"> = {
    t,
    mono,
    request_id: call.id,
    method: call.method,
    url,
    status: end.status ?? 0,
    status_text: end.statusText || undefined,
    started: call.started,
    ttfb: end.ttfb,
    duration: mono - call.mono,
    request_headers: call.headers.length > 0 ? call.headers : undefined,
    response_headers: headers && headers.length > 0 ? headers : undefined,
    has_auth: hasAuth(call.headers) || undefined,
    request_size: call.body.size,
    response_size: end.body?.size ?? -1,
    transfer_size: length !== "" && +length >= 0 ? +length : -1,
    content_type: (headers && header(headers, "content-type")) || undefined,
    // Own members, to be filled in: of others a page's setters would hear.
    request_body: undefined,
    request_body_note: undefined,
    response_body: undefined,
    response_body_note: undefined,
    flags: undefined,
    initiator: { type: call.type, stack: stack && stack.length > 0 ? stack : undefined },
    outcome: end.outcome,
    error: end.error || undefined,
    redirects: withoutFragment(first) === withoutFragment(url) ? undefined : list(first),
    server_timing: (headers && header(headers, "server-timing")) || undefined,
  };
  const cause = realm.scope?.caused(call);
  if (cause) writeCause(event, cause);
  if (end.outcome !== "pending") realm.scope?.finished(call);
  const emit = (): void => {
    event.request_body = call.body.text;
    event.request_body_note = call.body.note;
    event.response_body = end.body?.text;
    event.response_body_note = end.body?.note;
    if (end.body?.note === "truncated" || call.body.note === "truncated") event.flags = list("truncated");
    realm.emit("network", event, failed);
  };
  // What is sent as the page goes is told at once, and again when its body is read.
  if (end.outcome === "pending" && hasOwn(call.body, "wait")) emit();
  filled(call.body, () => filled(end.body, emit));
}

/** filled goes on when a body that is read aside is there. */
function filled(body: Body | undefined, then: () => void): void {
  if (body && hasOwn(body, "wait")) body.wait!(then);
  else then();
}

function list(item: string): string[] {
  const items: string[] = [];
  append(items, item);
  return items;
}

function withoutFragment(url: string): string {
  let end = 0;
  while (end < url.length && url[end] !== "#") end++;
  return slice(url, 0, end);
}

/** trueSize is the size of a body that was not read to its end, if its headers tell it, else -1. */
export function trueSize(headers: readonly Header[]): number {
  const encoding = lower(header(headers, "content-encoding"));
  const length = header(headers, "content-length");
  return (encoding === "" || startsWith(encoding, "identity")) && length !== "" && +length >= 0 ? +length : -1;
}
