import { expect, test } from "vitest";
import { type Request, RequestTracker } from "./request.ts";

/** Follows requests of one document from begin to end. */
function follow() {
  const ended: Request[] = [];
  const tracker = new RequestTracker((request) => ended.push(request));
  const request = (url: string, headers: Record<string, string>, document = "d"): Request | undefined => {
    const details = {
      requestId: url,
      documentId: document,
      tabId: 1,
      frameId: 0,
      method: "GET",
      type: "xmlhttprequest",
      timeStamp: 1,
      url,
    };
    tracker.begin(details as never);
    tracker.sent({
      ...details,
      requestHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    } as never);
    tracker.completed({ ...details, statusCode: 200, statusLine: "HTTP/1.1 200 OK" } as never);
    return ended.at(-1);
  };
  return request;
}

test("what a worker fetched is told by its referrer, the worker's script", () => {
  const request = follow();
  request("http://h/worker.js#x", { "Sec-Fetch-Dest": "worker", Referer: "http://h/" });
  expect(request("http://h/1", { Referer: "http://h/worker.js" })?.byWorker).toBe(true);
  expect(request("http://h/2", { Referer: "http://h/" })?.byWorker).toBe(false);
  expect(request("http://h/3", {})?.byWorker).toBe(false);
  expect(request("http://h/4", { Referer: "http://h/worker.js" }, "another")?.byWorker).toBe(false);
});

test("the scripts of workers that are known are bounded, the oldest go", () => {
  const request = follow();
  for (let i = 0; i <= 500; i++) request(`http://h/${i}.js`, { "Sec-Fetch-Dest": "worker" });
  expect(request("http://h/1", { Referer: "http://h/0.js" })?.byWorker).toBe(false);
  expect(request("http://h/2", { Referer: "http://h/1.js" })?.byWorker).toBe(true);
  expect(request("http://h/3", { Referer: "http://h/500.js" })?.byWorker).toBe(true);
});

/** What a tracker says of the requests that a test sends through it. */
function track() {
  const ended: Request[] = [];
  return { ended, tracker: new RequestTracker((request) => ended.push(request)) };
}
const details = (more: object = {}) =>
  ({
    requestId: "1",
    documentId: "d",
    tabId: 3,
    frameId: 4,
    method: "POST",
    type: "xmlhttprequest",
    timeStamp: 10,
    url: "http://h/a",
    statusCode: 200,
    statusLine: "HTTP/1.1 200 OK",
    fromCache: false,
    ...more,
  }) as never;

test("a request is told when it is over, with all that was seen of it", () => {
  const { tracker, ended } = track();
  tracker.begin(details());
  tracker.redirected(details({ redirectUrl: "http://h/b" }));
  tracker.begin(details({ url: "http://h/b", method: "GET", timeStamp: 12 }));
  tracker.answered(
    details({ timeStamp: 15, ip: "::1", responseHeaders: [{ name: "a", value: "b" }], fromCache: true }),
  );
  expect(ended).toEqual([]);
  tracker.completed(
    details({
      timeStamp: 20,
      ip: "::1",
      responseHeaders: [{ name: "a", value: "b" }],
      fromCache: true,
      statusCode: 201,
    }),
  );
  expect(ended).toEqual([
    {
      id: "1",
      tab: 3,
      frame: 4,
      document: "d",
      type: "xmlhttprequest",
      asked: "POST",
      method: "GET",
      url: "http://h/b",
      started: 10,
      ttfb: 15,
      ended: 20,
      status: 201,
      statusLine: "HTTP/1.1 200 OK",
      requestHeaders: [],
      responseHeaders: [{ name: "a", value: "b" }],
      redirects: ["http://h/a"],
      fromCache: true,
      byWorker: false,
      preflight: false,
      ip: "::1",
    },
  ]);
  tracker.completed(details());
  expect(ended).toHaveLength(1);
});

test("a request that fails is told with its error, and an answer without headers is one", () => {
  const { tracker, ended } = track();
  tracker.begin(details({ documentId: undefined }));
  tracker.failed(details({ error: "net::ERR_FAILED", timeStamp: 11 }));
  expect(ended[0]).toMatchObject({ document: "", error: "net::ERR_FAILED", ended: 11, status: 0, statusLine: "" });
  expect(ended[0]).not.toHaveProperty("ip");
  tracker.begin(details());
  tracker.failed(details({ error: "net::ERR_FAILED", ip: "::1" }));
  expect(ended[1]?.ip).toBe("::1");
  tracker.begin(details());
  tracker.completed(details({ timeStamp: 30 }));
  expect(ended[2]).toMatchObject({ responseHeaders: [], ttfb: 30 });
  // Of what began before us nothing is known.
  tracker.answered(details({ requestId: "2" }));
  tracker.redirected(details({ requestId: "2" }));
  tracker.sent(details({ requestId: "2" }));
  tracker.failed(details({ requestId: "2" }));
  expect(ended).toHaveLength(3);
});

test("redirects and open requests are bounded", () => {
  const { tracker, ended } = track();
  tracker.begin(details());
  for (let i = 0; i < 25; i++) tracker.redirected(details({ url: `http://h/${i}`, redirectUrl: "http://h/end" }));
  tracker.completed(details());
  expect(ended[0]?.redirects).toHaveLength(20);
  for (let i = 0; i <= 2000; i++) tracker.begin(details({ requestId: `r${i}` }));
  for (let i = 0; i <= 2000; i++) tracker.completed(details({ requestId: `r${i}` }));
  expect(
    ended
      .slice(1)
      .map(({ id }) => id)
      .slice(0, 2),
  ).toEqual(["r1", "r2"]);
  expect(ended).toHaveLength(2001);
});

test("a request that goes on elsewhere is told as it goes on", () => {
  const { tracker, ended } = track();
  tracker.begin(details());
  tracker.begin(details({ url: "http://h/c", method: "GET" }));
  tracker.completed(details());
  expect(ended).toMatchObject([{ url: "http://h/c", method: "GET", asked: "POST" }]);
});

test("our own look into the cache is not told; what reached a server is, whatever its headers say", () => {
  const { tracker, ended } = track();
  const own = { requestHeaders: [{ name: "X-Gasoline-Own", value: "1" }] };
  for (const [end, headers, told] of [
    [{ fromCache: true }, own, 0],
    [{ error: "net::ERR_CACHE_MISS" }, own, 0],
    [{ fromCache: true }, { requestHeaders: [] }, 1],
    [{ error: "net::ERR_CACHE_MISS" }, { requestHeaders: [] }, 2],
    [{ error: "net::ERR_FAILED" }, own, 3],
    [{}, own, 4],
  ] as const) {
    tracker.begin(details());
    tracker.sent(details(headers));
    if ("error" in end) tracker.failed(details(end));
    else tracker.completed(details(end));
    expect(ended).toHaveLength(told);
  }
});
