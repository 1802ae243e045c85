// Builds the extension into dist/ and, for a release, packs it into gasoline-extension.zip.
//
//   node build.mjs            minified, no source maps, zip
//   node build.mjs --any-size as the first, and no bundle is too large: what tests run
//   node build.mjs --dev      readable, linked source maps, no zip
//   node build.mjs --watch    as --dev, again on every change
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { buildIsolated, watchIsolated } from "./build/core.mjs";
import { IGNORE_LIST, isIgnored } from "./build/ignore-list.mjs";
import { noticesOf } from "./build/notices.mjs";
import { reportSizes } from "./build/sizes.mjs";
import { zipFolder } from "./build/zip.mjs";
import { members } from "../scripts/members.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const out = join(root, "dist");
const watch = process.argv.includes("--watch");
const dev = watch || process.argv.includes("--dev");
const anySize = dev || process.argv.includes("--any-size");

// Scripts that run in pages are IIFEs, so that nothing leaks into the page's scope and nothing is
// loaded asynchronously: document_start would be lost. Budgets are bytes after minification. Those that are
// "ours" look at no page's elements.
const entries = [
  { in: "page/main.ts", out: "page", format: "iife", budget: 81_000, ignored: true },
  { in: "reader/main.ts", out: "reader", format: "iife", budget: 60_000 },
  { in: "dom-agent/upload/main.ts", out: "upload", format: "iife", budget: 7_500 },
  { in: "dom-agent/audit/main.ts", out: "audit", format: "iife", budget: 6_500 },
  { in: "dom-agent/draw/main.ts", out: "draw", format: "iife", budget: 18_000 },
  { in: "dom-agent/inspect/main.ts", out: "inspect", format: "iife", budget: 68_000 },
  { in: "dom-agent/cover/main.ts", out: "cover", format: "iife", budget: 3_500 },
  { in: "snapshot/main.ts", out: "snapshot", format: "iife", budget: 24_000 },
  { in: "stored/main.ts", out: "stored", format: "iife", budget: 25_000 },
  { in: "background/main.ts", out: "background", format: "esm", ours: true },
  { in: "note/main.ts", out: "note", format: "iife", budget: 2_000, ours: true },
  { in: "film/main.ts", out: "film", format: "iife", budget: 8_000, ours: true },
  { in: "popup/main.ts", out: "popup", format: "iife", ours: true },
  { in: "options/main.ts", out: "options", format: "iife", ours: true },
];

// What runs in the extension's isolated world of a page. core.js is what both use.
const isolated = [
  { in: "content/main.ts", out: "content", budget: 56_000 },
  // Areas of pictures and elements without a box of their own need boxes that browsers do not give.
  { in: "dom-agent/main.ts", out: "dom-agent", budget: 154_000 },
  { out: "core", budget: 40_000 },
];

// Loaded into a page when an agent asks for an audit, and no part of a bundle.
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const statics = [
  ["popup/popup.html", "popup.html"],
  ["options/options.html", "options.html"],
  ["film/film.html", "film.html"],
  ["note/note.html", "note.html"],
  ["note/note.css", "note.css"],
  ["look/look.css", "look.css"],
  ["popup/popup.css", "popup.css"],
  ["options/options.css", "options.css"],
  ["config.json", "config.json"],
  ["icons", "icons"],
  ["../LICENSE", "LICENSE.txt"],
  [AXE, "axe.min.js"], // as it is: its licence asks for that
];

const version = (await readFile(join(root, "../VERSION"), "utf8")).trim();

const common = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  target: "chrome120",
  charset: "utf8",
  minify: !dev,
  sourcemap: dev ? "linked" : false,
  legalComments: "none",
  metafile: true,
  define: { __VERSION__: JSON.stringify(version) },
  logLevel: "warning",
};

const options = (entry) => ({
  ...common,
  entryPoints: [{ in: entry.in, out: entry.out }],
  format: entry.format,
  plugins: entry.ours ? [] : [members({ isolated: entry.out !== "page" })],
  // The readable build has its own map, to be read in developer tools.
  ...(entry.ignored && !dev ? { footer: { js: IGNORE_LIST } } : {}),
});

const ofWorld = {
  ...common,
  plugins: [members({ isolated: true })],
  entryPoints: isolated.filter((entry) => entry.in).map((entry) => ({ in: entry.in, out: entry.out })),
};

async function copyStatics() {
  for (const [from, to] of statics) {
    await cp(resolve(root, from), join(out, to), {
      recursive: true,
      filter: (path) => !path.endsWith(".svg"),
    });
  }
  const manifest = JSON.parse(await readFile(join(root, "manifest.json"), "utf8"));
  manifest.version = version;
  await writeFile(join(out, "manifest.json"), JSON.stringify(manifest, null, 2) + "\n");
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await copyStatics();

if (watch) {
  const contexts = await Promise.all(entries.map((entry) => esbuild.context(options(entry))));
  await Promise.all([...contexts.map((context) => context.watch()), watchIsolated(ofWorld)]);
  console.log(`watching; load ${out} as an unpacked extension`);
} else {
  const world = await buildIsolated(ofWorld);
  const built = await Promise.all(entries.map((entry) => esbuild.build(options(entry))));
  const metafiles = [...built, world].map(({ metafile }) => metafile);
  await writeFile(join(out, "NOTICES.txt"), await noticesOf(metafiles, root, [AXE]));
  const fits = reportSizes(
    [
      ...entries.map((entry, i) => ({ entry, metafile: metafiles[i] })),
      ...isolated.map((entry) => ({ entry, metafile: world.metafile })),
    ],
    anySize,
  );
  for (const { out: name, ignored } of entries) {
    if (!ignored || dev || isIgnored(await readFile(join(out, `${name}.js`), "utf8"))) continue;
    throw new Error(`${name}.js does not end with its source map: developer tools would blame it for the page's lines`);
  }
  if (!fits) process.exitCode = 1;
  else if (!dev) {
    const zip = join(root, "gasoline-extension.zip");
    await writeFile(zip, await zipFolder(out));
    console.log(`${(await readdir(out)).length} files in dist, packed into ${zip.slice(root.length + 1)}`);
  }
}
