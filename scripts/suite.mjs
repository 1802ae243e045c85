// Runs the parts of the test suite one after the other, says how long each took, and fails when a process that a part
// started is still alive after it. Such processes are found by a variable of their environment (Linux only).
//
//   node scripts/suite.mjs PART… [--beside PART:BEFORE]…
//
// A part that needs little of the processor runs beside the others from the start, and has to be done before one of
// them. What it prints is kept until it has ended.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { platform } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";

const MARK = "GASOLINE_TEST_SUITE";
const mark = randomUUID();

/** Processes that are given this long to end by themselves after a part. */
const GRACE_MS = 5000;

const running = new Set();
const stop = (signal) => running.forEach((child) => child.kill(signal));
process.once("SIGINT", stop);
process.once("SIGTERM", stop);

/** Runs a part. Resolves with its exit code, or what ended it, and what it printed unless that went to the terminal. */
function run(part, stdio) {
  return new Promise((resolve, reject) => {
    const child = spawn("make", ["--no-print-directory", part], {
      stdio,
      env: { ...process.env, [MARK]: `${mark} ${part}` },
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (printed += data));
    running.add(child);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      running.delete(child);
      // A process that it left may hold what it prints to open.
      const closed = new Promise((done) => child.once("close", done));
      void Promise.race([closed, pause(1000)]).then(() => resolve({ code: code ?? `ended by ${signal}`, printed }));
    });
  });
}

/** Processes that a part started, with their command lines. */
function alive(part) {
  if (platform() !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        if (!environment.includes(`${MARK}=${mark} ${part}`)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return command === "" ? [] : [{ pid: Number(pid), command: command.slice(0, 200) }]; // "": it has ended and waits for its parent
      } catch {
        return []; // It ended meanwhile, or is another user's.
      }
    });
}

async function leftOver(part) {
  const end = Date.now() + GRACE_MS;
  let left = alive(part);
  while (left.length > 0 && Date.now() < end) {
    await pause(200);
    left = alive(part);
  }
  return left;
}

/** Runs a part and looks at what it left. Resolves with why it failed, "" when it did not. */
async function done(part, stdio) {
  const began = Date.now();
  const { code, printed } = await run(part, stdio);
  times.push(`${part} ${((Date.now() - began) / 1000).toFixed(0)} s`);
  if (printed) process.stdout.write(`── ${part}, which ran beside:\n${printed}`);
  const left = await leftOver(part);
  for (const { pid, command } of left) {
    console.error(`suite: still alive after ${part}: ${pid} ${command}`);
    try {
      process.kill(pid);
    } catch {
      // It ended meanwhile.
    }
  }
  if (code !== 0) return `${part} failed (${code})`;
  return left.length > 0 ? `${part} left processes alive` : "";
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { beside: { type: "string", multiple: true, default: [] } },
});
const times = [];
const began = Date.now();
/** Parts that run beside the others, by the part that waits for them. */
const beside = new Map();
for (const pair of values.beside) {
  const [part, before] = pair.split(":");
  beside.set(before, done(part, ["ignore", "pipe", "pipe"]));
}
let failed = "";
for (const part of positionals) {
  failed = (await beside.get(part)) ?? "";
  beside.delete(part);
  failed ||= await done(part, "inherit");
  if (failed) break;
}
if (failed) stop("SIGTERM");
for (const ended of beside.values()) failed ||= await ended;
console.log(`── ${times.join(", ")}; ${((Date.now() - began) / 1000).toFixed(0)} s in all`);
if (failed) {
  console.error(`suite: ${failed}`);
  process.exit(1);
}
console.log("all tests passed");
