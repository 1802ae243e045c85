// Runs web platform tests by turns in a browser without the extension and in one with it. What ends differently is run
// four times more in each; subtests that differ every time are printed, and then the exit code is 1. Called by run.sh.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = resolve(process.env.WPT_DIR);
const again = 4;
const patience = 20_000; // ms for one file

/** The URL paths of the tests below a path: pages with the harness, and the pages of tests that are one script. */
async function testsIn(path) {
  const at = join(folder, path);
  if ((await stat(at)).isDirectory()) {
    const names = (await readdir(at)).filter((name) => !/^(resources|support|tools)$/.test(name)).sort();
    return (await Promise.all(names.map((name) => testsIn(join(path, name))))).flat();
  }
  const url = `/${relative(folder, at).replaceAll("\\", "/")}`;
  if (/\.https?\.|\.h2\.|-manual\.|\.tentative\.https/.test(url)) return []; // served without TLS
  const text = /\.(any|window)\.js$|\.html?$/.test(url) ? await readFile(at, "utf8") : "";
  const variants = [...text.matchAll(/^\/\/\s*META:\s*variant=(\S*)/gm)].map(([, query]) => query);
  const pages = (end) => (variants.length > 0 ? variants : [""]).map((query) => url.replace(/\.js$/, end) + query);
  if (url.endsWith(".any.js")) {
    const globals = /^\/\/\s*META:\s*global=(.*)$/m.exec(text)?.[1] ?? "window,dedicatedworker";
    const inWorker = /(^|,)\s*(!?)(worker|dedicatedworker)/.exec(globals);
    return [
      ...(/window|default/.test(globals) ? pages(".html") : []),
      ...(inWorker?.[2] === "" ? pages(".worker.html") : []),
    ];
  }
  if (url.endsWith(".window.js")) return pages(".html");
  return text.includes("/resources/testharness.js") ? [url] : [];
}

async function open(withExtension) {
  const home = await mkdtemp(join(tmpdir(), "gasoline-wpt-"));
  const args = ["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"];
  if (withExtension) {
    const extension = join(home, "extension");
    await cp(join(root, "extension/dist"), extension, { recursive: true });
    await writeFile(join(extension, "config.json"), JSON.stringify({ port: 9 })); // no daemon
    args.push(`--disable-extensions-except=${extension}`, `--load-extension=${extension}`);
  }
  const context = await chromium.launchPersistentContext(join(home, "profile"), {
    executablePath: findChromium() ?? "",
    headless: true,
    args,
  });
  if (withExtension && context.serviceWorkers().length === 0) await context.waitForEvent("serviceworker");
  // The harness tells its results to whoever asked before it was there.
  await context.addInitScript(() => {
    document.addEventListener(
      "load",
      (event) => {
        if (!(event.target instanceof HTMLScriptElement) || !event.target.src.endsWith("/testharness.js")) return;
        globalThis.add_completion_callback?.((tests, status) => {
          globalThis.endedWith = { status: status.status, tests: tests.map(({ name, status: how }) => [name, how]) };
        });
      },
      true,
    );
  });
  const close = async () => {
    await context.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  return { context, close, took: 0 };
}

/** How each subtest of a page ended, by its name. */
async function run(browser, url) {
  const page = await browser.context.newPage();
  const began = performance.now();
  try {
    await page.goto(url, { waitUntil: "commit" });
    const ended = await page.waitForFunction(() => globalThis.endedWith, undefined, { timeout: patience });
    const { status, tests } = await ended.jsonValue();
    return new Map([["(harness)", status], ...tests]);
  } catch (error) {
    return new Map([["(harness)", error.name === "TimeoutError" ? "no end" : error.message.split("\n")[0]]]);
  } finally {
    browser.took += performance.now() - began;
    await page.close().catch(() => {});
    for (const left of browser.context.pages().slice(1)) await left.close().catch(() => {});
  }
}

const differences = (without, with_) =>
  [...new Set([...without.keys(), ...with_.keys()])].filter((name) => without.get(name) !== with_.get(name));

const server = spawn(join(root, ".cache/wpt/bin/python"), [join(root, "e2e/wpt/serve.py"), folder], {
  stdio: ["pipe", "pipe", "inherit"],
});
const ended = once(server, "exit");
const [line] = await once(createInterface(server.stdout), "line");
const [port] = JSON.parse(line);

const paths = process.argv.slice(2);
const tests = (await Promise.all((paths.length > 0 ? paths : ["."]).map(testsIn))).flat();
const [bare, extended] = [await open(false), await open(true)];
const kept = [];
let subtests = 0;
let unsteady = 0;
for (const [i, test] of tests.entries()) {
  const url = `http://localhost:${port}${test}`;
  const both = async () => {
    const first = i % 2 === 0 ? [bare, extended] : [extended, bare];
    const results = new Map();
    for (const browser of first) results.set(browser, await run(browser, url));
    subtests += results.get(bare).size - 1;
    return differences(results.get(bare), results.get(extended));
  };
  let differ = await both();
  const seen = subtests;
  for (let round = 0; round < again && differ.length > 0; round++) {
    const now = new Set(await both());
    const left = differ.filter((name) => now.has(name));
    unsteady += differ.length - left.length;
    differ = left;
  }
  subtests = seen;
  for (const name of differ) kept.push(`${test}  ${name}`);
  if (process.stderr.isTTY) process.stderr.write(`\r${i + 1} of ${tests.length}`);
}
await Promise.all([bare.close(), extended.close()]);
server.stdin.end();
await ended;

console.log(
  `${tests.length} files, ${subtests} subtests; ${kept.length} end differently with the extension, every time`,
);
for (const one of kept) console.log(`  ${one}`);
console.log(`${unsteady} differed now and then`);
console.log(`time with / without: ${(extended.took / bare.took).toFixed(2)}`);
process.exit(kept.length > 0 ? 1 : 0);
