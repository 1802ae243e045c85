import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The modules that call the extension's API of the browser: one for each folder, so that the rest also runs where there is
 * none. In the worker's folder for tabs and in the one that carries commands out, the modules are what they wrap.
 */
const CALLERS = [
  "extension/background/badge.ts", // the button in the toolbar
  "extension/background/daemon/native.ts",
  "extension/background/debugger/debugger.ts",
  "extension/background/downloads/downloads.ts",
  "extension/background/execution/pages.ts", // navigations
  "extension/background/execution/scripts.ts", // user scripts
  "extension/background/film/browser.ts",
  "extension/background/frames/browser.ts",
  "extension/background/main.ts", // the events that wake the worker
  "extension/background/network/observer.ts",
  "extension/background/screenshots/images.ts",
  "extension/background/tabs/grants.ts", // permissions, and the scripts for them
  "extension/background/tabs/late.ts",
  "extension/background/tabs/list.ts",
  "extension/background/tabs/stale.ts",
  "extension/background/trace/browser.ts",
  "extension/content/browser.ts",
  "extension/dom-agent/browser.ts",
  "extension/film/main.ts",
  "extension/options/browser.ts",
  "extension/popup/browser.ts",
  "extension/state/browser.ts",
];

/** The product's sources in TypeScript below a folder. */
async function sourcesIn(folder: string): Promise<string[]> {
  const files = await readdir(join(root, folder), { recursive: true });
  return files
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|^tests\/|^dist\/|node_modules/.test(file))
    .map((file) => join(folder, file));
}

test("only these modules call chrome.*; none of capture does", async () => {
  const sources = [...(await sourcesIn("extension")), ...(await sourcesIn("capture"))];
  const callers = await Promise.all(
    sources.map(async (file) => {
      // Types and comments are gone after it: naming a type of Chrome's is no call.
      const { code } = await transform(await readFile(join(root, file), "utf8"), {
        loader: "ts",
        minifyWhitespace: true,
      });
      return /(?<![\w$.-])chrome(?![\w$:-])|globalThis\.chrome\b/.test(code) ? [file] : [];
    }),
  );
  expect(callers.flat().sort()).toEqual(CALLERS);
});
