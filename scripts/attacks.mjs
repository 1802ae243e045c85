// The tests of what docs/security.md says. Behind each paragraph, table and item of a list stand their names, in comments:
//
//   <!-- test: internal/httpapi TestOnlyLoopbackListens -->
//   <!-- test: extension/tests/pilot.spec.ts a click needs the pilot -->
//   <!-- no test: what a client does with an answer is its own -->
//
//   node scripts/attacks.mjs check    says what has no test, and which test is not there
//   node scripts/attacks.mjs [WORD]   runs the tests, or those whose name or place has the word
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./results.mjs";

const PAGE = "docs/security.md";
/** What is removed, and how, is told behind it, without claims. */
const END = "## How it is removed";
const MARK = /^\s*<!-- (no test|test): (.+) -->$/;

/** The page's blocks, each with the tests behind it. */
function blocks(page) {
  const out = [];
  let code = false;
  let block;
  for (const [n, line] of page.slice(0, page.indexOf(END)).split("\n").entries()) {
    const mark = MARK.exec(line);
    if (line.startsWith("```")) code = !code;
    if (mark) block?.tests.push({ line: n + 1, none: mark[1] === "no test", text: mark[2] });
    else if (line === "" || line.startsWith("#") || code || line.startsWith("```")) block = undefined;
    else if (!block || /^\s*- /.test(line)) out.push((block = { line: n + 1, text: line, tests: [] }));
  }
  return out;
}

/** Where a test is and how it is called: a package and a function of Go, or a file and a title. */
function place(text) {
  const [where, ...name] = text.split(" ");
  return { where, name: name.join(" ") };
}

const goFiles = (folder) =>
  existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)).filter((file) => file.endsWith("_test.go")) : [];

function isThere({ where, name }) {
  if (!/\.(ts|py)$/.test(where))
    return goFiles(where).some((file) => readFileSync(join(ROOT, where, file), "utf8").includes(`func ${name}(`));
  return existsSync(join(ROOT, where)) && readFileSync(join(ROOT, where), "utf8").includes(name);
}

const all = blocks(readFileSync(join(ROOT, PAGE), "utf8"));
const tests = all.flatMap((block) => block.tests).filter(({ none }) => !none);

function check() {
  const problems = [
    ...all.filter((block) => block.tests.length === 0).map(({ line, text }) => `${PAGE}:${line}: no test: ${text}`),
    ...tests.filter(({ text }) => !isThere(place(text))).map(({ line, text }) => `${PAGE}:${line}: not there: ${text}`),
  ];
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
}

const quoted = (name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The commands that run tests, one for each package or file. */
function commands(word) {
  const names = new Map(); // by where they are
  for (const { text } of tests) {
    const { where: file, name } = place(text);
    // Tests of a page run in one test of the browser.
    const where = file.replace(/page\/[^/]+\.page\.ts$/, "page.spec.ts");
    if (text.includes(word)) names.set(where, new Set([...(names.get(where) ?? []), name]));
  }
  return Array.from(names, ([where, set]) => {
    const any = [...set].map(quoted).join("|");
    const [workspace, ...rest] = where.split("/");
    if (where.endsWith("/page.spec.ts"))
      return { where, cwd: workspace, run: ["npx", "playwright", "test", "page.spec.ts"], titles: any };
    if (where.endsWith(".spec.ts"))
      return {
        where,
        cwd: workspace,
        run: ["npx", "playwright", "test", rest.join("/").replace(/^tests\//, ""), "--grep", any],
      };
    if (where.endsWith(".ts"))
      return { where, cwd: workspace, run: ["npx", "vitest", "run", rest.join("/"), "-t", any] };
    return { where, cwd: ".", run: ["go", "test", "-count=1", "-vet=off", "-run", `^(${any})$`, `./${where}`] };
  });
}

function run(word) {
  const failed = [];
  const meant = tests.filter(({ text }) => text.includes(word));
  for (const {
    where,
    cwd,
    run: [command, ...args],
    titles,
  } of commands(word)) {
    console.log(`── ${where}`);
    const { status } = spawnSync(command, args, {
      cwd: join(ROOT, cwd),
      stdio: "inherit",
      env: titles === undefined ? process.env : { ...process.env, TITLES: titles },
      shell: process.platform === "win32",
    });
    if (status !== 0) failed.push(where);
  }
  if (meant.length === 0) failed.push(`no test of ${PAGE} has "${word}" in its name`);
  console.log(failed.length === 0 ? `All hold: ${meant.length} tests of ${PAGE}` : `Failed: ${failed.join(", ")}`);
  if (failed.length > 0) process.exitCode = 1;
}

if (process.argv[2] === "check") check();
else run(process.argv[2] ?? "");
