// Sizes of what the shells bundle of the core. `node build-size.mjs` prints them and fails above a budget; a build
// imports checkSizes. Budgets are for the compressed bytes, which is what a package or a page load carries; what the
// code costs a page is its start, and bench/run.mjs measures that.
import { build } from "esbuild";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { members } from "../scripts/members.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/**
 * A script for pages without the extension is built with these options of the bundler: web-vitals comes without its
 * attribution. Then the values and ratings are the same, the element is named by its tag, id and classes, and the parts of
 * the times are missing.
 */
export const alone = { alias: { "web-vitals/attribution": "web-vitals" }, plugins: [members()] };

/** entries: what each shell takes of the core, and the bytes that it may have after minify and gzip. */
export const entries = [
  {
    name: "page",
    budget: 31_000,
    options: { plugins: [members()] },
    code: 'export { startPageRealm, Batcher, openPageSide } from "./index.ts";',
  },
  {
    name: "document",
    budget: 33_300,
    options: { plugins: [members({ isolated: true })] },
    code: 'export { startDocument, Batcher, openContentSide } from "./index.ts";',
  },
  {
    name: "ci",
    budget: 54_500,
    options: alone,
    code: 'export { startPageRealm, startDocument, Builtins, Batcher } from "./index.ts";',
  },
];

/** checkSizes bundles every entry and gives [{name, minified, gzip, budget}], in bytes. */
export async function checkSizes() {
  return Promise.all(
    entries.map(async ({ name, budget, code, options }) => {
      const { outputFiles } = await build({
        stdin: { contents: code, resolveDir: here, loader: "ts" },
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        globalName: "g",
        target: "chrome120",
        legalComments: "none",
        ...options,
      });
      const { contents } = outputFiles[0];
      return { name, minified: contents.length, gzip: gzipSync(contents).length, budget };
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = await checkSizes();
  for (const { name, minified, gzip, budget } of sizes) {
    console.log(`${name.padEnd(9)} ${minified} bytes minified, ${gzip} of ${budget} compressed`);
  }
  if (sizes.some(({ gzip, budget }) => gzip > budget)) process.exitCode = 1;
}
