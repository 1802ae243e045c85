import http2 from "node:http2";
import https from "node:https";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { App } from "./app.ts";
import { certificate } from "./certificate.ts";
import { Receiver } from "./receiver.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const from = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "vendor=1" };
const own = certificate();

let receiver: Receiver;
const apps: App[] = [];
const start = (how: string, env: Record<string, string | undefined> = {}): App => {
  const app = App.start("http2.mjs", receiver.url, { HOW: how, KEY: own.key, CERT: own.cert, ...env });
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

function ask(url: string, path: string, headers: object = from): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const session = http2.connect(url, { rejectUnauthorized: false });
    session.on("error", fail);
    const stream = session.request({ ":path": path, ...headers });
    let [status, text] = [0, ""];
    stream.setEncoding("utf8");
    stream.on("response", (h) => (status = Number(h[":status"])));
    stream.on("data", (part) => (text += String(part)));
    stream.on("error", () => undefined);
    stream.on("close", () => (session.close(), done({ status, text })));
    stream.end();
  });
}

describe.each(["streams", "compat", "secure"])("%s", (how) => {
  const address = async (app: App): Promise<string> =>
    how === "secure" ? (await app.url()).replace("http:", "https:") : app.url();

  test("a request is a span of the page's trace, and what is logged in it has its ids", async () => {
    const url = await address(start(how));
    expect(await ask(url, "/log?token=hunter22&a=1")).toEqual({ status: 200, text: "done" });
    expect((await ask(url, "/fails")).status).toBe(500);
    await receiver.until((r) => r.spans.length === 2 && r.logs.length === 2);
    const span = receiver.span("GET /log");
    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, traceState: "vendor=1", kind: 2 });
    expect(span.status.code).toBe(0);
    expect(span.attributes).toMatchObject({
      "http.request.method": "GET",
      "url.path": "/log",
      "url.scheme": how === "secure" ? "https" : "http",
      "network.protocol.version": "2",
      "http.response.status_code": 200,
      "server.address": new URL(url).host,
    });
    expect(span.attributes["url.query"]).toMatch(/^token=<token:[0-9a-f]{8}>&a=1$/);
    expect(receiver.log("h2 /log")).toMatchObject({ traceId: TRACE, spanId: span.spanId });
    expect(receiver.span("GET /fails")).toMatchObject({
      status: { code: 2 },
      attributes: { "http.response.status_code": 500 },
    });
    expect(receiver.spans).toHaveLength(2);
  });

  test("a request that a handler makes is a span, and its service gets the ids", async () => {
    const [front, back] = [start(how), start(how, { OTEL_SERVICE_NAME: "stock" })];
    const to = encodeURIComponent(await address(back));
    const asked = await ask(await address(front), `/ask?to=${to}`);
    const proxied = how === "secure" ? undefined : await ask(await address(front), `/proxy?to=${to}`);
    const listed = how === "secure" ? undefined : await ask(await address(front), `/list?to=${to}`);
    if (how === "secure") {
      // The certificate is over: the request fails, and so does its span.
      await receiver.until((r) => r.spans.some((s) => s.kind === 3));
      expect(receiver.spans.find((s) => s.kind === 3)?.status.code).toBe(2);
      return;
    }
    await receiver.until((r) => r.spans.filter((s) => s.service === "stock").length >= 2 && r.spans.length >= 6);
    const server = receiver.spans.find((s) => s.attributes["url.path"] === "/ask");
    const client = receiver.spans.find((s) => s.kind === 3 && s.parentSpanId === server?.spanId);
    expect(client).toMatchObject({ service: "shop", traceId: TRACE, name: "GET /echo" });
    expect(client?.attributes).toMatchObject({
      "http.response.status_code": 200,
      "network.protocol.version": "2",
      "server.address": "127.0.0.1",
    });
    expect(client?.attributes["url.full"]).toMatch(/\/echo\?access_token=<access_token:[0-9a-f]{8}>$/);
    const called = receiver.spans.find((s) => s.parentSpanId === client?.spanId);
    expect(called).toMatchObject({ service: "stock", traceId: TRACE, kind: 2 });
    const got = JSON.parse(asked.text) as Record<string, string>;
    expect([got["traceparent"], got["tracestate"]]).toEqual([`00-${TRACE}-${client?.spanId}-01`, "vendor=1"]);
    const proxy = receiver.spans.find((s) => s.attributes["url.path"] === "/proxy");
    const own = receiver.spans.find((s) => s.kind === 3 && s.parentSpanId === proxy?.spanId);
    const on = JSON.parse(proxied?.text ?? "") as Record<string, string>;
    expect([on["traceparent"], on["tracestate"]]).toEqual([`00-${TRACE}-${own?.spanId}-01`, "vendor=1"]);
    // Older Node takes no list of headers; then the program gets its error.
    expect(listed?.text).toMatch(/"x-mine":"1"|^ERR_/);
  });

  test("a request that nobody takes is a failed span, and the program gets its error", async () => {
    const plain = App.start("http2.mjs", receiver.url, { HOW: how, KEY: own.key, CERT: own.cert }, { plain: true });
    apps.push(plain);
    const { text } = await ask(await address(start(how)), "/refused");
    expect(text).toBe((await ask(await address(plain), "/refused")).text);
    await receiver.until((r) => r.spans.length > 1);
    const { status, attributes } = receiver.spans.find((s) => s.kind === 3) ?? {};
    expect([status?.code, attributes?.["error.type"]]).toEqual([2, text]);
  });
});

test("a stream that is broken off says so", async () => {
  await ask(await start("compat").url(), "/destroy");
  await receiver.until((r) => r.spans.length > 0);
  expect(receiver.span("GET /destroy").attributes).toMatchObject({ "error.type": "aborted" });
});

test("one server for both protocols makes one span of each request", async () => {
  const url = (await start("secure").url()).replace("http:", "https:");
  await ask(url, "/log");
  await new Promise<void>((done) => {
    https.get(`${url}/log`, { rejectUnauthorized: false, agent: false, headers: from }, (res) => {
      res.resume().on("end", () => done());
    });
  });
  await receiver.until((r) => r.spans.length === 2 && r.logs.length === 2);
  const versions = receiver.spans.map((s) => s.attributes["network.protocol.version"]);
  expect(new Set(versions)).toEqual(new Set(["1.1", "2"]));
  expect(new Set(receiver.logs.map((l) => l.spanId))).toEqual(new Set(receiver.spans.map((s) => s.spanId)));
});

test("Fastify tells its routes by HTTP/2 as well", async () => {
  expect((await ask(await start("fastify").url(), "/items/42")).status).toBe(200);
  await receiver.until((r) => r.spans.length > 0);
  expect(receiver.span("GET /items/:id").attributes["http.route"]).toBe("/items/:id");
});

test("in production a stream without a session is not recorded", async () => {
  await ask(await start("streams", { NODE_ENV: "production" }).url(), "/log");
  await apps[0]?.stop("SIGTERM");
  expect([receiver.spans, receiver.logs]).toEqual([[], []]);
});
