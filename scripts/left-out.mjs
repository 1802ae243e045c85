// Says that a test is left out, and why: on the terminal, and in the summary of the test suite.
//
//   node scripts/left-out.mjs TEST REASON
//
// Ends with 1 where everything was asked for (ALL).
import { join } from "node:path";
import { RESULTS, outcome, writeResults } from "./results.mjs";

const [name = "", reason = ""] = process.argv.slice(2);
console.log(`left out: ${name}: ${reason}`);
const folder = process.env[RESULTS];
if (process.env.ALL) process.exitCode = 1;
else if (folder) {
  const test = outcome("", name, { skipped: reason });
  await writeResults(join(folder, `left-out-${name.replaceAll(/\W+/g, "-")}.xml`), new Map([[name, [test]]]));
}
