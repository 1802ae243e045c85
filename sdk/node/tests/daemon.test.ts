// The real daemon: bin/gasoline, on a port and in a state directory of its own.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { holdPort } from "../../../scripts/port.mjs";
import { App, CLOCK, NODE } from "./app.ts";

const here = dirname(fileURLToPath(import.meta.url));
const PROGRAM = process.env["GASOLINE_PROGRAM"] ?? join(here, "../../../bin/gasoline");
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const from = { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } };

let dir = "";
let port = 0;
let release = (): void => undefined;
let daemon: ChildProcess | undefined;
const apps: App[] = [];

const place = (): string[] => ["--port", String(port), "--state-dir", join(dir, "state")];
const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((done) => child.once("exit", done));

async function serve(): Promise<void> {
  daemon = spawn(PROGRAM, ["serve", ...place()], { stdio: "ignore" });
  for (let i = 0; i < 3000; i++) {
    if (await fetch(`http://127.0.0.1:${port}/health`).then((r) => r.ok, () => false)) return; // prettier-ignore
    await pause(10);
  }
  throw new Error("the daemon does not answer");
}

/** Asks the daemon until the answer is enough. */
async function until<T>(path: string, enough: (answer: T) => boolean): Promise<T> {
  const token = readFileSync(join(dir, "state/token"), "utf8").trim();
  let last: unknown;
  for (let i = 0; i < 300; i++) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
    last = await answer.json();
    if (answer.ok && enough(last as T)) return last as T;
    await pause(100);
  }
  throw new Error(`${path}: ${JSON.stringify(last)}`);
}

interface Tree {
  services: string[];
  nodes: { depth: number; kind: string; service?: string; summary: string; failed?: boolean }[];
}

const environment = (service: string): Record<string, string | undefined> => ({
  GASOLINE_TOKEN: undefined,
  GASOLINE_TOKEN_FILE: join(dir, "state/token"),
  OTEL_SERVICE_NAME: service,
});

beforeEach(async () => {
  expect(existsSync(PROGRAM), "make build").toBe(true);
  dir = mkdtempSync(join(tmpdir(), "gasoline-node-"));
  ({ port, release } = await holdPort());
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
  if (daemon) {
    daemon.kill("SIGKILL");
    await ended(daemon);
  }
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  release();
});

test("the tree of a request over two services, its log lines and its error, after a proof of the daemon", async () => {
  await serve();
  const url = `http://127.0.0.1:${port}`;
  apps.push(App.start("plain.mjs", url, environment("shop")), App.start("express.mjs", url, environment("stock")));
  const [shop, stock] = (await Promise.all(apps.map((app) => app.url()))) as [string, string];
  await fetch(`${shop}/fetch?to=${encodeURIComponent(`${stock}/fails`)}`, from);
  await fetch(`${shop}/fetch?to=${encodeURIComponent(`${stock}/items/7`)}`, from);
  const tree = await until<Tree>(
    `/trace/${TRACE}`,
    ({ nodes }) => nodes.filter((n) => n.kind === "span").length === 6 && nodes.some((n) => n.kind === "log"),
  );
  expect(tree.services).toEqual(["shop", "stock"]);
  const lines = tree.nodes
    .filter((n) => n.kind !== "missing")
    .map((n) => `${n.kind} ${n.service} ${n.summary}${n.failed ? " failed" : ""}`);
  const at = (pattern: RegExp): number => lines.findIndex((line) => pattern.test(line));
  const [server, client, called, thrown] = [
    /^span shop .*\/fetch/,
    /^span shop .*\/fails.* failed$/,
    /^span stock .*\/fails.* failed$/,
    /^exception stock .*no price/,
  ].map(at) as [number, number, number, number];
  expect([server, client, called, thrown], lines.join("\n")).not.toContain(-1);
  expect(server < client && client < called && called < thrown, lines.join("\n")).toBe(true);
  const depths = tree.nodes.filter((n) => n.kind !== "missing").map((n) => n.depth);
  expect([depths[client], depths[called], depths[thrown]]).toEqual([1, 2, 3].map((d) => d + depths[server]!));
  expect(at(/^log stock .*item 7/)).toBeGreaterThan(-1);
});

test("a daemon that is killed in the middle and comes back gets what was kept", async () => {
  await serve();
  apps.push(App.start("plain.mjs", `http://127.0.0.1:${port}`, environment("shop")));
  const shop = await apps[0]!.url();
  await fetch(`${shop}/log?n=1`);
  await until<Tree>("/query?kinds=span&limit=10", (a) => JSON.stringify(a).includes("GET /log"));
  daemon?.kill("SIGKILL");
  await ended(daemon!);
  for (let i = 0; i < 5; i++) await fetch(`${shop}/wait?ms=1`, from);
  await serve();
  const tree = await until<Tree>(`/trace/${TRACE}`, ({ nodes }) => nodes.filter((n) => n.kind === "span").length >= 1);
  expect(JSON.stringify(tree.nodes)).toContain("/wait");
});

test("the one string of gasoline token create is enough, and a daemon with another key gets nothing", async () => {
  const paired = (state: string): string => {
    const made = execFileSync(PROGRAM, [
      "token",
      "create",
      "--json",
      "--port",
      String(port),
      "--state-dir",
      join(dir, state),
    ]);
    return (JSON.parse(String(made)) as { pairing: string }).pairing;
  };
  const url = paired("state");
  const stranger = paired("other");
  await serve();
  const own = { GASOLINE_TOKEN: undefined, GASOLINE_TOKEN_FILE: undefined };
  apps.push(App.start("plain.mjs", url, own), App.start("plain.mjs", stranger, { ...own, OTEL_SERVICE_NAME: "other" }));
  for (const app of apps) await fetch(`${await app.url()}/log?n=1`, from);
  const tree = await until<Tree>(
    `/trace/${TRACE}`,
    ({ nodes }) => nodes.some((n) => n.kind === "span") && nodes.some((n) => n.kind === "log"),
  );
  expect(tree.services).toEqual(["shop"]);
  await vi.waitFor(() => expect(apps[1]!.stderr).toMatch(/^gasoline: who answers .*: nothing is sent\n$/), 8000);
  expect((await until<Tree>(`/trace/${TRACE}`, () => true)).services).toEqual(["shop"]);
  expect(apps[0]!.stderr).toBe("");
});

test("gasoline run loads the SDK, and a line that both tell is kept once", async () => {
  await serve();
  const program = spawn(PROGRAM, ["run", ...place(), "--name", "shop", "--", NODE, join(here, "apps/express.mjs")], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: dir,
    env: { PATH: process.env["PATH"], HOME: dir, ...CLOCK } as NodeJS.ProcessEnv,
  });
  let told = "";
  program.stdout?.on("data", (d: Uint8Array) => (told += String(d)));
  for (let i = 0; i < 400 && !/port \d+\n/.test(told); i++) await pause(20);
  const app = /port (\d+)\n/.exec(told)?.[1];
  expect(app, told).toBeDefined();
  await fetch(`http://127.0.0.1:${app}/items/42`, from);
  await until<Tree>(
    `/trace/${TRACE}`,
    ({ nodes }) => nodes.some((n) => n.kind === "span") && nodes.some((n) => n.kind === "log"),
  );
  program.kill("SIGTERM");
  await ended(program);
  expect(told).toContain("item 42\n");
  const tree = await until<Tree>(`/trace/${TRACE}`, () => true);
  expect(tree.nodes.filter((n) => n.summary.includes("item 42"))).toHaveLength(1);
  const logs = await until<{ rows?: unknown[] }>("/buffers/timeline?kinds=log&limit=50", () => true);
  expect(JSON.stringify(logs).match(/item 42/g)).toHaveLength(1);
});
