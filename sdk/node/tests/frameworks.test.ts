import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { App } from "./app.ts";
import { Receiver } from "./receiver.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const from = { headers: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "vendor=1" } };

let receiver: Receiver;
const apps: App[] = [];
const start = (...args: [string, Record<string, string | undefined>?]): App => {
  const app = App.start(args[0], receiver.url, args[1]);
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

describe.each(["express", "express4", "fastify", "koa"])("%s", (name) => {
  test("a request is a span with its route, of the page's trace", async () => {
    const app = start(`${name}.mjs`);
    await fetch(`${await app.url()}/items/42?token=hunter22&page=1`, from);
    await receiver.until((r) => r.spans.length > 0);
    const span = receiver.span("GET /items/:id");
    expect(span).toMatchObject({
      service: "shop",
      traceId: TRACE,
      parentSpanId: PARENT,
      traceState: "vendor=1",
      kind: 2,
    });
    expect(span.status.code).toBe(0);
    expect(span.attributes).toMatchObject({
      "http.request.method": "GET",
      "http.route": "/items/:id",
      "url.path": "/items/42",
      "url.scheme": "http",
      "http.response.status_code": 200,
    });
    expect(span.attributes["url.query"]).toMatch(/^token=<token:[0-9a-f]{8}>&page=1$/);
    expect(span.end).toBeGreaterThan(span.start);
  });

  test("what a handler throws is in the span", async () => {
    const app = start(`${name}.mjs`);
    expect((await fetch(`${await app.url()}/fails`, from)).status).toBe(500);
    await receiver.until((r) => r.spans.length > 0);
    const span = receiver.span("GET /fails");
    expect(span.status).toEqual({ code: 2, message: "no price" });
    expect(span.events).toHaveLength(1);
    expect(span.events[0]).toMatchObject({
      name: "exception",
      attributes: { "exception.type": "TypeError", "exception.message": "no price", "exception.escaped": true },
    });
    expect(span.events[0]?.attributes["exception.stacktrace"]).toContain(
      name.startsWith("express") ? "run.mjs" : `${name}.mjs`,
    );
  });
});

test("an error that Express is given later is in the span", async () => {
  const app = start("express.mjs");
  await fetch(`${await app.url()}/later`, from);
  await receiver.until((r) => r.spans.length > 0);
  expect(receiver.span("GET /later").events[0]?.attributes["exception.message"]).toBe("too late");
});

test("what a handler logs has the span's ids", async () => {
  const app = start("express.mjs");
  await fetch(`${await app.url()}/items/7`, from);
  await receiver.until((r) => r.spans.length > 0 && r.logs.length > 0);
  expect(receiver.log("item 7")).toMatchObject({
    scope: "console",
    severity: 9,
    traceId: TRACE,
    spanId: receiver.span("GET /items/:id").spanId,
  });
  expect((await app.stop("SIGTERM")).stdout).toBe("item 7\n");
});

test("a line of JSON that a program prints comes with its message, level and fields", async () => {
  const app = start("plain.mjs");
  await fetch(`${await app.url()}/json`, from);
  await receiver.until((r) => r.logs.length > 0);
  const log = receiver.log("low stock");
  expect(log).toMatchObject({ severity: 13, traceId: TRACE, attributes: { left: 2 } });
  expect(log.attributes["password"]).toMatch(/^<password:\w{8}>$/);
});

test("Fastify's own logger is pino, whose fields come as attributes", async () => {
  const app = start("fastify.mjs");
  await fetch(`${await app.url()}/items/7`, from);
  await receiver.until((r) => r.spans.length > 0 && r.logs.some((l) => l.body === "lookup"));
  expect(receiver.log("lookup")).toMatchObject({
    scope: "pino",
    severity: 9,
    traceId: TRACE,
    attributes: { item: "7" },
  });
});

describe.each(["fetch", "request", "get"])("%s", (how) => {
  test("a request that a handler makes is a span, and its service gets the ids", async () => {
    const [front, back] = [start("plain.mjs"), start("plain.mjs", { OTEL_SERVICE_NAME: "stock" })];
    const to = `${await back.url()}/echo?access_token=hunter22`;
    const answer = await fetch(`${await front.url()}/${how}?to=${encodeURIComponent(to)}`, from);
    const headers = (await answer.json()) as Record<string, string>;
    await receiver.until((r) => r.spans.length > 2);
    const server = receiver.spans.find((s) => s.service === "shop" && s.kind === 2);
    const client = receiver.spans.find((s) => s.kind === 3);
    const called = receiver.spans.find((s) => s.service === "stock");
    expect(client).toMatchObject({ service: "shop", traceId: TRACE, parentSpanId: server?.spanId });
    expect(client?.attributes).toMatchObject({ "http.response.status_code": 200, "server.address": "127.0.0.1" });
    expect(client?.attributes["url.full"]).toMatch(/\/echo\?access_token=<access_token:[0-9a-f]{8}>$/);
    expect(called).toMatchObject({ traceId: TRACE, parentSpanId: client?.spanId, kind: 2 });
    expect(headers["traceparent"]).toBe(`00-${TRACE}-${client?.spanId}-01`);
    expect(headers["tracestate"]).toBe("vendor=1");
    expect(headers["baggage"]).toBeUndefined();
  });

  test("what a proxy passes on is a request of its own", async () => {
    const [front, back] = [start("plain.mjs"), start("plain.mjs", { OTEL_SERVICE_NAME: "stock" })];
    const answer = await fetch(
      `${await front.url()}/${how}?proxy&to=${encodeURIComponent(`${await back.url()}/echo`)}`,
      from,
    );
    const headers = (await answer.json()) as Record<string, string>;
    await receiver.until((r) => r.spans.length > 2);
    const client = receiver.spans.find((s) => s.kind === 3);
    const called = receiver.spans.find((s) => s.service === "stock");
    expect(called).toMatchObject({ traceId: TRACE, parentSpanId: client?.spanId, kind: 2 });
    expect(headers["traceparent"]).toBe(`00-${TRACE}-${client?.spanId}-01`);
    expect(headers["tracestate"]).toBe("vendor=1");
  });

  test("a proxy that copies a malformed tracestate sends none on", async () => {
    const [front, back] = [start("plain.mjs"), start("plain.mjs", { OTEL_SERVICE_NAME: "stock" })];
    const answer = await fetch(
      `${await front.url()}/${how}?proxy&to=${encodeURIComponent(`${await back.url()}/echo`)}`,
      { headers: { ...from.headers, tracestate: "vendor=1,no member" } },
    );
    const headers = (await answer.json()) as Record<string, string>;
    expect(headers["traceparent"]).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`));
    expect(headers["tracestate"] ?? "").toBe("");
  });
});

test("a request that nobody takes is a failed span, and the program gets its error", async () => {
  const app = start("plain.mjs");
  const answer = await fetch(`${await app.url()}/refused`, from);
  expect([answer.status, await answer.text()]).toEqual([502, "ECONNREFUSED"]);
  await receiver.until((r) => r.spans.length > 1);
  expect(receiver.spans.find((s) => s.kind === 3)).toMatchObject({
    status: { code: 2 },
    attributes: { "error.type": "ECONNREFUSED" },
  });
});

test("a page that is not sampled gets no spans, and logs keep its ids", async () => {
  const app = start("express.mjs");
  await fetch(`${await app.url()}/items/1`, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
  await receiver.until((r) => r.logs.length > 0);
  await app.stop("SIGTERM");
  expect(receiver.spans).toEqual([]);
  expect(receiver.log("item 1").traceId).toBe(TRACE);
});

test("a traceparent that is none begins a trace", async () => {
  const app = start("express.mjs");
  await fetch(`${await app.url()}/items/1`, { headers: { traceparent: `00-${"0".repeat(32)}-${PARENT}-01` } });
  await receiver.until((r) => r.spans.length > 0);
  expect(receiver.spans[0]?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  expect(receiver.spans[0]?.parentSpanId).toBe("");
});
