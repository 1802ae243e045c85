// What can be said of the sources without running a test: format, vet, lint, types, sizes, generated files. All of it is
// looked at, whatever is found; what is wrong is printed, and nothing else.
import { execFileSync, spawn } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import { RESULTS, ROOT, outcome, writeResults } from "./results.mjs";

const windows = process.platform === "win32";
const sources = ["capture", "extension", "schema/ts", "examples", "scripts", "e2e", "tools/mutate-ts", "sdk/node"];
/** Ours: packages and caches below this folder have files of Go, too. */
const goFiles = execFileSync("git", ["ls-files", "*.go"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
const locks = ["package-lock.json", "*/package-lock.json"];

/** A tool of node_modules. */
const npm = (tool, ...args) => [join(ROOT, "node_modules/.bin", windows ? `${tool}.cmd` : tool), ...args];

/**
 * The checks, longest first. fix: what to do about what is found. silent: there must be no output.
 * absent: it looks for what must not be there, and ends with 1 when it finds nothing.
 */
const CHECKS = [
  { name: "go vet", run: ["go", "vet", "./..."] },
  { name: "tsc extension", run: npm("tsc", "-b", "extension") }, // by references: schema, capture and each of its folders
  { name: "staticcheck", run: [join(ROOT, ".cache/bin/staticcheck"), "./..."] },
  { name: "oxlint", run: npm("oxlint", "--format=stylish", ...sources) },
  { name: "generated files", run: ["go", "run", "./internal/gen", "-check"], fix: "make gen" },
  ...["capture", "capture/tests", "extension/tests", "examples", "e2e", "sdk/node"].map((project) => ({
    name: `tsc ${project}`,
    run: npm("tsc", "-p", project),
  })),
  { name: "oxfmt", run: npm("oxfmt", "--list-different", ...sources), fix: "npm run format" },
  { name: "go mod verify", run: ["go", "mod", "verify"] },
  { name: "go mod tidy", run: ["go", "mod", "tidy", "-diff"], fix: "go mod tidy" },
  { name: "gofmt", run: ["gofmt", "-l", ...goFiles], silent: true, fix: "gofmt -w" },
  { name: "sizes of the capture core", run: ["npm", "run", "--silent", "size", "--workspace", "@gasoline/capture"] },
  { name: "the SDK for Node as it is bundled", run: ["node", "sdk/node/build.mjs", "--check"] },
  { name: "columns and links of Markdown pages", run: ["node", "scripts/markdown.mjs"] },
  { name: "each sentence about security has its test", run: ["node", "scripts/attacks.mjs", "check"] },
  {
    name: "lock files name no registry",
    run: ["git", "grep", "-n", '"resolved": "http', "--", ...locks],
    absent: true,
    fix: "see .npmrc",
  },
];

/** Runs a check. Resolves with what it found; undefined when all is well. */
function look({ run: [command, ...args], silent, absent }) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, { cwd: ROOT, shell: windows, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => {
      const good = absent ? code === 1 : code === 0 && !(silent && output.trim());
      resolve(good ? undefined : output.trimEnd() || `it ended with ${code}`);
    });
  });
}

const waiting = [...CHECKS];
const cases = [];
async function work() {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const began = performance.now();
    const output = await look(check);
    const message = `${check.name}${check.fix ? `: ${check.fix} mends it` : ""}`;
    if (output !== undefined) console.error(`── ${message}\n${output}`);
    const failure = output === undefined ? undefined : { message, output };
    cases.push(outcome("check", check.name, { seconds: (performance.now() - began) / 1000, failure }));
  }
}
await Promise.all(Array.from({ length: Math.min(cpus().length, CHECKS.length) }, work));
if (cases.some(({ failure }) => failure)) process.exitCode = 1;
if (process.env[RESULTS]) await writeResults(join(process.env[RESULTS], "check.xml"), new Map([["check", cases]]));
