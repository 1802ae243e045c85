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
