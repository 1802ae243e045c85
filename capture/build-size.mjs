// Sizes of what the shells bundle, against their budgets. `node build-size.mjs` prints them and fails above a budget;
// a build imports checkSizes.
import { build } from "esbuild";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** entries: what each shell takes of the core, and the bytes that it may have, minified. */
export const entries = [
  {
    name: "page",
    budget: 20_000,
    code: 'export { startPageRealm, Batcher, openPageSide } from "./index.ts";',
  },
  {
    name: "document",
    budget: 55_000,
    code: 'export { startDocument, Batcher, openContentSide } from "./index.ts";',
  },
  {
    name: "ci",
    budget: 60_000,
    code: 'export { startPageRealm, startDocument, Batcher } from "./index.ts";',
  },
];

/** checkSizes bundles every entry and gives [{name, bytes, budget}]. */
export async function checkSizes() {
  return Promise.all(
    entries.map(async ({ name, budget, code }) => {
      const { outputFiles } = await build({
        stdin: { contents: code, resolveDir: here, loader: "ts" },
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        globalName: "g",
        target: "chrome120",
        legalComments: "none",
      });
      return { name, bytes: outputFiles[0].contents.length, budget };
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = await checkSizes();
  for (const { name, bytes, budget } of sizes)
    console.log(`${name.padEnd(9)} ${bytes} of ${budget} bytes`);
  if (sizes.some(({ bytes, budget }) => bytes > budget)) process.exitCode = 1;
}
