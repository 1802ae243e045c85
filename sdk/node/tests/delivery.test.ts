// What arrives at the real daemon when the way to it, the clock or the message are out of the ordinary.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holdPort } from "../../../scripts/port.mjs";
import { App } from "./app.ts";
import { Receiver } from "./receiver.ts";

const here = dirname(fileURLToPath(import.meta.url));
const PROGRAM = process.env["GASOLINE_PROGRAM"] ?? join(here, "../../../bin/gasoline");
const clock = pathToFileURL(join(here, "apps/clock.mjs")).href;
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const from = { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } };

let dir = "";
let port = 0;
let token = "";
let daemon: ChildProcess;
const ending: (() => unknown)[] = [];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "gasoline-node-"));
  const hold = await holdPort();
  port = hold.port;
  ending.push(hold.release);
  daemon = spawn(PROGRAM, ["serve", "--port", String(port), "--state-dir", dir], { stdio: "ignore" });
  for (let i = 0; i < 3000; i++) {
    if (await fetch(`http://127.0.0.1:${port}/health`).then((r) => r.ok, () => false)) break; // prettier-ignore
    await pause(10);
  }
  token = readFileSync(join(dir, "token"), "utf8").trim();
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
  const ended = new Promise((done) => daemon.once("exit", done));
  daemon.kill("SIGKILL");
  await ended;
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** Returns what the daemon tells of events of a kind, when it is enough. */
async function held(kind: string, enough: (text: string) => boolean): Promise<string> {
  let text = "";
  for (let i = 0; i < 300; i++) {
    const url = `http://127.0.0.1:${port}/query?kinds=${kind}&limit=500`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    text = await answer.text();
    if (answer.ok && enough(text)) return text;
    await pause(100);
  }
  throw new Error(`there came ${text.slice(0, 2000)}`);
}

function start(file: string, url: string, env = {}): App {
  const app = App.start(file, url, { GASOLINE_TOKEN: token, ...env });
  ending.push(() => app.stop());
  return app;
}

/** Passes requests on to the daemon. What is lost is the answer to the first so many of them. */
async function lossy(lost: number): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = http.createServer((req, res) => {
    const chunks: Uint8Array[] = [];
    req.on("data", (d: Uint8Array) => chunks.push(d));
    req.on("end", () => {
      const body = Buffer.concat(chunks);
      bodies.push(body.toString("latin1"));
      const to = http.request(
        {
          host: "127.0.0.1",
          port,
          path: req.url,
          method: "POST",
          headers: { ...req.headers, host: `127.0.0.1:${port}` },
        },
        (answer) => {
          answer.resume().on("end", () => {
            if (bodies.length <= lost) return req.socket.destroy();
            return res.writeHead(answer.statusCode ?? 500).end("{}");
          });
        },
      );
      to.end(new Uint8Array(body));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  ending.push(() => (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, bodies };
}

test("a batch whose answer was lost comes again, and is kept once", async () => {
  const way = await lossy(2);
  const app = start("plain.mjs", way.url);
  await fetch(`${await app.url()}/log?n=3`, from);
  await held("log", (text) => text.includes("line 2"));
  await held("span", (text) => text.includes("GET /log"));
  await app.stop("SIGTERM");
  expect(way.bodies.length).toBeGreaterThan(new Set(way.bodies).size);
  const text = await held("log", () => true);
  for (const line of ["line 0", "line 1", "line 2"]) expect(text.split(`"info ${line}"`).length - 1, text).toBe(1);
});

test("a line of 1 MB arrives cut, and what comes with it arrives whole", async () => {
  const app = start("plain.mjs", `http://127.0.0.1:${port}`);
  await fetch(`${await app.url()}/large`, from);
  await fetch(`${await app.url()}/log?n=2`, from);
  const text = await held("log", (all) => all.includes("line 1") && all.includes("xxxx"));
  expect(text.split('"log"').length - 1).toBe(3);
  expect(text.length).toBeLessThan(64 << 10);
});

test.each([-300_000, 300_000, -1e12])("a clock that is set by %i ms moves no span of the time before", async (by) => {
  const receiver = await Receiver.listen();
  ending.push(() => receiver.close());
  const app = start("plain.mjs", receiver.url, { NODE_OPTIONS: `--import ${clock}` });
  const url = await app.url();
  const before = Date.now();
  const slow = fetch(`${url}/wait?ms=150`, from);
  await pause(50);
  await fetch(`${url}/clock?by=${by}`, from);
  await fetch(`${url}/log?n=1`, from);
  await slow;
  await receiver.until((r) => r.spans.length === 3 && r.logs.length === 2);
  for (const { name, start: began, end } of receiver.spans) {
    const ms = Number(end - began) / 1e6;
    expect(ms, name).toBeGreaterThan(name === "GET /wait" ? 140 : 0);
    expect(ms, name).toBeLessThan(5000);
  }
  const [wait, set] = ["GET /wait", "GET /log"].map((name) => Number(receiver.span(name).start) / 1e6) as [
    number,
    number,
  ];
  expect(Math.abs(wait - before)).toBeLessThan(2000);
  // What is new has the new time: that of the program's machine, which others compare with.
  expect(Math.abs(set - (before + by))).toBeLessThan(2000);
  expect(receiver.wrong).toEqual([]);
});

test("a clock of test tools, put into the program later, changes nothing", async () => {
  const receiver = await Receiver.listen();
  ending.push(() => receiver.close());
  const app = start("plain.mjs", receiver.url);
  await fetch(`${await app.url()}/clock?by=-300000`, from);
  await fetch(`${await app.url()}/log?n=1`, from);
  await receiver.until((r) => r.spans.length === 2);
  expect(Math.abs(Number(receiver.span("GET /log").start) / 1e6 - Date.now())).toBeLessThan(5000);
});

test("a child and a thread send their own, and the parent's end is not theirs", async () => {
  const receiver = await Receiver.listen();
  ending.push(() => receiver.close());
  const app = start("fork.mjs", receiver.url);
  const pid = await (await fetch(await app.url(), from)).text();
  await receiver.until((r) =>
    ["in the parent", "in a child", "in a thread"].every((b) => r.logs.some((l) => l.body === b)),
  );
  await app.stop("SIGTERM");
  const of = (body: string): unknown => receiver.log(body).traceId;
  expect([of("in the parent"), of("in a child")]).toEqual([TRACE, ""]);
  const instances = receiver.requests.map((r) => /"process.pid","value":\{"intValue":"(\d+)"/.exec(r.text)?.[1]);
  expect(new Set(instances)).toEqual(new Set([pid, String(app.child.pid)]));
  for (const body of ["in the parent", "in a child", "in a thread"]) {
    expect(receiver.logs.filter((l) => l.body === body)).toHaveLength(1);
  }
});
