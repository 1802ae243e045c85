// Runs the parts of the test suite one after the other, says how long each took, and fails when a process that a part
// started is still alive after it. Such processes are found by a variable of their environment (Linux only).
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { platform } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

const MARK = "GASOLINE_TEST_SUITE";
const mark = randomUUID();

/** Processes that are given this long to end by themselves after a part. */
const GRACE_MS = 5000;

function run(part) {
  return new Promise((resolve, reject) => {
    const child = spawn("make", ["--no-print-directory", part], {
      stdio: "inherit",
      env: { ...process.env, [MARK]: mark },
    });
    const stop = (signal) => child.kill(signal);
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      resolve(code ?? `ended by ${signal}`);
    });
  });
}

/** Processes with the suite's mark, with their command lines. */
function alive() {
  if (platform() !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        if (!environment.includes(`${MARK}=${mark}`)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return command === "" ? [] : [{ pid: Number(pid), command: command.slice(0, 200) }]; // "": it has ended and waits for its parent
      } catch {
        return []; // It ended meanwhile, or is another user's.
      }
    });
}

async function leftOver() {
  const end = Date.now() + GRACE_MS;
  let left = alive();
  while (left.length > 0 && Date.now() < end) {
    await pause(200);
    left = alive();
  }
  return left;
}

const times = [];
let failed = "";
for (const part of process.argv.slice(2)) {
  const began = Date.now();
  const code = await run(part);
  times.push(`${part} ${((Date.now() - began) / 1000).toFixed(0)} s`);
  if (code !== 0) failed = `${part} failed (${code})`;
  const left = await leftOver();
  if (left.length > 0) {
    failed ||= `${part} left processes alive`;
    for (const { pid, command } of left) {
      console.error(`suite: still alive after ${part}: ${pid} ${command}`);
      try {
        process.kill(pid);
      } catch {
        // It ended meanwhile.
      }
    }
  }
  if (failed) break;
}
console.log(`── ${times.join(", ")}`);
if (failed) {
  console.error(`suite: ${failed}`);
  process.exit(1);
}
console.log("all tests passed");
