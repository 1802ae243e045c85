// Breaks the code of the page's side on purpose and tells which breaks the tests do not notice. It is to TypeScript what
// tools/mutate is to Go.
//
// It reads the packages that are listed in groups.json, derives breaks from the source (breaks.mjs says which), and builds
// all breaks of a package into one bundle, each behind a number. Nothing in the checkout is changed. Only the tests that
// reach a break run for it, in a page or, of a package of Node, in processes. A break that changes nothing that anybody could see is listed in equivalent.txt with its reason
// and does not count.
//
//	node tools/mutate-ts/main.mjs                     a sample of each package; prints a table and the survivors
//	node tools/mutate-ts/main.mjs --all --only css    every break of the files whose path the pattern fits
//	node tools/mutate-ts/main.mjs --again out.txt     the breaks that an earlier run printed, whose output is in out.txt
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { NodeTests } from "./nodes.mjs";
import { PageTests } from "./pages.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    all: { type: "boolean", default: false },
    sample: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    report: { type: "string" },
    again: { type: "string" },
    why: { type: "boolean", default: false }, // prints which test noticed
    workers: { type: "string", default: "2" },
  },
});

/**
 * @typedef {object} Package
 * @property {string} path below the root
 * @property {string[]} [files] their names; all when absent
 * @property {string[]} [not] names of files that are not broken
 * @property {Record<string, string>} [out] files with tests beside them that are not broken, each with its reason and the
 *   suite that covers it; read by nobody but people
 * @property {string} [page] folder of the tests that run in a page
 * @property {string} [workspace] or the package whose tests run in Node: they are listed in tests
 * @property {string[]} [programs] what of the workspace is built for programs that the tests start
 * @property {string[]} [tests] more test files
 */

/** The sources of a package that are broken. */
async function filesOf({ path, files, not = [] }) {
  const folder = join(root, path);
  const all =
    files ?? (await readdir(folder)).filter((name) => name.endsWith(".ts") && !/\.(test|gen|config)\.ts$/.test(name));
  return all.filter((name) => !not.includes(name)).map((name) => join(folder, name));
}

/** Lines of the form "key  # reason". Lines that begin with # are comments. */
async function readEquivalent(file) {
  const keys = new Set();
  for (const [i, line] of (await readFile(file, "utf8")).split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const at = line.indexOf("  # ");
    if (at < 0 || line.slice(at + 4).trim() === "")
      throw new Error(`${file}:${i + 1}: an equivalent break needs its reason after two spaces and #`);
    keys.add(line.slice(0, at).trim());
  }
  return keys;
}

/** The same sample for the same seed and sources. */
function choose(breaks) {
  if (options.all || breaks.length <= Number(options.sample)) return breaks;
  let state = Number(options.seed) * 2_654_435_761;
  const kept = [...breaks];
  for (let i = kept.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [kept[i], kept[j]] = [kept[j], kept[i]];
  }
  return kept.slice(0, Number(options.sample)).toSorted((a, b) => a.id - b.id);
}

const show = ({ file, line, key }) => `${file}:${line}  ${key}`;

/** Breaks one package and runs its tests for each break. */
async function breakPackage(given, equivalent, again) {
  const tests = await (given.workspace ? NodeTests : PageTests).open(root, given, await filesOf(given));
  try {
    const asked = new RegExp(options.only);
    const kept = tests.breaks.filter(({ key, file }) => !equivalent.has(key) && asked.test(file));
    const chosen = again ? kept.filter(({ key }) => again.has(key)) : choose(kept);
    const waiting = [...chosen];
    const survivors = [];
    let late = 0;
    const work = async () => {
      let page = await tests.page();
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const noticed = await tests.notices(page, one.id);
        if (options.why) console.log(`  ${noticed ? "noticed " : "survived"}  ${show(one)}  by ${noticed}`);
        if (noticed === "") survivors.push(one);
        if (noticed.startsWith("it ")) late++;
        if (/^it (hangs|breaks)/.test(noticed)) {
          const before = page;
          page = await tests.page();
          void before.context().close();
        }
      }
    };
    await Promise.all(Array.from({ length: Number(options.workers) }, work));
    return { total: chosen.length, late, survivors: survivors.toSorted((a, b) => a.id - b.id) };
  } finally {
    await tests.close();
  }
}

const [BEGIN, END] = ["<!-- mutate-ts -->", "<!-- /mutate-ts -->"];

/** Replaces the part of a file between the marks. */
async function writeReport(file, text) {
  const whole = await readFile(file, "utf8");
  const from = whole.indexOf(BEGIN);
  const to = whole.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${file} has no part between ${BEGIN} and ${END}`);
  await writeFile(file, `${whole.slice(0, from)}${BEGIN}\n${text}${whole.slice(to)}`);
}

/** The keys that a run printed. */
const keysIn = (text) =>
  new Set(text.split("\n").flatMap((line) => /^  survived  \S+?:\d+  (.*)$/.exec(line)?.[1] ?? []));

const groups = JSON.parse(await readFile(join(root, "tools/mutate-ts/groups.json"), "utf8"));
const equivalent = await readEquivalent(join(root, "tools/mutate-ts/equivalent.txt"));
const again = options.again && keysIn(await readFile(options.again, "utf8"));
const table = ["| Group | Breaks | Noticed | Goal |", "|---|--:|--:|--:|"];
const missed = [];
for (const { name, goal, packages } of groups) {
  let total = 0;
  let killed = 0;
  for (const given of packages) {
    const paths = await filesOf(given);
    if (!paths.some((path) => new RegExp(options.only).test(path))) continue;
    const { total: all, late, survivors } = await breakPackage(given, equivalent, again);
    total += all;
    killed += all - survivors.length;
    console.log(`${given.path.padEnd(28)} ${all - survivors.length} of ${all} noticed, ${late} by their time`);
    for (const one of survivors) console.log(`  survived  ${show(one)}`);
  }
  if (total === 0) continue;
  const percent = (100 * killed) / total;
  table.push(`| ${name} | ${total} | ${percent.toFixed(1)} % | ${goal} % |`);
  if (percent < goal)
    missed.push(`${name}: ${percent.toFixed(1)} % of ${total} breaks are noticed; the goal is ${goal} %`);
}
console.log(table.join("\n"));
if (options.report)
  await writeReport(
    options.report,
    `${table.join("\n")}\n\n${new Date().toISOString().slice(0, 10)}; seed ${options.seed}, at most ${options.sample} breaks of each package.\n`,
  );
for (const text of missed) console.error(`mutate: ${text}`);
if (missed.length > 0) process.exitCode = 1;
