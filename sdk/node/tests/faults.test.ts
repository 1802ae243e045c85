// What must not happen to the program, whatever the daemon and the system do.
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { App } from "./app.ts";
import { Receiver } from "./receiver.ts";
import { sessionHeader } from "../src/trace.ts";

let receiver: Receiver;
const apps: App[] = [];
const start = (file: string, env: Record<string, string | undefined> = {}, options = {}): App => {
  const app = App.start(file, receiver.url, env, options);
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

describe("the end of the program", () => {
  test.each([
    ["exit", { code: 7, signal: null }],
    ["throw", { code: 1, signal: null }],
    ["reject", { code: 1, signal: null }],
    ["code", { code: 9, signal: null }],
    ["", { code: 0, signal: null }],
  ])("%s: the last lines arrive, and it ends as it would have", async (how, end) => {
    const ended = await start("ends.mjs", { HOW: how }).ended;
    expect(ended).toMatchObject({ ...end, stdout: "last words\n" });
    expect(ended.stderr).toBe((await start("ends.mjs", { HOW: how }, { plain: true }).ended).stderr);
    expect(receiver.log("last words").severity).toBe(9);
    if (how === "throw" || how === "reject") {
      const [fatal] = receiver.span("uncaught error").events;
      expect(fatal?.attributes).toMatchObject({ "exception.type": "RangeError", "exception.escaped": true });
      expect(fatal?.attributes["exception.stacktrace"]).toContain("ends.mjs");
    }
  });

  test("SIGTERM sends what waits, and then ends the program", async () => {
    const app = start("ends.mjs", { HOW: "waits" });
    await app.url();
    app.child.kill("SIGTERM");
    expect(await app.ended).toMatchObject({ code: null, signal: "SIGTERM" });
    receiver.log("last words");
  });

  test("a program that listens for SIGTERM ends when it wants", async () => {
    const app = start("ends.mjs", { HOW: "listens" });
    await app.url();
    app.child.kill("SIGTERM");
    expect(await app.ended).toMatchObject({ code: 11, signal: null });
    receiver.log("last words");
  });

  test("a daemon that never answers keeps no program from its end", async () => {
    receiver.reply = () => ({ status: 200, silent: true });
    expect(await start("ends.mjs", { HOW: "exit" }).ended).toMatchObject({ code: 7, signal: null });
  });

  test("no daemon costs nothing and changes nothing", async () => {
    const ended = await start("ends.mjs", { HOW: "exit", GASOLINE_URL: "http://127.0.0.1:1" }).ended;
    expect(ended).toMatchObject({ code: 7, stdout: "last words\n", stderr: "" });
  });

  test("what nobody catches in a request is in its span", async () => {
    const app = start("plain.mjs");
    await fetch(`${await app.url()}/throw`).catch(() => undefined);
    expect(await app.ended).toMatchObject({ code: 1 });
    expect(receiver.span("GET /throw")).toMatchObject({
      status: { code: 2 },
      events: [{ attributes: { "exception.type": "RangeError", "exception.escaped": true } }],
    });
  });
});

describe("a daemon in trouble", () => {
  test("a connection that is cut in the middle loses nothing, and the same bytes come again", async () => {
    receiver.reply = (n) => (n === 1 ? { status: 0, cut: true } : undefined);
    const app = start("plain.mjs");
    await fetch(`${await app.url()}/log?n=3`);
    await receiver.until((r) => r.logs.length === 3 && r.spans.length === 1);
    const [first] = receiver.requests;
    expect(receiver.requests.filter((r) => r.text === first?.text)).toHaveLength(2);
  });

  test("503 and 429 are waited for, and nothing is lost", async () => {
    receiver.reply = (n) =>
      n === 1 ? { status: 503 } : n === 2 ? { status: 429, headers: { "retry-after": "1" } } : undefined;
    const app = start("plain.mjs");
    await fetch(`${await app.url()}/log?n=3`);
    await receiver.until((r) => r.logs.length === 3 && r.spans.length === 1);
  });

  test("what is too large comes in halves", async () => {
    receiver.reply = (n) => (receiver.requests[n - 1]!.text.length > 20_000 ? { status: 413 } : undefined);
    const app = start("plain.mjs");
    await fetch(`${await app.url()}/log?n=400`);
    await receiver.until((r) => r.logs.length === 400 && r.spans.length === 1);
    expect(new Set(receiver.logs.map((l) => l.body)).size).toBe(400);
  });

  test("what is refused is dropped, counted and told", async () => {
    receiver.reply = (n) => (n === 1 ? { status: 400 } : undefined);
    const app = start("plain.mjs");
    await fetch(`${await app.url()}/log?n=1`);
    await fetch(`${await app.url()}/log?n=1`);
    await receiver.until((r) => r.logs.some((l) => Number(l.attributes["gasoline.dropped"]) > 0));
  });

  test("a storm of 500 opens the circuit, and the program answers as before", async () => {
    receiver.reply = () => ({ status: 500 });
    const app = start("plain.mjs");
    const url = await app.url();
    for (let i = 0; i < 20; i++) expect((await fetch(`${url}/log?n=100`)).status).toBe(200);
    expect(receiver.requests.length).toBeLessThan(10);
  });
});

test("of ten times what is kept, the failure and what explains it arrive, and the rest is counted", async () => {
  const app = start("flood.mjs");
  await fetch(await app.url());
  await receiver.until((r) => r.logs.some((l) => l.body === "before the failure"));
  const trace = receiver.log(/the one that matters/).traceId;
  expect(receiver.log("before the failure").traceId).toBe(trace);
  await app.stop("SIGTERM");
  const told = receiver.logs.reduce((n, l) => n + Number(l.attributes["gasoline.dropped"] ?? 0), 0);
  const arrived = receiver.logs.filter((l) => l.attributes["gasoline.dropped"] === undefined).length;
  expect(told + arrived + receiver.spans.length).toBe(50_003);
  expect(app.stderr.match(/the one that matters/g)).toHaveLength(1);
});

test("a line of 1 MB is cut and says how long it was", async () => {
  const app = start("plain.mjs");
  await fetch(`${await app.url()}/large`);
  await receiver.until((r) => r.logs.length > 0);
  expect(receiver.logs[0]?.body).toMatch(/^x{16384}… \(1048576 characters\)$/);
  // Who kills a program loses what the system has not taken from it yet, with this package and without.
  await vi.waitFor(() => expect(app.stdout.length).toBe((1 << 20) + 1), 8000);
});

test("each process of a cluster sends its own", async () => {
  const app = start("cluster.mjs");
  const url = await app.url();
  const pids = new Set<string>();
  for (let i = 0; i < 10; i++) pids.add(await (await fetch(url)).text());
  await receiver.until((r) => r.spans.length === 10 && r.logs.length === 10);
  for (const { traceId, spanId } of receiver.logs) {
    expect(receiver.spans.some((s) => s.traceId === traceId && s.spanId === spanId)).toBe(true);
  }
  app.child.kill("SIGTERM");
  expect(await app.ended).toMatchObject({ code: 3 });
});

describe("who is watched", () => {
  test.each([
    ["GASOLINE=off", { GASOLINE: "off" }],
    ["production without a token", { NODE_ENV: "production", GASOLINE_TOKEN: undefined }],
    ["an address of another machine without TLS", { GASOLINE_URL: "http://192.0.2.1:7890" }],
  ])("%s: nothing is touched", async (_, env) => {
    const app = start("ends.mjs", { HOW: "exit", ...env });
    expect(await app.ended).toMatchObject({ code: 7, stderr: "" });
    expect(receiver.requests).toEqual([]);
  });

  test("in production only requests with a valid session are recorded", async () => {
    const app = start("express.mjs", { NODE_ENV: "production" });
    const url = await app.url();
    const ask = (id: string, session?: string) =>
      fetch(`${url}/items/${id}`, session === undefined ? {} : { headers: { "gasoline-session": session } });
    const old = sessionHeader("the-token", Date.now() - 3_700_000);
    const far = String(Math.floor(Date.now() / 1000) + 90_000);
    const mac = createHmac("sha256", "the-token").update(`gasoline-session 1\n${far}`).digest("hex");
    for (const [i, session] of [undefined, "", "x.y", sessionHeader("another"), old, `1.${far}.${mac}`].entries()) {
      await ask(`other-${i}`, session);
    }
    await ask("mine", sessionHeader("the-token"));
    await receiver.until((r) => r.spans.length > 0 && r.logs.length > 0);
    await app.stop("SIGTERM");
    expect(receiver.logs.map((l) => l.body)).toEqual(["item mine"]);
    expect(receiver.spans.map((s) => s.attributes["url.path"])).toEqual(["/items/mine"]);
  });

  test("where OpenTelemetry's SDK is active, only console comes, with the ids of its spans", async () => {
    const app = start("otel.mjs");
    const theirs = (await (await fetch(await app.url())).json()) as Record<string, string>;
    await receiver.until((r) => r.logs.length > 0);
    await app.stop("SIGTERM");
    expect(receiver.spans).toEqual([]);
    expect(receiver.log("in their span")).toMatchObject({ traceId: theirs["traceId"], spanId: theirs["spanId"] });
    expect(theirs["traceparent"]).toBe("");
  });
});

describe("who gets the token", () => {
  let dir = "";
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "gasoline-node-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test.each([
    ["the install's", "file-token"],
    ["one of gasoline run", `gasoline_ingest_0123456789abcdef_${"5".repeat(64)}`],
  ])("a stranger at the daemon's address gets a challenge and nothing else: %s", async (_, token) => {
    writeFileSync(join(dir, "token"), `${token}\n`);
    receiver.reply = (_, path) =>
      path === "/prove" ? { status: 200, body: '{"server":{"run":"r"},"boot":"b","proof":"p"}' } : undefined;
    const app = start("plain.mjs", { GASOLINE_TOKEN: undefined, GASOLINE_TOKEN_FILE: join(dir, "token") });
    await fetch(`${await app.url()}/log`);
    await receiver.until((r) => r.requests.length > 1);
    await app.stop("SIGTERM");
    expect(new Set(receiver.requests.map((r) => r.path))).toEqual(new Set(["/prove"]));
    expect(JSON.stringify(receiver.requests)).not.toContain(token.slice(-10));
    receiver.wrong = [];
  });
});
