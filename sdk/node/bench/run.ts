// What the SDK costs: ns for each call, and how much longer requests take. Writes its part of docs/benchmarks.md.
//
//   npm run bench [-- --dry] [-- --short]     short: the program is overloaded for 5 s, not for 60
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { configured } from "../src/config.ts";
import { ROLE, Runtime } from "../src/runtime.ts";
import { overload } from "./overload.ts";

const here = dirname(fileURLToPath(import.meta.url));
const env = { GASOLINE_URL: "http://127.0.0.1:1", GASOLINE_TOKEN: "x", OTEL_SERVICE_NAME: "bench" };

/** The median time of a call in ns, of so many rounds. */
function each(call: (i: number) => void, rounds = 40, calls = 5000): number {
  const times: number[] = [];
  for (let r = 0; r < rounds; r++) {
    const began = process.hrtime.bigint();
    for (let i = 0; i < calls; i++) call(i);
    times.push(Number(process.hrtime.bigint() - began) / calls);
  }
  return times.sort((a, b) => a - b)[rounds >> 1] as number;
}

function calls(): [string, number][] {
  const config = configured(env, ["node", "/srv/main.js"]);
  if (!config) throw new Error("the SDK is off");
  const fresh = () => new Runtime(config);
  let runtime = fresh();
  const line = "order 1234 was paid by card in 35 ms";
  const log = each(
    (i) => {
      if (i === 0) runtime = fresh();
      runtime.log("bench", 9, line);
    },
    40,
    4900,
  );
  const full = fresh();
  for (let i = 0; i < 5000; i++) full.log("bench", 9, line);
  const over = each(() => full.log("bench", 9, line));
  const attributes = each(
    (i) => {
      if (i === 0) runtime = fresh();
      runtime.log("bench", 9, line, { "order.id": 1234, currency: "EUR" });
    },
    40,
    4900,
  );
  const span = each(
    (i) => {
      if (i === 0) runtime = fresh();
      runtime.open("bench", "GET /items/:id", ROLE.client)?.end();
    },
    40,
    4900,
  );
  return [
    ["a line, into a ring with room", log],
    ["a line, into a full ring", over],
    ["a line with two attributes", attributes],
    ["a span, opened and ended", span],
  ];
}

interface Program {
  child: ChildProcess;
  port: number;
}

function start(watched: boolean, more: Record<string, string> = {}): Promise<Program> {
  const load = watched ? ["--import", pathToFileURL(join(here, "../dist/register.mjs")).href] : [];
  const child = spawn(process.execPath, [...load, join(here, "server.mjs")], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { PATH: process.env["PATH"], ...env, ...more } as NodeJS.ProcessEnv,
  });
  return new Promise((done) => child.once("message", (m) => done({ child, port: (m as { port: number }).port })));
}

/** Sends requests one after the other, and returns how long each took, in ms. */
async function drive(port: number, requests: number): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let i = 0; i < requests; i++) {
    const began = performance.now();
    await new Promise<void>((done, fail) => {
      http
        .get({ agent, host: "127.0.0.1", port, path: `/items/${i}` }, (res) => res.resume().on("end", () => done()))
        .on("error", fail);
    });
    times.push(performance.now() - began);
  }
  agent.destroy();
  return times;
}

const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] as number;

/** Requests to the same program with and without the SDK, in turns, against a receiver that takes everything. */
async function requests(flood: boolean): Promise<{ plain: number[]; watched: number[] }> {
  const receiver = http.createServer((req, res) => req.resume().on("end", () => res.end("{}")));
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(receiver.address() as { port: number }).port}`;
  const more = { GASOLINE_URL: url, ...(flood && { LINES: "101" }) };
  const programs = [await start(false, more), await start(true, more)] as const;
  const out = { plain: [] as number[], watched: [] as number[] };
  for (const { port } of programs) await drive(port, 1000);
  for (let turn = 0; turn < 10; turn++) {
    out.plain.push(...(await drive(programs[0].port, 400)));
    out.watched.push(...(await drive(programs[1].port, 400)));
  }
  for (const { child } of programs) {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
  }
  receiver.closeAllConnections();
  receiver.close();
  return out;
}

const rows: string[] = [];
for (const [what, ns] of calls()) rows.push(`| ${what} | ${(ns / 1000).toFixed(2)} µs | < 2 µs |`);
for (const [what, flood] of [
  ["a request to Express that logs a line", false],
  ["a request that logs 101 lines", true],
] as const) {
  const { plain, watched } = await requests(flood);
  for (const [name, share] of [
    ["median", 0.5],
    ["p99", 0.99],
  ] as const) {
    const [a, b] = [at(plain, share), at(watched, share)];
    rows.push(`| ${what}, ${name} | ${a.toFixed(2)} → ${b.toFixed(2)} ms (×${(b / a).toFixed(2)}) | |`);
  }
}
rows.push(...(await overload(process.argv.includes("--short") ? 5 : 60)));
const table = ["| | Measured | Bound |", "|---|---|---|", ...rows].join("\n");
console.log(table);
if (!process.argv.includes("--dry")) {
  const page = join(here, "../../../docs/benchmarks.md");
  const text = readFileSync(page, "utf8");
  const part = /<!-- sdk-node -->[\s\S]*<!-- \/sdk-node -->/;
  if (!part.test(text)) throw new Error("docs/benchmarks.md has no part sdk-node");
  writeFileSync(page, text.replace(part, `<!-- sdk-node -->\n${table}\n<!-- /sdk-node -->`));
}
