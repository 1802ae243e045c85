// Bundles tests that run in a page, *.page.ts, into one script, behind the folder's
// setup.ts where it has one. It gives globalThis.inPage; see in-page.ts.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { members } from "../../../scripts/members.mjs";

/**
 * @param {string} folder of the tests
 * @param {{ files?: string[], plugins?: import("esbuild").Plugin[] }} [options] files: more tests
 * @returns {Promise<string>}
 */
export async function bundleTests(folder, { files = [], plugins = [] } = {}) {
  const there = await readdir(folder);
  const own = [
    ...there.filter((name) => name === "setup.ts"),
    ...there.filter((name) => name.endsWith(".page.ts")).toSorted(),
  ];
  const inPage = fileURLToPath(new URL("in-page.ts", import.meta.url));
  const all = [...own.map((name) => join(folder, name)), ...files];
  const { outputFiles } = await build({
    stdin: {
      contents: all.map((file, i) => `import "file:${i}"; import ${JSON.stringify(file)};`).join("\n"),
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    format: "iife",
    target: "chrome120",
    charset: "utf8",
    alias: { vitest: inPage },
    define: { "process.env.NODE_ENV": '"test"', __VERSION__: '"0"' },
    plugins: [...plugins, begins(inPage), members({ isolated: true })],
    // Tests have side effects, whatever the package says of its modules.
    ignoreAnnotations: true,
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

/** Makes modules of their own that tell where the tests of a file begin. */
function begins(inPage) {
  return {
    name: "begins",
    setup(build) {
      build.onResolve({ filter: /^file:\d+$/ }, ({ path }) => ({ path, namespace: "begins" }));
      build.onLoad({ filter: /.*/, namespace: "begins" }, () => ({
        contents: `import { file } from ${JSON.stringify(inPage)}; file();`,
        resolveDir: "/",
      }));
    },
  };
}
