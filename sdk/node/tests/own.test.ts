// What a program adds by itself: spans, handled errors, ids.
import { afterEach, beforeEach, expect, test } from "vitest";
import { App } from "./app.ts";
import { Receiver } from "./receiver.ts";

let receiver: Receiver;
let app: App;
beforeEach(async () => {
  receiver = await Receiver.listen();
  app = App.start("own.mjs", receiver.url);
});
afterEach(async () => {
  await app.stop();
  await receiver.close();
  expect(receiver.wrong).toEqual([]);
});

/** Asks for a path, and returns the answer and the span of the request. */
async function ask<T>(path: string, spans = 1) {
  const answer = (await (await fetch((await app.url()) + path)).json()) as T;
  await receiver.until((r) => r.spans.length >= spans);
  return { answer, server: receiver.span(`GET ${path}`) };
}

test("a span of its own is in the request's, with its attributes", async () => {
  const { answer, server } = await ask<number>("/span", 2);
  expect(answer).toBe(7);
  const span = receiver.span("reprice");
  expect(span).toMatchObject({
    scope: "gasoline",
    kind: 1,
    traceId: server.traceId,
    parentSpanId: server.spanId,
    status: { code: 0 },
    attributes: { "basket.id": 7, items: '["a"]' },
  });
  expect(span.attributes["password"]).toMatch(/^<password:/);
});

test("an awaited span has what is logged in it, and its ids", async () => {
  const { answer, server } = await ask<{ traceId: string; spanId: string }>("/later", 2);
  const span = receiver.span("reprice");
  expect(answer).toEqual({ traceId: server.traceId, spanId: span.spanId });
  await receiver.until((r) => r.logs.length > 0);
  expect(receiver.log("within")).toMatchObject(answer);
});

test.each(["/throws", "/rejects"])("%s: the error comes out and is in the span", async (path) => {
  const { answer, server } = await ask<string>(path, 2);
  expect(answer).toBe("no price");
  expect(receiver.span("reprice")).toMatchObject({
    status: { code: 2, message: "no price" },
    events: [{ name: "exception", attributes: { "exception.type": "TypeError", "exception.escaped": true } }],
  });
  expect(server.status.code).toBe(0);
});

test("a handled error is in the request's span, once", async () => {
  const { server } = await ask("/handled");
  expect(server.status).toEqual({ code: 2, message: "handled" });
  expect(server.events.map((e) => [e.attributes["exception.message"], e.attributes["exception.escaped"]])).toEqual([
    ["handled", false],
    ["'a text'", false],
  ]);
});

test("the current ids are the request's", async () => {
  const { answer, server } = await ask("/ids");
  expect(answer).toEqual({ traceId: server.traceId, spanId: server.spanId });
});

test.each([
  ["/express", "passed on"],
  ["/koa", "awaited"],
])("%s: the handler records and passes on", async (path, message) => {
  const { answer, server } = await ask(path);
  expect(answer).toBe(message);
  expect(server.events[0]?.attributes).toMatchObject({ "exception.message": message, "exception.escaped": true });
});

test("a middleware before what succeeds does nothing", async () => {
  const { server } = await ask("/fine");
  expect([server.status.code, server.events]).toEqual([0, []]);
});

test("flush sends what waits, and the counters say so", async () => {
  const { answer } = await ask<{ waiting: number; sent: number; dropped: number; failures: number }[]>("/flush");
  expect(answer).toEqual([
    { waiting: 1, sent: 0, dropped: 0, failures: 0 },
    { waiting: 0, sent: 1, dropped: 0, failures: 0 },
  ]);
});
