// Runs the parts of the test suite, as many side by side as the machine has room for, all of them whatever fails, and
// ends with a summary.
//
//   node scripts/suite.mjs [--all] [PART…]
//
// Without a part: those that test this repository. --all adds those that install other people's programs, the OpenAPI
// document and the builds of all platforms. What each part printed and its JUnit files lie in .cache/results/PART, the
// summary and one JUnit file of the whole beside them.
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runPart, stopParts } from "./part.mjs";
import { PARTS, withNeeds } from "./parts.mjs";
import { ROOT, shown, writeResults } from "./results.mjs";
import { ended, summary, time } from "./summary.mjs";

const CACHE = join(ROOT, ".cache");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: "boolean" } } });
for (const name of positionals) {
  if (PARTS[name]) continue;
  console.error(`suite: there is no part ${name}. The parts are ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}

const asked = Object.keys(PARTS).filter((name) => values.all || PARTS[name].extra === undefined);
const waiting = withNeeds(positionals.length > 0 ? positionals : asked);

const began = performance.now();
/** When each part that runs began. */
const running = new Map();
const done = new Map();
const notRun = [];
let interrupted;

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.on(signal, () => {
    if (interrupted === undefined) console.error("\nsuite: stopping; once more ends it at once");
    else process.exit(code);
    interrupted = code;
    stopParts("SIGTERM");
  });

/** More than two cores are room for more parts; each part uses two workers of its own where it can. */
const LANES = Math.min(4, Math.max(2, Math.floor(cpus().length / 2)));

const terminal = process.stdout.isTTY === true;
const now = () => time((performance.now() - began) / 1000);
const at = () => [...running].map(([name, from]) => `${name} ${time((performance.now() - from) / 1000)}`).join(" · ");
const say = (line) => console.log(`${terminal ? "\r\x1b[K" : ""}${line}`);
const progress = setInterval(
  () => (terminal ? process.stdout.write(`\r\x1b[K${now()}: ${at()}`) : console.log(`${now()}: running ${at()}`)),
  terminal ? 1000 : 60_000,
);

/** Lanes that a part takes. */
const lanes = (name) => (PARTS[name].light ? 0 : PARTS[name].browsers ? 2 : 1);

/** Whether a part may begin beside those that run. */
function fits(name) {
  if (!PARTS[name].needs.every((need) => done.has(need))) return false;
  const taken = [...running.keys()].reduce((sum, other) => sum + lanes(other), 0);
  return lanes(name) === 0 || taken + lanes(name) <= LANES;
}

async function run(name) {
  running.set(name, performance.now());
  // What it needs was made by other parts, and is used by them meanwhile: its task does not make that again.
  const env = PARTS[name].prepares ? {} : { PREPARED: "1" };
  const part = await runPart(name, { target: PARTS[name].target, folder: join(CACHE, "results", name), env });
  running.delete(name);
  done.set(name, part);
  say(ended(part));
}

console.log(`${waiting.length} parts, ${LANES} side by side; what they print goes to ${shown(join(CACHE, "results"))}`);
const failed = (name) => done.get(name)?.cases.some(({ failure }) => failure) || notRun.some((at) => at.name === name);
const parts = new Set();
while (waiting.length > 0 || parts.size > 0) {
  for (const name of waiting.slice()) {
    const need = PARTS[name].needs.find(failed);
    const why = interrupted !== undefined ? "interrupted" : need && `it needs ${need}, which failed`;
    if (!why && !fits(name)) continue;
    waiting.splice(waiting.indexOf(name), 1);
    if (why) {
      notRun.push({ name, why });
      continue;
    }
    const part = run(name).finally(() => parts.delete(part));
    parts.add(part);
  }
  if (parts.size > 0) await Promise.race(parts);
}
clearInterval(progress);

mkdirSync(CACHE, { recursive: true });
const all = [...done.values()];
const text = summary(all, notRun, (performance.now() - began) / 1000);
writeFileSync(join(CACHE, "summary.txt"), `${text}\n`);
const files = [shown(join(CACHE, "summary.txt"))];
try {
  await writeResults(join(CACHE, "junit.xml"), new Map(all.map(({ name, cases }) => [name, cases])));
  files.push(shown(join(CACHE, "junit.xml")));
} catch (error) {
  console.error(`suite: no JUnit file was written: ${error.message}`);
}
say(`\n${text}`);
console.log(`This summary: ${files.join(" and ")}`);
const left = Object.entries(PARTS).filter(([, { extra }]) => extra);
if (positionals.length === 0 && !values.all)
  console.log(`Left to others: ${left.map(([, { task, extra }]) => `make ${task} (${extra})`).join(", ")}.`);
process.exitCode = interrupted ?? (notRun.length > 0 || all.some(({ name }) => failed(name)) ? 1 : 0);
