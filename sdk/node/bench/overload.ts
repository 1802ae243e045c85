// What a program feels that logs ten times what the daemon takes: the same program with and without the SDK, side by
// side, asked in turns at a fixed rate, while the daemon takes what its token allows, is away, or refuses.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { holdPort } from "../../../scripts/port.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const PROGRAM = join(here, "../../../bin/gasoline");
/** Requests a second, and lines of each: 20,000 lines a second, of which a token for sending lets 2,000 through. */
const RATE = 200;
const LINES = 100;
/** What the SDK may add to the program's memory: its bounds are 4 MiB and 5,000 events, and V8 keeps garbage for a while. */
const MOST_MEMORY = 64 << 20;

interface Report {
  rss: number;
  made: number;
  stats?: { waiting: number; sent: number; dropped: number; failures: number };
}

interface Program {
  child: ChildProcess;
  port: number;
  agent: http.Agent;
  times: number[];
}

async function start(url: string | undefined, token: string): Promise<Program> {
  const load = url === undefined ? [] : ["--import", pathToFileURL(join(here, "../dist/register.mjs")).href];
  const child = spawn(process.execPath, [...load, join(here, "server.mjs")], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      PATH: process.env["PATH"],
      LINES: String(LINES),
      OTEL_SERVICE_NAME: "bench",
      ...(url !== undefined && { GASOLINE_URL: url, GASOLINE_TOKEN: token }),
    } as NodeJS.ProcessEnv,
  });
  const port = await new Promise<number>((done) => child.once("message", (m) => done((m as { port: number }).port)));
  return { child, port, agent: new http.Agent({ keepAlive: true, maxSockets: 64, scheduling: "fifo" }), times: [] };
}

const report = ({ child }: Program): Promise<Report> =>
  new Promise((done) => {
    child.once("message", (m) => done(m as Report));
    child.send("report");
  });

async function stop({ child, agent }: Program): Promise<void> {
  agent.destroy();
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await ended;
}

const ask = ({ agent, port, times }: Program, count: boolean): Promise<void> =>
  new Promise((done, fail) => {
    const began = performance.now();
    http
      .get({ agent, host: "127.0.0.1", port, path: "/items/42" }, (res) => {
        res.resume().on("end", () => {
          if (count) times.push(performance.now() - began);
          done();
        });
      })
      .on("error", (error) => fail(new Error(`port ${port}, after ${times.length} requests: ${error.message}`)));
  });

/** Asks the programs in turns, one request at a time and each so many times a second, unless that is more than they can. */
async function drive(programs: readonly Program[], seconds: number, count: boolean): Promise<void> {
  const began = performance.now();
  const step = 1000 / RATE / programs.length;
  for (let i = 0; performance.now() - began < seconds * 1000; i++) {
    const left = began + i * step - performance.now();
    if (left > 1) await pause(left);
    await ask(programs[i % programs.length] as Program, count);
  }
}

interface Daemon {
  url: string;
  token: string;
  close(): unknown;
}

/** The program itself, and a token for sending with the limits that all have. */
async function present(): Promise<Daemon> {
  const dir = mkdtempSync(join(tmpdir(), "gasoline-bench-"));
  const { port } = await holdPort();
  const place = ["--port", String(port), "--state-dir", dir];
  const made = execFileSync(PROGRAM, ["token", "create", "--json", ...place]);
  const child = spawn(PROGRAM, ["serve", ...place], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 400; i++) {
    if (await fetch(`${url}/health`).then((r) => r.ok, () => false)) break; // prettier-ignore
    await pause(10);
  }
  return {
    url,
    token: (JSON.parse(String(made)) as { token: string }).token,
    async close() {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const away = async (): Promise<Daemon> => ({
  url: `http://127.0.0.1:${(await holdPort()).port}`,
  token: "x",
  close: () => undefined,
});

async function refusing(): Promise<Daemon> {
  const server = http.createServer((req, res) => {
    req.resume().on("end", () => res.writeHead(429, { "retry-after": "1" }).end());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    token: "x",
    close: () => (server.closeAllConnections(), server.close()),
  };
}

const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] as number;

/** Returns rows for docs/benchmarks.md. It fails when something was lost that nobody counted, or memory grew. */
export async function overload(seconds: number): Promise<string[]> {
  if (!existsSync(PROGRAM)) throw new Error("bin/gasoline is not there: make build");
  const rows: string[] = [];
  for (const [what, daemon] of [
    ["the daemon takes 2,000 a second", present],
    ["no daemon", away],
    ["a daemon that answers 429", refusing],
  ] as const) {
    const running = await daemon();
    const { url, token } = running;
    const programs = [await start(undefined, ""), await start(url, token)] as const;
    await drive(programs, 3, false);
    await drive(programs, seconds, true);
    const [plain, watched] = (await Promise.all(programs.map(report))) as [Report, Report];
    const [a, b] = programs.map((p) => p.times) as [number[], number[]];
    const { sent = 0, dropped = 0, waiting = 0, failures = 0 } = watched.stats ?? {};
    const more = watched.rss - plain.rss;
    const rate = Math.round(watched.made / (seconds + 3));
    rows.push(
      `| ${what}, ${rate} lines and spans a second for ${seconds} s: median and p99 of requests | ` +
        `${[0.5, 0.99].map((s) => `${at(a, s).toFixed(2)} → ${at(b, s).toFixed(2)} ms (×${(at(b, s) / at(a, s)).toFixed(2)})`).join(", ")} | |`,
      `| the same: of ${watched.made} lines and spans ${sent} sent, ${dropped} dropped and counted, ${waiting} waiting; ` +
        `${failures} requests failed | ${(more / 2 ** 20).toFixed(0)} MB more memory | < ${MOST_MEMORY >> 20} MB |`,
    );
    await Promise.all(programs.map(stop));
    await running.close();
    // Told with what was sent are records that say how many were dropped: at most one with each request.
    const counted = sent + dropped + waiting;
    if (counted < watched.made || counted > watched.made * 1.01) {
      throw new Error(`${what}: ${counted} events are counted of ${watched.made}`);
    }
    if (waiting > 5400) throw new Error(`${what}: ${waiting} events wait`);
    if (more > MOST_MEMORY) throw new Error(`${what}: ${more >> 20} MB more memory`);
  }
  return rows;
}
