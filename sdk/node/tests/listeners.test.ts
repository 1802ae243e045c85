import http from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { App } from "./app.ts";
import { Receiver } from "./receiver.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const OTHER = "0af7651916cd43dd8448eb211c80319c";
const headers = (trace: string) => ({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });

let receiver: Receiver;
const apps: App[] = [];
const start = (file: string, plain = false): App => {
  const app = App.start(file, receiver.url, {}, { plain });
  apps.push(app);
  return app;
};

beforeEach(async () => {
  receiver = await Receiver.listen();
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
  await receiver.close();
  expect(receiver.wrong).toEqual([]);
});

/** post sends a body in two pieces, so that the second comes to a server by itself. */
function post(url: string, more: http.RequestOptions = {}): Promise<string> {
  return new Promise((done, failed) => {
    const request = http.request(url, { method: "POST", ...more }, (answer) => {
      let text = "";
      answer.on("data", (data: Uint8Array) => (text += String(data)));
      answer.on("end", () => done(text));
    });
    request.on("error", failed);
    request.write("one", () => setImmediate(() => request.end("two")));
  });
}

const EVENTS = ["data one", "data two", "end", "finish", "request's close", "answer's close"];

describe("listeners of a request and its answer", () => {
  test("are in its trace, and the next request of the connection is not", async () => {
    const app = start("listeners.mjs");
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const url = await app.url();
    await post(`${url}/a`, { agent, headers: headers(TRACE) });
    await post(`${url}/b`, { agent });
    await post(`${url}/c`, { agent, headers: headers(OTHER) });
    agent.destroy();
    await receiver.until((r) => r.spans.length > 2 && r.logs.filter((l) => l.body === "answer's close").length > 2);
    const own = receiver.span("POST /b").traceId;
    expect(new Set([TRACE, own, OTHER]).size).toBe(3);
    for (const trace of [TRACE, own, OTHER]) {
      const bodies = receiver.logs.filter((log) => log.traceId === trace).map((log) => log.body);
      expect(bodies.sort().join().replace("data onetwo", "data one,data two")).toBe([...EVENTS].sort().join());
    }
  });

  test("of one that is given up are in its trace", async () => {
    const app = start("listeners.mjs");
    const request = http.request(`${await app.url()}/hangs`, { method: "POST", headers: headers(TRACE) });
    request.on("error", () => {});
    const came = new Promise((done) => app.child.on("message", (m) => m === "data" && done(m)));
    request.write("one");
    await came;
    request.destroy();
    await receiver.until((r) => r.logs.some((l) => l.body === "answer's close"));
    expect(receiver.logs.map((log) => `${log.body} ${log.traceId}`).sort()).toEqual(
      ["aborted", "answer's close", "request's close"].map((body) => `${body} ${TRACE}`),
    );
  });
});

describe.each([
  ["/throw", "thrown at once"],
  ["/throw-later", "thrown at the end"],
])("an error of %s that ends the process", (path, message) => {
  test("is in the request's span, and printed as without us", async () => {
    const [app, without] = [start("listeners.mjs"), start("listeners.mjs", true)];
    for (const one of [app, without]) {
      await post(`${await one.url()}${path}`, { headers: headers(TRACE) }).catch(() => {});
    }
    const [ended, plain] = [await app.ended, await without.ended];
    expect(receiver.spans).toHaveLength(1);
    const span = receiver.span(`POST ${path}`);
    expect([span.traceId, span.status]).toEqual([TRACE, { code: 2, message }]);
    expect(span.events[0]?.attributes).toMatchObject({ "exception.message": message, "exception.escaped": true });
    const shown = (text: string) => text.split("\n").filter((line) => !line.includes("async_local_storage"));
    expect([ended.code, shown(ended.stderr)]).toEqual([plain.code, shown(plain.stderr)]);
  });
});

test("a stack that a program prints is as without us", async () => {
  const [app, without] = [start("throws.mjs"), start("throws.mjs", true)];
  for (const one of [app, without]) await fetch(`${await one.url()}/items`);
  const [ended, plain] = [await app.stop("SIGTERM"), await without.stop("SIGTERM")];
  expect(ended.stdout).toContain("at prices");
  expect(ended.stdout).toBe(plain.stdout);
});
