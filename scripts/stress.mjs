// Runs parts of the test suite again and again beside load, and names each test that was red at least once.
//
//   make stress PART="go-test capture" N=20 LOAD=2 ONLY=./internal/store CLOCK=2026-12-31T23:59:58Z ZONE=Asia/Kolkata
//
// PART   parts, in this order; all that test this repository
// N      how often each runs; 5
// LOAD   processes that compute all the time beside it; 2
// ONLY   what of the part: packages of Go, a file of specs, of Vitest's or of pytest's tests
// CLOCK  the instant at which each run begins, by the clock of the tests; the machine's
// ZONE   their time zone; the machine's
// CLOCKS with any value: one run for each clock and zone at which something is likely to break
//
// Ends with 1 when a test was red.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clock } from "./clock.mjs";
import { runPart, stopParts } from "./part.mjs";
import { PARTS, withNeeds } from "./parts.mjs";
import { ROOT, shown } from "./results.mjs";
import { last, some, time, title } from "./summary.mjs";

/** Times at which something ends, and zones: a year, an hour, both changes of time, a day that most years do not have. */
const CLOCKS = [
  { at: "2026-12-31T23:59:58Z", zone: "UTC" },
  { at: "2026-11-20T18:59:58Z", zone: "Asia/Kolkata" },
  { at: "2027-03-28T00:59:58Z", zone: "Europe/Berlin" },
  { at: "2026-10-25T00:59:58Z", zone: "Europe/Berlin" },
  { at: "2028-02-29T10:59:58Z", zone: "Pacific/Auckland" },
];

const env = process.env;
const fail = (message) => {
  console.error(`stress: ${message}`);
  process.exit(2);
};
const number = (name, or) => {
  const value = Number(env[name] || or);
  return Number.isInteger(value) && value >= 0 ? value : fail(`${name} is ${env[name]}, and should be a whole number`);
};
const names = env.PART?.trim()
  ? env.PART.trim().split(/\s+/)
  : Object.keys(PARTS).filter((name) => PARTS[name].extra === undefined && !PARTS[name].prepares);
for (const name of names)
  if (!PARTS[name] || PARTS[name].prepares)
    fail(
      `there is no part ${name}. The parts are ${Object.keys(PARTS)
        .filter((at) => !PARTS[at].prepares)
        .join(", ")}`,
    );
const load = number("LOAD", 2);
const runs = env.CLOCKS
  ? CLOCKS
  : Array.from({ length: number("N", 5) }, () => ({ at: env.CLOCK || undefined, zone: env.ZONE || undefined }));

const FOLDER = join(ROOT, ".cache", "stress");
const busy = Array.from({ length: load }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
const quiet = () => busy.forEach((child) => child.kill("SIGKILL"));
process.once("exit", quiet);
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    stopParts("SIGTERM");
  });

/** The tests that were red, by part and title: how often, and what the last one printed. */
const red = new Map();
const table = [];
let failed = false;

for (const name of withNeeds(names).filter((at) => PARTS[at].prepares)) {
  if (interrupted) break;
  const { cases, log } = await runPart(name, { target: PARTS[name].target, folder: join(FOLDER, name) });
  if (cases.some(({ failure }) => failure)) fail(`${name}, which is needed, failed; see ${shown(log)}`);
}
for (const name of names) {
  const took = [];
  let green = 0;
  let tests = 0;
  for (const [i, { at, zone }] of runs.entries()) {
    if (interrupted) break;
    const told = [...(at ? [`at ${at}`] : []), ...(zone ? [`in ${zone}`] : [])].join(" ");
    const { cases, seconds, log } = await runPart(name, {
      folder: join(FOLDER, name, String(i + 1)),
      env: { PREPARED: "1", ...clock(at, PARTS[name].go === true), ...(zone && { TZ: zone }) },
    });
    if (interrupted) break;
    const bad = cases.filter(({ failure }) => failure);
    for (const one of bad) {
      const key = `${name}: ${title(one)}`;
      const before = red.get(key) ?? { count: 0 };
      red.set(key, { count: before.count + 1, of: runs.length, ...one.failure, log, told });
    }
    took.push(seconds);
    tests = Math.max(tests, cases.length);
    if (bad.length === 0) green++;
    const outcome = bad.length === 0 ? "green" : `${bad.length} red`;
    console.log(`${name} ${i + 1} of ${runs.length}${told && ` ${told}`}: ${outcome}, ${time(seconds)}`);
  }
  took.sort((a, b) => a - b);
  if (took.length === 0) break;
  failed ||= green < took.length;
  const times = `${time(took[0])} to ${time(took.at(-1))}`;
  table.push(`| ${name} | ${tests.toLocaleString("en")} | ${green} of ${took.length} | ${times} |`);
}
quiet();

const out = [
  `| Part | Tests | Green, beside ${some(load, "busy loop")} | Time |`,
  "|---|---|---|---|",
  ...table,
  ...[...red]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .flatMap(([key, { count, of, message, output, log, told }]) => [
      "",
      `${key}: red ${count} of ${of}${told && `, at last ${told}`}`,
      `  ${message}`,
      last(output).replace(/^/gm, "      "),
      `  ${shown(log)}`,
    ]),
];
writeFileSync(join(FOLDER, "summary.txt"), `${out.join("\n")}\n`);
console.log(`\n${out.join("\n")}`);
process.exitCode = interrupted ? 130 : failed ? 1 : 0;
