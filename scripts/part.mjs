// One part of the test suite: a task of the Makefile that runs in a process group of its own, writes what it prints to a
// file and its results as JUnit files. A process that it started and left alive is a failure of the part. Such processes
// are found by a variable of their environment (Linux only).
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { RESULTS, ROOT, outcome, readResults } from "./results.mjs";

const MARK = "GASOLINE_TEST_SUITE";
const mark = randomUUID();

/** Processes are given this long to end by themselves after a part. */
const GRACE_MS = 5000;

/** A part that was told to stop is given this long. */
const STOP_MS = 10_000;

/** Lines of what a part printed that stand in the summary. */
export const LAST_LINES = 20;

const running = new Set();

/** Ends all parts that run, by a signal and at last by force. */
export function stopParts(signal) {
  for (const child of running) kill(-child.pid, signal);
  setTimeout(() => running.forEach((child) => kill(-child.pid, "SIGKILL")), STOP_MS).unref();
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}

/** Processes of a part, with their command lines. */
function alive(id) {
  if (platform() !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        if (!environment.includes(`${MARK}=${id}`)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return command === "" ? [] : [{ pid: Number(pid), command: command.slice(0, 200) }]; // "": it waits for its parent
      } catch {
        return []; // It ended meanwhile, or is another user's.
      }
    });
}

async function leftOver(id) {
  const end = performance.now() + GRACE_MS;
  let left = alive(id);
  while (left.length > 0 && performance.now() < end) {
    await pause(200);
    left = alive(id);
  }
  return left;
}

/** The end of a file, in lines. */
export function lastLines(file, count = LAST_LINES) {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).join("\n");
}

/**
 * Runs a part.
 *
 * @param {string} name The part, as the summary says it.
 * @param {object} options
 * @param {string} [options.target] The task of the Makefile; the part's name.
 * @param {string} options.folder Where its results and its output go. What is there is removed.
 * @param {Record<string, string>} [options.env]
 * @returns {Promise<{name: string, seconds: number, cases: import("./results.mjs").Case[], log: string}>}
 *   A part that ends with an error without naming a failed test has one more failed case, which is the part itself.
 */
export async function runPart(name, { target = name, folder, env = {} }) {
  const began = performance.now();
  const id = `${mark} ${name}`;
  const log = join(folder, "output.log");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const output = openSync(log, "w");
  const ended = await new Promise((resolve) => {
    const child = spawn("make", ["--no-print-directory", target], {
      cwd: ROOT,
      stdio: ["ignore", output, output],
      detached: true,
      env: { ...process.env, ...env, [MARK]: id, [RESULTS]: folder },
    });
    running.add(child);
    const done = (how) => {
      running.delete(child);
      resolve(how);
    };
    child.once("error", (error) => done(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) => done(code === 0 ? "" : `ended with ${signal ?? `exit code ${code}`}`));
  });
  closeSync(output);
  const left = await leftOver(id);
  for (const { pid } of left) kill(pid, "SIGKILL");

  const cases = [];
  const own = (title, message, lines) => cases.push(outcome(name, title, { failure: { message, output: lines } }));
  try {
    cases.push(...(await readResults(folder)));
  } catch (error) {
    if (!ended) own("(its results)", `they could not be read: ${error.message}`, "");
  }
  if (ended && !cases.some(({ failure }) => failure)) own("(the part)", `${name} ${ended}`, lastLines(log));
  if (left.length > 0)
    own(
      "(processes)",
      `${left.length} processes were still alive ${GRACE_MS / 1000} s after it`,
      left.map(({ pid, command }) => `${pid} ${command}`).join("\n"),
    );
  return { name, seconds: (performance.now() - began) / 1000, cases, log };
}
