import type { Exchange } from "@gasoline/schema/wire";
import { expect, test } from "vitest";
import { fromRequest, joined, outcomeOf } from "./exchange.ts";
import { redactWith } from "./redaction.ts";
import type { Request } from "./request.ts";

const redact = redactWith(() => "salt");

const request = (more: Partial<Request> = {}): Request => ({
  id: "7",
  tab: 1,
  frame: 0,
  document: "d",
  type: "xmlhttprequest",
  asked: "POST",
  method: "POST",
  url: "http://localhost/api?token=topsecret",
  started: 1000,
  ttfb: 1004.26,
  ended: 1010.04,
  status: 404,
  statusLine: "HTTP/1.1 404 Not Found",
  requestHeaders: [{ name: "Authorization", value: "Bearer hunter2hunter2" }],
  responseHeaders: [
    { name: "Content-Length", value: "12" },
    { name: "Content-Type", value: "text/html" },
    { name: "Server-Timing", value: "db;dur=5" },
  ],
  redirects: ["http://localhost/first?token=topsecret"],
  fromCache: false,
  byWorker: false,
  preflight: false,
  ip: "127.0.0.1",
  ...more,
});

const told = (more: Partial<Request> = {}) => fromRequest(request(more), redact);

test("what the network saw of a request is told in the wire's words, without secrets", () => {
  const exchange = told();
  expect(exchange).toMatchObject({
    request_id: "wr-7",
    method: "POST",
    status: 404,
    status_text: "Not Found",
    started: 1000,
    duration: 10,
    ttfb: 4.3,
    request_size: -1,
    response_size: 12,
    transfer_size: 12,
    initiator: { type: "worker" },
    outcome: "http_error",
    content_type: "text/html",
    server_timing: "db;dur=5",
    has_auth: true,
    remote_address: "127.0.0.1",
  });
  expect(exchange.url).toMatch(/^http:\/\/localhost\/api\?token=<token:[0-9a-f]{8}>$/);
  expect(exchange.redirects?.[0]).toMatch(/^http:\/\/localhost\/first\?token=<token:/);
  expect(exchange.request_headers?.[0]).toMatchObject({ name: "authorization" });
  expect(JSON.stringify(exchange)).not.toMatch(/hunter2|topsecret/);
  for (const key of ["error", "from_cache"]) expect(exchange).not.toHaveProperty(key);
});

test("of a cookie that is set, the name and the attributes are told", () => {
  const set = (value: string) =>
    told({ responseHeaders: [{ name: "Set-Cookie", value }] }).response_headers?.[0]?.value ?? "";
  expect(set("sid=hunter2hunter2; Path=/; HttpOnly")).toMatch(/^sid=<set_cookie:[0-9a-f]{8}>; Path=\/; HttpOnly$/);
  expect(set("sid=hunter2=hunter2")).toMatch(/^sid=<set_cookie:[0-9a-f]{8}>$/);
  expect(set("sid=; Max-Age=0")).toMatch(/^<set_cookie:[0-9a-f]{8}>$/);
  for (const whole of [
    "hunter2hunter2",
    "hunter2; a=b",
    "a=b\nsid=hunter2",
    "a=b; Secure\nsid=hunter2",
    "a=b\rsid=hunter2",
  ])
    expect(set(whole), whole).toMatch(/^<set_cookie:[0-9a-f]{8}>$/);
});

test("what was not seen is not told", () => {
  const { ttfb: _ttfb, ended: _ended, ip: _ip, ...bare } = request();
  const exchange = fromRequest(
    { ...bare, requestHeaders: [], responseHeaders: [], redirects: [], statusLine: "HTTP/2 200" },
    redact,
  );
  expect(exchange).toMatchObject({ duration: 0, response_size: -1, transfer_size: -1 });
  for (const key of ["ttfb", "status_text", "content_type", "server_timing", "has_auth", "redirects", "remote_address"])
    expect(exchange, key).not.toHaveProperty(key);
  expect(told({ responseHeaders: [{ name: "content-length", value: "many" }] }).response_size).toBe(-1);
  expect(told({ fromCache: true })).toMatchObject({ from_cache: true, transfer_size: 0, response_size: 12 });
});

test("headers, their values and timings are bounded", () => {
  const headers = Array.from({ length: 101 }, (_, i) => ({ name: `X-${i}`, value: "v".repeat(5000) }));
  const exchange = told({
    requestHeaders: headers,
    responseHeaders: [{ name: "server-timing", value: "t".repeat(2000) }],
  });
  expect(exchange.request_headers).toHaveLength(100);
  expect(exchange.request_headers?.[99]).toEqual({ name: "x-99", value: "v".repeat(4096) });
  expect(exchange.server_timing).toHaveLength(1024);
  expect(told({ responseHeaders: [{ name: "X" }] as never }).response_headers).toEqual([{ name: "x", value: "" }]);
});

test.each([
  [{ error: "net::ERR_ABORTED" }, "aborted"],
  [{ error: "net::ERR_BLOCKED_BY_CLIENT" }, "blocked"],
  [{ error: "net::ERR_FAILED" }, "network_error"],
  [{ status: 400 }, "http_error"],
  [{ status: 399 }, "ok"],
])("a request with %s", (more, outcome) => expect(outcomeOf(request(more as never))).toBe(outcome));

test.each([
  ["main_frame", "navigation"],
  ["sub_frame", "navigation"],
  ["xmlhttprequest", "worker"],
  ["image", "image"],
])("a request of the type %s", (type, initiator) =>
  expect(told({ type: type as never }).initiator).toEqual({ type: initiator }),
);

const page = (more: Partial<Exchange> = {}): Exchange => ({
  seq: 1,
  t: 1010,
  mono: 10,
  request_id: "p1",
  method: "POST",
  url: "http://localhost/api",
  status: 404,
  started: 1000,
  duration: 10,
  request_size: 3,
  response_size: -1,
  transfer_size: -1,
  initiator: { type: "fetch" },
  outcome: "http_error",
  ...more,
});
const join = (own: Partial<Exchange> = {}, seen: Partial<Request> = {}) => joined(page(own), request(seen), redact);

test("the page's record gets what only the network knows, and keeps what it saw itself", () => {
  expect(join()).toMatchObject({
    request_id: "p1",
    url: "http://localhost/api",
    initiator: { type: "fetch" },
    request_size: 3,
    response_size: 12,
    transfer_size: 12,
    status_text: "Not Found",
    ttfb: 4.3,
    content_type: "text/html",
    server_timing: "db;dur=5",
    has_auth: true,
    remote_address: "127.0.0.1",
    redirects: [expect.stringContaining("/first")],
  });
  expect(join({}, { fromCache: true }).from_cache).toBe(true);
  const own = { response_size: 0, transfer_size: 0, content_type: "own", ttfb: 1, status_text: "Own" };
  expect(join(own)).toMatchObject(own);
  expect(join({ status: 0 }).status).toBe(404);
  expect(join({ status: 200 }).status).toBe(200);
});

test("of headers the longer list is told", () => {
  const header = (name: string) => ({ name, value: "own" });
  const two = {
    request_headers: [header("a"), header("b")],
    response_headers: [1, 2, 3, 4].map((n) => header(`${n}`)),
  };
  expect(join(two)).toMatchObject(two);
  const less = join({ request_headers: [], response_headers: [header("a")] });
  expect([less.request_headers?.length, less.response_headers?.length]).toEqual([1, 3]);
  const equal = { request_headers: [header("a")], response_headers: ["a", "b", "c"].map(header) };
  expect(join(equal)).toMatchObject(equal);
  expect(join({}, { requestHeaders: [], responseHeaders: [] })).not.toHaveProperty("request_headers");
});

test("why a request failed is the network's to say, but not that it was given up or answered", () => {
  const failed = { status: 0, outcome: "network_error", error: "TypeError: Failed to fetch" };
  expect(join(failed, { error: "net::ERR_FAILED" })).toMatchObject({
    error: "net::ERR_FAILED",
    outcome: "network_error",
  });
  expect(join(failed, { error: "net::ERR_BLOCKED_BY_CLIENT" }).outcome).toBe("blocked");
  expect(join(failed, {}).error).toBe("TypeError: Failed to fetch");
  expect(join({ outcome: "aborted" }, { error: "net::ERR_ABORTED" })).not.toHaveProperty("error");
  expect(join({ outcome: "ok" }, { error: "net::ERR_ABORTED" })).not.toHaveProperty("error");
});
