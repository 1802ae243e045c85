// What commands and a user's click cost the main thread of large pages: the built DOM agent and the recorder in an
// extension's isolated world, each figure beside what a peer takes for the same page in the same run. It prints and
// judges nothing. `node build.mjs && node bench/large.mjs`; CHROMIUM_PATH names the browser.
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { build } from "esbuild";
import { peers } from "../../capture/bench/peers.mjs";
import { findChromium } from "../../scripts/chromium.mjs";
import { members } from "../../scripts/members.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = 7;
const name = "Gasoline bench";

// The first listener of the document stamps the time, the capture's follow, and the last stamps it again: between them
// lies what a page waits for before its own handlers.
const recorder = `
import { startDocument, defaultConfig } from "../../capture/index.ts";
import { Roots, locate, sketchOf } from "../../capture/locators/index.ts";
const clicks = [];
let began = 0;
addEventListener("click", () => (began = performance.now()), true);
const closedShadow = (host) => (host instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(host) : null);
startDocument({ emit() {}, config: defaultConfig, closedShadow });
addEventListener("click", () => clicks.push(performance.now() - began), true);
const roots = new Roots(closedShadow);
globalThis.bench = {
  clicks,
  locate(selector) {
    const steps = locate(sketchOf(document.querySelector(selector)), roots);
    let all = 0;
    let longest = 0;
    for (;;) {
      const start = performance.now();
      const { done } = steps.next();
      const took = performance.now() - start;
      all += took;
      longest = Math.max(longest, took);
      if (done) return { all, longest };
    }
  },
};`;

/** A page of cards with four controls in each forty nodes. */
function page(nodes) {
  const cards = Array.from({ length: nodes / 40 }, (_, i) => {
    const cells = "<div class=cell><span>label</span> <em>value</em> <b>more</b></div>".repeat(6);
    return `<section class="card c${i % 7}"><h3>Card ${i}</h3><p>Some text of card <i>${i}</i> that goes on.</p>${cells}
      <label>Amount ${i} <input name=a${i} value="v ${i}"></label><div><button type=button>Buy <span>item ${i}</span></button>
      <a href="#c${i}">Details of ${i}</a><button type=button data-testid="remove-${i}" aria-label="Remove ${i}">×</button></div>
      <ul><li>one<li>two<li>three</ul><hr></section>`;
  });
  return cards.join("");
}

const small = Array.from({ length: 150 }, (_, i) => `<div><span>Row ${i}</span> <button>Do ${i}</button></div>`).join(
  "",
);
const pages = {
  "150 elements": { html: small, list: { limit: 150 } },
  "6,600 nodes": { html: page(6_600), list: {}, middle: 80 },
  "20,000 nodes": { html: page(20_000), list: {}, middle: 250 },
  "50,000 nodes": { html: page(50_000), list: {}, middle: 625 },
  "10,000 equal": { html: "<div><button>Same <b>again</b></button></div>".repeat(10_000), list: {} },
};

// The questions of analyze, as the generated types list them.
const declared = await readFile(join(here, "../../schema/ts/commands.gen.ts"), "utf8");
const questions = [...(/QUESTIONS = \[([^\]]*)\]/.exec(declared)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(
  ([, kind]) => kind,
);

const server = createServer((request, response) => {
  const wanted = decodeURIComponent(request.url.slice(1));
  response.writeHead(200, { "content-type": "text/html" });
  response.end(`<!doctype html><title>Large</title><body>${pages[wanted]?.html ?? ""}`);
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${server.address().port}`;

const home = await mkdtemp(join(tmpdir(), "gasoline-bench-"));
for (const script of ["core.js", "dom-agent.js", "snapshot.js", "inspect.js"])
  await copyFile(join(here, "../dist", script), join(home, script));
const { outputFiles } = await build({
  stdin: { contents: recorder, resolveDir: here, loader: "ts" },
  plugins: [members({ isolated: true })],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "chrome120",
});
await writeFile(join(home, "recorder.js"), outputFiles[0].text);
const scripts = {
  matches: ["http://127.0.0.1/*"],
  js: ["recorder.js", "core.js", "dom-agent.js", "snapshot.js", "inspect.js"],
  run_at: "document_start",
};
await writeFile(
  join(home, "manifest.json"),
  JSON.stringify({ manifest_version: 3, name, version: "1", content_scripts: [scripts] }),
);
const context = await chromium.launchPersistentContext(join(home, "profile"), {
  executablePath: findChromium(),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    `--disable-extensions-except=${home}`,
    `--load-extension=${home}`,
  ],
});

// What the worker writes of the page's answer.
const { outputFiles: writer } = await build({
  entryPoints: [join(here, "../commands/outline.ts")],
  bundle: true,
  write: false,
  format: "esm",
});
const { write } = await import(`data:text/javascript;base64,${Buffer.from(writer[0].contents).toString("base64")}`);

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const ms = (value) => value.toFixed(value < 10 ? 2 : 1).padStart(9);
console.log(`median of ${rounds} calls on one page, milliseconds of the main thread; cold: the first call;
longest: task; ratios to a walk over all styles and to Playwright's ariaSnapshot`);
console.log("".padEnd(44), "     main", "     cold", "  longest", " × styles", "  × aria");

for (const [title, { html, list, middle }] of Object.entries(pages)) {
  if (!html) continue;
  const tab = await context.newPage();
  const session = await context.newCDPSession(tab);
  let world;
  session.on("Runtime.executionContextCreated", ({ context: made }) => {
    if (made.name === name) world = made.id;
  });
  await session.send("Runtime.enable");
  // Time that the thread worked: a busy machine does not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await tab.goto(`${origin}/${encodeURIComponent(title)}`);
  const inWorld = async (expression) => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      contextId: world,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await inWorld(`globalThis.tasks = []; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ type: "longtask" }); 0`);
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "TaskDuration").value * 1000;
  };
  const spent = async (expression) => {
    const before = await busy();
    const value = await inWorld(expression);
    return { took: (await busy()) - before, value };
  };
  // What asking itself costs.
  const asking = median(await times(rounds, async () => (await spent("0")).took));
  const walk = `(() => { let n = 0; for (const at of document.querySelectorAll("*")) n += getComputedStyle(at).display.length; return n; })()`;
  const styles = median(await times(rounds, async () => (await spent(walk)).took - asking));
  const aria = median(
    await times(title === "20,000 nodes" ? 3 : 1, async () => {
      const before = await busy();
      await tab.locator("body").ariaSnapshot({ timeout: 0 });
      return (await busy()) - before;
    }),
  );
  const print = (what, main, cold, longest) =>
    console.log(
      `${title}, ${what}`.padEnd(44),
      ms(main),
      cold === undefined ? "".padStart(9) : ms(cold),
      longest === undefined ? "".padStart(9) : longest,
      ms(main / styles),
      ms(main / aria),
    );
  console.log(`${title}, a walk over all styles`.padEnd(44), ms(styles));
  console.log(`${title}, ariaSnapshot`.padEnd(44), ms(aria));
  let calls = 0;
  const call = async (op, params) => {
    const given = { id: String(calls++), op, params, deadline: 0, refs: [[1, 100_000]], frame: "" };
    const { took, value } = await spent(
      `gasolineAgent.run({ ...${JSON.stringify(given)}, deadline: Date.now() + 20000 }).then(({ ok, value, error }) => ({ ok, value, error }))`,
    );
    return { took: took - asking, ...value };
  };
  const measure = async (what, op, params, expected) => {
    await inWorld("tasks.length = 0");
    const all = [];
    let cold;
    for (let round = 0; round <= rounds; round++) {
      const { took, ok, value, error } = await call(op, params);
      if (expected ? error?.code !== expected : !ok)
        throw new Error(`${title}, ${what}: ${JSON.stringify(error ?? value)}`);
      if (round === 0) cold = took;
      else all.push(took);
    }
    // Tasks are told of a moment after they end.
    await tab.waitForTimeout(100);
    const longest = await inWorld("Math.max(0, ...tasks)");
    print(what, median(all), cold, longest ? `${longest} ms`.padStart(9) : "     < 50");
  };
  await measure("list", "list_interactive", list);
  const asked = { mark: "sbench", bytes: 1500, folded: true, limit: 10 };
  await measure("snapshot", "outline", asked);
  const whole = Buffer.byteLength(await tab.locator("body").ariaSnapshot({ timeout: 0 }));
  const overview = Buffer.byteLength(write((await call("outline", asked)).value.root, asked.bytes).text);
  console.log(
    `${title}, bytes of the snapshot, of ariaSnapshot`.padEnd(44),
    String(overview).padStart(9),
    String(whole).padStart(9),
  );
  await measure("snapshot, of what changed", "outline", { ...asked, since: "sbench" });
  if (middle) await measure("snapshot, find", "outline", { ...asked, find: `remove ${middle}` });
  if (middle) {
    await measure("list, by a text", "list_interactive", { text_contains: `Remove ${middle}` });
    for (const selector of [
      `role=button[name="Remove ${middle}"]`,
      `role=button[name="Buy item ${middle}"]`,
      `text=Details of ${middle}`,
      `label=Amount ${middle}`,
      `testid=remove-${middle}`,
      `a[href="#c${middle}"]`,
    ]) {
      await measure(selector, "probe", { selector });
    }
    await measure("text of the page", "get_text", {});
    await measure("text of the page, by sections", "get_text", { structured: true });
    for (const kind of questions)
      await measure(
        kind,
        kind,
        /^(dom|computed_styles)$/.test(kind) ? { selector: "section", include_children: true } : {},
      );
    const button = tab.locator(`section:nth-of-type(${middle}) button`).first();
    await button.click();
    await inWorld("bench.clicks.length = 0");
    for (let round = 0; round < rounds; round++) await button.click();
    print("a click, until the page hears it", median(await inWorld("bench.clicks")));
    const found = [];
    for (let round = 0; round <= rounds; round++)
      found.push(await inWorld(`bench.locate("section:nth-of-type(${middle}) button")`));
    const warm = found.slice(1);
    const longest = Math.max(...found.map((at) => at.longest));
    print("locators of it, afterwards", median(warm.map(({ all }) => all)), found[0].all, ms(longest));
  } else {
    await measure("role=button, ambiguous or one of 150", "probe", { selector: "role=button" });
  }
  await tab.close();
}
await context.close();
await peersClicks("20,000 nodes");
await rm(home, { recursive: true, force: true, maxRetries: 3 });
server.close();

/** The same click in pages that carry an SDK of others, from the first listener of the window to the button's own. */
async function peersClicks(title) {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
  });
  const selector = `section:nth-of-type(${pages[title].middle}) button`;
  for (const [name, contents] of Object.entries({ "no script": "", ...peers })) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: join(here, "../../capture/bench"), loader: "ts" },
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      target: "chrome120",
      logLevel: "error",
    });
    const tab = await browser.newPage();
    await tab.addInitScript(`globalThis.clicks = []; let began = 0;
      addEventListener("click", () => (began = performance.now()), true);
      globalThis.ended = () => clicks.push(performance.now() - began);`);
    await tab.addInitScript(outputFiles[0].text);
    await tab.goto(`${origin}/${encodeURIComponent(title)}`);
    const button = tab.locator(selector).first();
    await button.evaluate((element) => element.addEventListener("click", () => globalThis.ended()));
    await button.click();
    await tab.evaluate("clicks.length = 0");
    for (let round = 0; round < rounds; round++) await button.click();
    console.log(`${title}, the click with ${name}`.padEnd(44), ms(median(await tab.evaluate("clicks"))));
    await tab.close();
  }
  await browser.close();
}

async function times(count, work) {
  const all = [];
  for (let i = 0; i < count; i++) all.push(await work());
  return all;
}
