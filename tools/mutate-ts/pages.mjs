// Runs tests of *.page.ts against breaks in Chromium: one bundle holds all breaks. A page is loaded again when a break is
// reached while its modules load, and when one left something behind that fails a test without it.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { relative } from "node:path";
import { chromium } from "@playwright/test";
import { bundleTests } from "../../capture/tests/support/page-tests.mjs";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { rewrite } from "../../scripts/members.mjs";
import { instrument } from "./breaks.mjs";
import { install } from "./switch.mjs";

/** A test may take so much longer than it did without a break, and ms more: the machine may be busy. */
const LIMIT = { factor: 6, ms: 1500 };

/** So many tests that noticed a break of a file last are the first for its next one. */
const FIRST = 12;

/** PageTests has the tests of a package in a browser. Close it. */
export class PageTests {
  /** @type {import("./breaks.mjs").Break[]} */
  breaks = [];
  #server;
  #browser;
  #tests = []; // { index, took, reached }, the quickest first
  #always = new Set(); // breaks that are reached while the modules load
  #files = new Map(); // of a break
  #noticed = new Map(); // of a file, the tests that noticed its last breaks, the last one first
  #clean = new WeakSet(); // pages without anything that a break left behind
  #url = "";

  /**
   * Bundles and runs the tests without a break. Throws when one fails.
   * @param {string} root
   * @param {{ path: string, page: string, tests?: string[], without?: string }} given as main.mjs has it
   * @param {string[]} files what is broken, absolute
   */
  static async open(root, given, files) {
    const made = new PageTests();
    const broken = new Set(files);
    const texts = new Map();
    for (const file of files) {
      const { text, breaks } = instrument(await readFile(file, "utf8"), relative(root, file), made.breaks.length + 1);
      texts.set(file, rewrite(text, file));
      made.breaks.push(...breaks);
      for (const { id } of breaks) made.#files.set(id, file);
    }
    const plugin = {
      name: "breaks",
      setup(build) {
        build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
          broken.has(path) ? { contents: texts.get(path), loader: "ts" } : undefined,
        );
      },
    };
    const more = (given.tests ?? []).map((file) => `${root}/${file}`);
    const script = await bundleTests(`${root}/${given.page}`, { files: more, plugins: [plugin] });
    await made.#serve(script);
    try {
      await made.#healthy();
    } catch (error) {
      await made.close();
      throw error;
    }
    return made;
  }

  async close() {
    await this.#browser?.close();
    this.#server?.close();
  }

  async #serve(script) {
    const html = `<!doctype html><html><head><meta charset=utf-8><script>(${install.toString()})(Number(location.search.slice(1)));
$mutate.allow(5000);</script><script src="/tests.js"></script></head><body></body></html>`;
    this.#server = createServer((request, response) => {
      const isScript = request.url === "/tests.js";
      response.setHeader("Content-Type", isScript ? "text/javascript;charset=utf-8" : "text/html;charset=utf-8");
      if (isScript) response.setHeader("Cache-Control", "max-age=100000");
      response.end(isScript ? script : html);
    });
    await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
    this.#url = `http://127.0.0.1:${this.#server.address().port}/`;
  }

  async #launch() {
    this.#browser ??= chromium.launch({
      executablePath: findChromium() ?? "",
      args: TEST_FLAGS,
    });
    this.#browser = await this.#browser;
    return this.#browser;
  }

  /** A page for one runner at a time. */
  async page() {
    const browser = await this.#launch();
    const context = await browser.newContext({ viewport: { width: 800, height: 600 } });
    return context.newPage();
  }

  async #healthy() {
    const page = await this.page();
    page.on("pageerror", (error) => console.error("  page:", error.message));
    await page.goto(`${this.#url}?0`);
    const { always, runs } = await page.evaluate(async () => {
      const always = [...$mutate.reached];
      const runs = [];
      for (const [index] of inPage.names().entries()) {
        $mutate.reached = new Set();
        $mutate.allow(60_000);
        const run = await inPage.run(index, 60_000);
        runs.push({ ...run, index, reached: [...$mutate.reached] });
      }
      return { always, runs };
    });
    await page.context().close();
    const failed = runs.filter((run) => run.failed !== "");
    if (failed.length > 0)
      throw new Error(failed.map(({ name, failed: why }) => `${name} fails without a break: ${why}`).join("\n"));
    this.#always = new Set(always);
    this.#tests = runs.map((run) => ({ ...run, reached: new Set(run.reached) })).toSorted((a, b) => a.took - b.took);
  }

  /** The tests that reach a break; those that noticed others of its file come first. */
  #plan(id) {
    const those = this.#tests.filter(({ reached }) => this.#always.has(id) || reached.has(id));
    const first = this.#noticed.get(this.#files.get(id)) ?? [];
    const rank = ({ index }) => (first.includes(index) ? first.indexOf(index) : first.length);
    return those
      .toSorted((a, b) => rank(a) - rank(b))
      .map(({ index, took }) => [index, LIMIT.ms + LIMIT.factor * took]);
  }

  #remember(id, index) {
    const file = this.#files.get(id);
    const first = (this.#noticed.get(file) ?? []).filter((other) => other !== index);
    this.#noticed.set(file, [index, ...first].slice(0, FIRST));
  }

  /** Says which test notices a break; "" for none. */
  async notices(page, id) {
    const plan = this.#plan(id);
    if (plan.length === 0) return "";
    const whole = 10_000 + plan.reduce((sum, [, ms]) => sum + ms, 0);
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(() => resolve("it hangs"), whole)));
    const atLoad = this.#always.has(id);
    const run = async () => {
      for (;;) {
        const loaded = atLoad || !this.#clean.has(page);
        if (loaded) await page.goto(`${this.#url}?${atLoad ? id : 0}`);
        this.#clean.delete(page);
        const { said, index, clean } = await page.evaluate(noticed, [id, plan]);
        if (clean && !atLoad) this.#clean.add(page);
        // What another break left behind may have failed it.
        if (said !== "" && !clean && !loaded) continue;
        if (index !== undefined) this.#remember(id, index);
        return said;
      }
    };
    try {
      return await Promise.race([run().catch((error) => `it breaks the page: ${error.message}`), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Runs in the page. Gives which of the tests, [index, ms] each, notices a break, and whether that one passes right after
 * without it.
 */
async function noticed([id, tests]) {
  if (!globalThis.inPage) return { said: "it does not load", clean: false };
  const run = (index, ms, broken) => {
    $mutate.now = broken;
    $mutate.allow(ms);
    return inPage.run(index, ms);
  };
  try {
    for (const [index, ms] of tests) {
      const { name, failed } = await run(index, ms, id);
      if (/it took longer than|a loop has no end/.test(failed))
        return { said: `it takes long: ${name}`, index, clean: false };
      if (failed) return { said: name, index, clean: (await run(index, ms, 0)).failed === "" };
    }
    return { said: "", clean: true };
  } finally {
    $mutate.now = 0;
  }
}
