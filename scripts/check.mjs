// Types, lint and format of everything in TypeScript and JavaScript. Prints what is wrong and nothing else.
import { execFile } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const sources = ["capture", "extension", "schema/ts", "examples", "scripts", "e2e", "tools/mutate-ts", "sdk/node"];

/** What is run, cheapest first. extension builds by references: schema, capture and each of its own folders. */
const checks = [
  ["oxfmt", "--list-different", ...sources],
  ["oxlint", "--format=stylish", ...sources],
  ["tsc", "-b", "extension"],
  ["tsc", "-p", "capture"],
  ["tsc", "-p", "capture/tests"],
  ["tsc", "-p", "extension/tests"],
  ["tsc", "-p", "examples"],
  ["tsc", "-p", "e2e"],
  ["tsc", "-p", "sdk/node"],
];

/** Runs a tool of node_modules. Resolves with what it found; "" when all is well. */
function run([tool, ...args]) {
  const shim = join(root, "node_modules/.bin", process.platform === "win32" ? `${tool}.cmd` : tool);
  return new Promise((resolve) => {
    execFile(
      shim,
      args,
      { cwd: root, maxBuffer: 1 << 26, shell: process.platform === "win32" },
      (error, stdout, stderr) => {
        if (!error) resolve("");
        else resolve(`── ${tool} ${args.join(" ")}\n${stdout + stderr || error.message}`.trimEnd());
      },
    );
  });
}

const waiting = [...checks];
const found = [];
async function work() {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const problems = await run(check);
    if (problems) found.push(check[0] === "oxfmt" ? `${problems}\nrun: npm run format` : problems);
  }
}
await Promise.all(Array.from({ length: Math.min(cpus().length, checks.length) }, work));
for (const problems of found) console.error(problems);
if (found.length > 0) process.exitCode = 1;
