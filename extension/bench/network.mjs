// What the extension costs a page's requests: two browsers of one run, one without it, by turns. It prints medians and
// ratios and judges nothing. `node bench/network.mjs [--detail]`; --detail measures with network detail switched on;
// CHROMIUM_PATH names the browser.
import { chromium } from "@playwright/test";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../scripts/chromium.mjs";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const detail = process.argv.includes("--detail");
const turns = 12;

const server = createServer((request, response) => {
  response.setHeader("cache-control", "no-store");
  if (request.url.startsWith("/i"))
    response
      .setHeader("content-type", "image/svg+xml")
      .end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
  else if (request.url.startsWith("/f")) response.setHeader("content-type", "application/json").end('{"a":1}');
  else response.setHeader("content-type", "text/html").end("<!doctype html><title>page</title>");
});
server.keepAliveTimeout = 120_000;
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}/`;

/** A browser with one page, with or without the extension. Nobody listens on its port: what is captured is kept. */
async function open(withExtension) {
  const home = await mkdtemp(join(tmpdir(), "gasoline-bench-"));
  const args = ["--no-sandbox", "--disable-gpu"];
  if (withExtension) {
    const extension = join(home, "extension");
    await cp(dist, extension, { recursive: true });
    await writeFile(join(extension, "config.json"), JSON.stringify({ port: 9 }));
    if (detail) {
      const manifest = JSON.parse(await readFile(join(extension, "manifest.json"), "utf8"));
      manifest.permissions.push("webRequest");
      await writeFile(join(extension, "manifest.json"), JSON.stringify(manifest));
    }
    args.push(`--disable-extensions-except=${extension}`, `--load-extension=${extension}`);
  }
  const context = await chromium.launchPersistentContext(join(home, "profile"), {
    executablePath: findChromium() ?? "",
    headless: true,
    viewport: null,
    args,
  });
  if (withExtension && context.serviceWorkers().length === 0) await context.waitForEvent("serviceworker");
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(url);
  const close = async () => {
    await context.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  return { page, close };
}

/** Milliseconds of each request, one after the other. */
const measure = (page, count) =>
  page.evaluate(async (requests) => {
    const took = { fetch: [], image: [] };
    const timed = async (list, work) => {
      const start = performance.now();
      await work();
      list.push(performance.now() - start);
    };
    for (let i = 0; i < requests; i++) await timed(took.fetch, async () => (await fetch(`/f?${i}`)).text());
    for (let i = 0; i < requests / 2; i++)
      await timed(
        took.image,
        () =>
          new Promise((loaded) => {
            const image = new Image();
            image.onload = image.onerror = loaded;
            image.src = `/i?${performance.now()}`;
          }),
      );
    return took;
  }, count);

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

const browsers = [await open(false), await open(true)];
const all = { fetch: [[], []], image: [[], []] };
for (const { page } of browsers) await measure(page, 50);
for (let turn = 0; turn < turns; turn++) {
  for (const which of turn % 2 === 0 ? [0, 1] : [1, 0]) {
    const took = await measure(browsers[which].page, 60);
    for (const kind of ["fetch", "image"]) all[kind][which].push(...took[kind]);
  }
}
await Promise.all(browsers.map(({ close }) => close()));
server.close();

console.log(
  `requests to this machine one after the other, medians of ${turns} turns, milliseconds${detail ? "; network detail on" : ""}`,
);
console.log(`${"".padEnd(44)}   without      with     ratio`);
for (const kind of ["fetch", "image"]) {
  const [without, with_] = all[kind].map(median);
  console.log(
    `${kind.padEnd(44)}${without.toFixed(2).padStart(10)}${with_.toFixed(2).padStart(10)}${(with_ / without).toFixed(2).padStart(10)}`,
  );
}
