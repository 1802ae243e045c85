// What the tools of a test part write of their results, and what the suite reads of them: JUnit files, the one format
// that the test runners of Go, Playwright, Vitest, pytest and schemathesis all have.
//
// A part that runs for the suite has the variable GASOLINE_RESULTS: the folder for its JUnit files.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The variable that tells a part where its JUnit files go. */
export const RESULTS = "GASOLINE_RESULTS";

const folder = process.env[RESULTS];

/**
 * Reporters for a Vitest configuration; name is that of the file.
 * @returns {("default" | ["junit", { outputFile: string }])[]}
 */
export const vitestReporters = (name) =>
  folder ? ["default", ["junit", { outputFile: join(folder, `${name}.xml`) }]] : ["default"];

/**
 * Reporters for a Playwright configuration; name is that of the file.
 * @returns {(["list"] | ["junit", object])[]}
 */
export const playwrightReporters = (name) =>
  folder ? [["list"], ["junit", { outputFile: join(folder, `${name}.xml`) }]] : [["list"]];

/**
 * One test that ran or was left out.
 * @typedef {object} Case
 * @property {string} group The file or package that the test is in.
 * @property {string} name
 * @property {number} seconds
 * @property {{message: string, output: string} | undefined} failure
 * @property {string | undefined} skipped Why it was left out; "" when nobody said why.
 */

/** What the names of all packages of Go begin with. */
const MODULE = /^github\.com\/brennhill\/gasoline\/?/;

/**
 * A test with its outcome; one that passed when nothing is said of how it went.
 * @param {string} group
 * @param {string} name
 * @param {Partial<Case>} [how]
 * @returns {Case}
 */
export const outcome = (group, name, how = {}) => ({
  group,
  name,
  seconds: 0,
  failure: undefined,
  skipped: undefined,
  ...how,
});

const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
const text = (value) => (typeof value === "object" ? (value?.["#text"] ?? "") : String(value ?? ""));

/** The line of a failure that says what is wrong: the message that the runner gives, or the first line like one. */
function messageOf(given, output) {
  const lines = output.split("\n").map((line) => line.trim());
  const told = lines.find((line) => /^(\w*Error\b|\w+_test\.go:\d+: |panic: |E\s{3})/.test(line));
  const own = given.split("\n")[0]?.trim() ?? "";
  // Go's runner says "Failed" of all, Playwright repeats the test's title.
  if (own === "" || own === "Failed" || /\.spec\.ts:\d+:\d+ /.test(own)) return told ?? lines.find(Boolean) ?? own;
  return own;
}

/** Why a test was left out, without the lines that Go's runner puts around it. */
const reasonOf = (told) => /_test\.go:\d+: (.*)/.exec(told)?.[1] ?? told;

function caseOf(at) {
  const failed = [...list(at.failure), ...list(at.error)];
  const reason = list(at.properties?.property).find(({ name }) => name === "skip" || name === "fixme");
  const skipped = list(at.skipped)[0];
  const output = stripVTControlCharacters(
    [...failed.map(text), ...list(at["system-out"]).map(text), ...list(at["system-err"]).map(text)].join("\n"),
  ).trim();
  return {
    group: (at.classname ?? "").replace(MODULE, ""),
    name: at.name ?? "",
    seconds: Number(at.time ?? 0),
    failure:
      failed.length === 0
        ? undefined
        : { message: messageOf(stripVTControlCharacters(failed[0]?.message ?? ""), output), output },
    skipped:
      skipped === undefined
        ? undefined
        : reasonOf(stripVTControlCharacters(skipped?.message || reason?.value || text(skipped)).trim()),
  };
}

/**
 * Reads the JUnit files of a folder.
 * @param {string} from
 * @returns {Promise<Case[]>}
 */
export async function readResults(from) {
  // It is there once the packages are installed, which is a part of the suite.
  const { XMLParser } = await import("fast-xml-parser");
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    htmlEntities: true, // numeric references, which Go's encoder writes
    parseTagValue: false,
    processEntities: { enabled: true, maxTotalExpansions: Infinity, maxExpandedLength: Infinity },
  });
  const cases = [];
  const visit = (suite) => {
    cases.push(...list(suite.testcase).map(caseOf));
    list(suite.testsuite).forEach(visit);
  };
  for (const name of readdirSync(from).filter((name) => name.endsWith(".xml"))) {
    const { testsuites, testsuite } = parser.parse(readFileSync(join(from, name), "utf8"));
    [...list(testsuites), ...list(testsuite)].forEach(visit);
  }
  return cases;
}

/**
 * Writes one JUnit file with a suite for each part.
 * @param {string} file
 * @param {Map<string, Case[]>} parts
 */
export async function writeResults(file, parts) {
  const { XMLBuilder } = await import("fast-xml-parser");
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    format: true,
    suppressEmptyNode: true,
  });
  const count = (cases, what) => cases.filter((at) => at[what] !== undefined).length;
  const testsuite = [...parts].map(([name, cases]) => ({
    "@name": name,
    "@tests": cases.length,
    "@failures": count(cases, "failure"),
    "@skipped": count(cases, "skipped"),
    "@time": cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3),
    testcase: cases.map(({ group, name: title, seconds, failure, skipped }) => ({
      "@classname": group,
      "@name": title,
      "@time": seconds.toFixed(3),
      ...(failure && { failure: { "@message": clean(failure.message), "#text": clean(failure.output) } }),
      ...(skipped !== undefined && { skipped: { "@message": clean(skipped) } }),
    })),
  }));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ testsuites: { testsuite } })}`);
}

/** Text without the characters that XML 1.0 does not allow. */
// oxlint-disable-next-line no-control-regex -- they are what is taken away
const clean = (value) => value.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd");

/** A path as a person reads it: from the folder in which the command was given. */
export const shown = (path) => relative(process.cwd(), path) || ".";
