import type { Exchange } from "@gasoline/schema/wire";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { redactURL } from "@gasoline/capture/redact";
import { NetworkJoin } from "./join.ts";
import { redactWith } from "./redaction.ts";
import type { Request } from "./request.ts";

const redact = redactWith(() => "salt");

const request = (more: Partial<Request> = {}): Request => ({
  id: "1",
  tab: 1,
  frame: 0,
  document: "d",
  type: "xmlhttprequest",
  asked: "GET",
  method: "GET",
  url: "http://localhost/api?a=1",
  started: 1000,
  ended: 1010,
  status: 200,
  statusLine: "HTTP/1.1 200 OK",
  requestHeaders: [],
  responseHeaders: [{ name: "X-Id", value: "7" }],
  redirects: [],
  fromCache: false,
  byWorker: false,
  preflight: false,
  ip: "127.0.0.1",
  ...more,
});
const page = (more: Partial<Exchange> = {}): Exchange => ({
  seq: 1,
  t: 1010,
  mono: 10,
  request_id: "p1",
  method: "GET",
  url: "http://localhost/api?a=1",
  status: 200,
  started: 1000,
  duration: 10,
  request_size: -1,
  response_size: -1,
  transfer_size: -1,
  initiator: { type: "fetch" },
  outcome: "ok",
  ...more,
});

let unclaimed: Request[] = [];
let join: NetworkJoin;

beforeEach(() => {
  vi.useFakeTimers();
  unclaimed = [];
  join = new NetworkJoin(
    redact,
    (url) => !url.includes("elsewhere"),
    (one) => unclaimed.push(one),
  );
});
afterEach(() => vi.useRealTimers());

test("joins whichever side comes first", async () => {
  join.offer(request());
  expect((await join.complete("d", page())).response_headers).toEqual([{ name: "x-id", value: "7" }]);
  const waiting = join.complete("d", page({ seq: 2 }));
  join.offer(request({ status: 200 }));
  expect((await waiting).flags).toBeUndefined();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(unclaimed).toEqual([]);
});

test("keeps order among equal requests, and prefers the equal URL", async () => {
  join.offer(request({ id: "1", ip: "1.1.1.1" }));
  join.offer(request({ id: "2", ip: "2.2.2.2" }));
  join.offer(request({ id: "3", ip: "3.3.3.3", url: "http://localhost/api?a=2" }));
  expect((await join.complete("d", page({ url: "http://localhost/api?a=2" }))).remote_address).toBe("3.3.3.3");
  expect((await join.complete("d", page())).remote_address).toBe("1.1.1.1");
  expect((await join.complete("d", page())).remote_address).toBe("2.2.2.2");
});

test("a request that differs in its query is another one, whichever of both comes first", async () => {
  const from = (q: string) => [{ name: "x-for", value: q }];
  const ok = { url: "http://localhost/api?q=ok" };
  const bad = { url: "http://localhost/api?q=bad" };
  // The answered one's record waits for its body in the page.
  join.offer(request({ ...ok, responseHeaders: from("ok") }));
  const failed = join.complete("d", page({ ...bad, status: 0, outcome: "network_error" }));
  join.offer(request({ ...bad, status: 0, error: "net::ERR_CONNECTION_RESET", responseHeaders: [] }));
  const answered = join.complete("d", page(ok));
  expect(await failed).toMatchObject({ ...bad, status: 0, error: "net::ERR_CONNECTION_RESET" });
  expect((await failed).response_headers).toBeUndefined();
  expect(await answered).toMatchObject({ ...ok, status: 200, response_headers: from("ok") });
  expect((await answered).error).toBeUndefined();
});

test("requests that differ in a secret alone are told apart by its mask", async () => {
  const url = (token: string) => `http://localhost/api?token=${token}&a=1`;
  join.offer(request({ url: url("one"), ip: "1.1.1.1" }));
  const second = join.complete("d", page({ url: redactURL(url("two"), "salt") }));
  join.offer(request({ url: url("two"), ip: "2.2.2.2" }));
  expect((await second).remote_address).toBe("2.2.2.2");
  expect((await join.complete("d", page({ url: redactURL(url("one"), "salt") }))).remote_address).toBe("1.1.1.1");
});

test("a request with another secret is another request, also where the page's own record finds none", async () => {
  join.offer(request({ url: "http://localhost/api?token=two" }));
  const waiting = join.complete("d", page({ url: redactURL("http://localhost/api?token=one", "salt") }));
  await vi.advanceTimersByTimeAsync(500);
  expect((await waiting).flags).toEqual(["partial"]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(unclaimed).toHaveLength(1);
});

test("a request is found however the page wrote its URL", async () => {
  join.offer(request({ url: "http://localhost/a%20b?c=%20", status: 0, error: "net::ERR_FAILED" }));
  const exchange = page({ url: "HTTP://LOCALHOST/a b?c= #d", status: 0, outcome: "network_error" });
  expect((await join.complete("d", exchange)).error).toBe("net::ERR_FAILED");
  const long = `http://localhost/${"x".repeat(5000)}`;
  join.offer(request({ url: long }));
  expect((await join.complete("d", page({ url: long.slice(0, 4096) }))).flags).toBeUndefined();
});

test("another document or method is another request; alone after 500 ms it is partial", async () => {
  join.offer(request({ document: "other" }));
  join.offer(request({ asked: "POST" }));
  const waiting = join.complete("d", page());
  await vi.advanceTimersByTimeAsync(500);
  expect((await waiting).flags).toEqual(["partial"]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(unclaimed).toHaveLength(2);
});

test("a redirected request is found by the URL that the page asked for", async () => {
  join.offer(request({ asked: "POST", url: "http://localhost/end", redirects: ["http://localhost/begin"] }));
  const known = page({ method: "POST", url: "http://localhost/end", redirects: ["http://localhost/begin"] });
  expect((await join.complete("d", known)).remote_address).toBe("127.0.0.1");
  join.offer(request({ url: "http://localhost/end", redirects: ["http://localhost/api?a=1"] }));
  expect((await join.complete("d", page())).redirects).toEqual(["http://localhost/api?a=1"]);
});

test("the network's error name is told, and the page's abort stands", async () => {
  join.offer(request({ status: 0, error: "net::ERR_CONNECTION_REFUSED" }));
  expect(await join.complete("d", page({ status: 0, outcome: "network_error" }))).toMatchObject({
    error: "net::ERR_CONNECTION_REFUSED",
  });
  join.offer(request({ status: 0, error: "net::ERR_ABORTED" }));
  expect(await join.complete("d", page({ status: 0, outcome: "aborted" }))).toMatchObject({ outcome: "aborted" });
});

test("a request that Chrome does not show is not waited for, and is whole without it", async () => {
  const exchange = page({ url: "http://elsewhere/api" });
  expect(await join.complete("d", exchange)).toEqual(exchange);
  expect(vi.getTimerCount()).toBe(0);
});

test("the end of what Chrome does not show is told by the page or by its timing", async () => {
  const url = "http://elsewhere/api";
  const kept = join.follow("d", page({ url, status: 0, outcome: "pending" }));
  join.told("d", page({ url }));
  expect(await kept).toBeUndefined();
  const beacon = page({ url, method: "POST", status: 0, outcome: "pending", initiator: { type: "beacon" } });
  const timing = { seq: 2, t: 1, mono: 1, initiator_type: "beacon", start: 0, duration: 12, url, encoded_size: 0 };
  const sent = join.follow("d", beacon);
  join.timed("d", { ...timing, url: `${url}/other`, transfer_size: 300, decoded_size: 0, status: 200 });
  join.timed("d", { ...timing, transfer_size: 300, decoded_size: 0, status: 503, protocol: "h2" });
  expect(await sent).toEqual({
    ...beacon,
    status: 503,
    outcome: "http_error",
    duration: 12,
    transfer_size: 300,
    protocol: "h2",
  });
  join.timed("d", { ...timing, transfer_size: 0, decoded_size: 0 });
  expect(await join.follow("d", beacon)).toMatchObject({ status: 0, outcome: "pending" });
  const shown = join.follow("d", { ...beacon, url: "http://localhost/b" });
  join.timed("d", { ...timing, url: "http://localhost/b", transfer_size: 0, decoded_size: 0, status: 503 });
  join.offer(request({ url: "http://localhost/b", asked: "POST", type: "ping", status: 200 }));
  expect(await shown).toMatchObject({ status: 200, outcome: "ok", remote_address: "127.0.0.1" });
});

test("a beacon is listed once, with the answer that the network saw", async () => {
  const beacon = page({ method: "POST", status: 0, outcome: "pending", initiator: { type: "beacon" } });
  const followed = join.follow("d", beacon);
  join.offer(request({ asked: "POST", type: "ping", status: 503 }));
  expect(await followed).toMatchObject({ request_id: "p1", status: 503, outcome: "http_error" });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(unclaimed).toEqual([]);
  const lost = join.follow("d", beacon);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await lost).toEqual(beacon);
});

test.each([true, false])(
  "a beacon whose body is read later is listed once, with that; answered before: %s",
  async (before) => {
    const beacon = page({ method: "POST", status: 0, outcome: "pending", initiator: { type: "beacon" } });
    const answer = request({ asked: "POST", type: "ping", status: 503 });
    if (before) join.offer(answer);
    const followed = join.follow("d", { ...beacon, request_body_note: "binary" });
    const again = join.follow("d", { ...beacon, request_body: '{"a":1}' });
    if (!before) join.offer(answer);
    expect(await again).toBeUndefined();
    expect(await followed).toMatchObject({ status: 503, request_body: '{"a":1}', request_body_note: undefined });
    join.offer(answer);
    expect(await join.follow("d", beacon)).toMatchObject({ request_id: "p1", status: 503 });
  },
);

test("a fetch with keepalive is the page's own to tell, and the network's when the page is gone", async () => {
  const told = join.follow("d", page({ status: 0, outcome: "pending" }));
  join.offer(request());
  join.told("d", page());
  expect(await join.complete("d", page())).toMatchObject({ status: 200, outcome: "ok" });
  expect(await told).toBeUndefined();
  const gone = join.follow("d", page({ status: 0, outcome: "pending" }));
  join.offer(request());
  await vi.advanceTimersByTimeAsync(5000);
  expect(await gone).toMatchObject({ request_id: "p1", status: 200, outcome: "ok" });
  expect(unclaimed).toEqual([]);
});

test("what the page gave up is not given the answer of the next equal request", async () => {
  join.offer(request({ status: 200, ip: "2.2.2.2" }));
  const gaveUp = join.complete("d", page({ status: 0, outcome: "aborted" }));
  expect((await join.complete("d", page())).remote_address).toBe("2.2.2.2");
  join.offer(request({ status: 200, error: "net::ERR_ABORTED" }));
  expect(await gaveUp).toMatchObject({ outcome: "aborted" });
  expect((await gaveUp).flags).toBeUndefined();
});

test("a redirect that the page does not follow is no failure", async () => {
  join.offer(request({ status: 302, error: "net::ERR_ABORTED" }));
  expect((await join.complete("d", page({ status: 0 }))).error).toBeUndefined();
});

test("each side waits for the other one's record until its time is over", async () => {
  const waiting = join.complete("d", page());
  await vi.advanceTimersByTimeAsync(499);
  join.offer(request());
  expect((await waiting).flags).toBeUndefined();
  join.offer(request());
  await vi.advanceTimersByTimeAsync(4999);
  expect((await join.complete("d", page())).flags).toBeUndefined();
  join.offer(request());
  await vi.advanceTimersByTimeAsync(5000);
  expect(unclaimed).toHaveLength(1);
  let end: unknown = "none";
  const followed = join.follow("d", page({ status: 0, outcome: "pending" })).then((of) => (end = of));
  await vi.advanceTimersByTimeAsync(19_999);
  expect(end).toBe("none");
  await vi.advanceTimersByTimeAsync(1);
  await followed;
  expect(end).toMatchObject({ status: 0, outcome: "pending" });
  expect(vi.getTimerCount()).toBe(0);
});

test("records that wait are bounded on either side; what is over the bound goes as it is", async () => {
  for (let i = 0; i < 2000; i++) join.offer(request({ id: `${i}` }));
  expect(unclaimed).toEqual([]);
  join.offer(request({ id: "over" }));
  expect(unclaimed.map(({ id }) => id)).toEqual(["over"]);
  expect((await join.complete("d", page())).flags).toBeUndefined(); // makes room
  join.offer(request({ id: "again" }));
  expect(unclaimed).toHaveLength(1);

  const other = "http://localhost/other";
  let partial = 0;
  const wait = async () => {
    void join.complete("d", page({ url: other })).then(({ flags }) => (partial += flags ? 1 : 0));
    for (let i = 0; i < 5; i++) await Promise.resolve();
    return partial;
  };
  for (let i = 0; i < 1999; i++) void wait();
  expect([await wait(), await wait()]).toEqual([0, 1]);
  join.offer(request({ url: other }));
  expect([await wait(), await wait()]).toEqual([1, 2]);
  vi.clearAllTimers();
});

test("timings that come before their beacons are bounded until they are forgotten", async () => {
  const url = (n: number): string => `http://elsewhere/${n}`;
  const timing = (n: number) => ({
    seq: 2,
    t: 1,
    mono: 1,
    initiator_type: "beacon",
    start: 0,
    duration: 12,
    url: url(n),
    encoded_size: 0,
    decoded_size: 0,
    transfer_size: 0,
    status: 200,
  });
  const beacon = (n: number) =>
    page({ url: url(n), method: "POST", status: 0, outcome: "pending", initiator: { type: "beacon" } });
  /** Whether the timing of a beacon is known. */
  const isKnown = async (n: number): Promise<boolean> => {
    let known = false;
    void join.follow("d", beacon(n)).then(() => (known = true));
    for (let i = 0; i < 5; i++) await Promise.resolve();
    return known;
  };
  const due: [() => void, number][] = [];
  vi.stubGlobal("setTimeout", (call: () => void, ms: number) => due.push([call, ms]));
  try {
    for (let n = 0; n <= 2000; n++) join.timed("d", timing(n));
    expect([due.length, due[0]![1]]).toEqual([2000, 5000]);
    expect([await isKnown(1999), await isKnown(2000)]).toEqual([true, false]);
    for (const [call] of due.splice(0, 2000)) call();
    expect(await isKnown(1)).toBe(false);
    for (let n = 3000; n < 5000; n++) join.timed("d", timing(n));
    expect(await isKnown(4999)).toBe(true);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("what is no URL is compared as it is written, without its fragment", async () => {
  join.offer(request({ url: "http://[" }));
  expect((await join.complete("d", page({ url: "http://[#a\nb" }))).flags).toBeUndefined();
  join.offer(request({ url: "http://[" }));
  const other = join.complete("d", page({ url: "http://[b" }));
  await vi.advanceTimersByTimeAsync(500);
  expect((await other).flags).toEqual(["partial"]);
});

test("a record that went as it is takes no request any more", async () => {
  const alone = join.complete("d", page());
  await vi.advanceTimersByTimeAsync(500);
  expect((await alone).flags).toEqual(["partial"]);
  join.offer(request());
  await vi.advanceTimersByTimeAsync(5000);
  expect(unclaimed).toHaveLength(1);
  const waiting = join.complete("d", page());
  join.offer(request());
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});

test("an answer belongs to the request that was answered with its status", async () => {
  join.offer(request({ status: 500, ip: "5.5.5.5" }));
  join.offer(request({ status: 200, ip: "2.2.2.2" }));
  expect((await join.complete("d", page())).remote_address).toBe("2.2.2.2");
  join.offer(request({ status: 200, ip: "2.2.2.2" }));
  const failed = page({ status: 500, outcome: "http_error" });
  expect((await join.complete("d", failed)).remote_address).toBe("5.5.5.5");
  join.offer(request({ status: 304, ip: "3.3.3.3" }));
  expect((await join.complete("d", failed)).remote_address).toBe("3.3.3.3");
});
