// Bundles the package into dist, and the preload that `gasoline run` writes into internal/launch.
//
//   node build.mjs [--check]   --check writes nothing and fails when the preload is not in step
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const PRELOAD = join(here, "../../internal/launch/node.cjs");
/** Bound of the preload, in bytes. */
const MOST = 60_000;

const common = {
  absWorkingDir: here,
  bundle: true,
  platform: "node",
  target: "node18.19",
  logLevel: "warning",
  legalComments: "none",
};

const preload = await build({
  ...common,
  entryPoints: ["src/register.ts"],
  format: "cjs",
  minify: true,
  write: false,
  outfile: PRELOAD,
  banner: { js: "/* Written by sdk/node/build.mjs. */" },
});
const text = preload.outputFiles[0].text;
if (text.length > MOST) throw new Error(`the preload has ${text.length} bytes, of ${MOST}`);
if (process.argv.includes("--check")) {
  if (readFileSync(PRELOAD, "utf8") !== text)
    throw new Error("internal/launch/node.cjs is not in step: node sdk/node/build.mjs");
} else {
  writeFileSync(PRELOAD, text);
  for (const [format, extension] of [
    ["esm", ".mjs"],
    ["cjs", ".cjs"],
  ]) {
    await build({
      ...common,
      entryPoints: ["src/index.ts", "src/register.ts"],
      format,
      outdir: "dist",
      outExtension: { ".js": extension },
    });
  }
}
