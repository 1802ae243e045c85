// What the listeners cost that keep a page from hearing its user while the user draws (messages/guard.ts): every page has
// them from document_start. The same pages with and without them, by turns, in a world of its own and without the
// extension. It prints and judges nothing. `node bench/guard.mjs`; CHROMIUM_PATH names the browser.
import { build } from "esbuild";
import { chromium } from "@playwright/test";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../scripts/chromium.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const rounds = 5;
const moves = 300;

const { outputFiles } = await build({
  stdin: {
    contents: `import { guard } from "../messages/guard.ts"; const at = performance.now(); guard(); globalThis.guardMS = performance.now() - at`,
    resolveDir: here,
    loader: "ts",
  },
  bundle: true,
  minify: true,
  format: "iife",
  write: false,
});
const source = outputFiles[0].text;

/** A page of 40 × 40 boxes, each twelve levels deep. follow: its own listeners, as an application has them. */
const page = (
  follow,
) => `<!doctype html><style>body{margin:0;display:grid;grid-template-columns:repeat(40,1fr)} i{display:block;height:16px}</style>
<script>
for (let n = 0; n < 1600; n++) { let at = document.createElement("i"); document.documentElement.append(at); for (let d = 0; d < 11; d++) { const up = document.createElement("i"); up.append(at); at = up } document.body?.append(at); (window.all ??= []).push(at) }
addEventListener("DOMContentLoaded", () => document.body.append(...all));
${follow ? `addEventListener("pointermove", () => 0); document.addEventListener("mouseover", () => 0); document.addEventListener("keydown", () => 0);` : ""}
</script><body>`;

const executablePath = findChromium();
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ["--no-sandbox"] });

/** ms of the renderer's main thread for the moves, and µs for an event that a script makes; of guard itself, ms. */
async function once(guarded, follow) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 } });
  const tab = await context.newPage();
  const cdp = await context.newCDPSession(tab);
  await cdp.send("Page.enable");
  if (guarded) await cdp.send("Page.addScriptToEvaluateOnNewDocument", { source, worldName: "guard" });
  await tab.route("http://bench.test/", (route) => route.fulfill({ contentType: "text/html", body: page(follow) }));
  await tab.goto("http://bench.test/");
  await cdp.send("Performance.enable");
  const taken = async () =>
    (await cdp.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const before = await taken();
  for (let n = 0; n < moves; n++)
    await cdp.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: (n * 37) % 1190, y: (n * 11) % 600 });
  const moved = (await taken()) - before;
  const made = await tab.evaluate(() => {
    const at = document.querySelector("body i i i");
    const began = performance.now();
    for (let n = 0; n < 20_000; n++) at.dispatchEvent(new MouseEvent("mousemove", { bubbles: true }));
    return ((performance.now() - began) / 20_000) * 1000;
  });
  await context.close();
  return { moved, made };
}

const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];
for (const follow of [false, true]) {
  const seen = { true: [], false: [] };
  for (let n = 0; n < rounds; n++)
    for (const guarded of n % 2 ? [true, false] : [false, true]) seen[guarded].push(await once(guarded, follow));
  const of = (guarded, key) => median(seen[guarded].map((one) => one[key]));
  const say = (key, unit, per) =>
    `${key} ${(of(false, key) / per).toFixed(2)} ${unit} without, ${(of(true, key) / per).toFixed(2)} with, ratio ${(of(true, key) / of(false, key)).toFixed(2)}`;
  console.log(`page ${follow ? "with listeners of its own" : "without listeners"}:`);
  console.log(`  a real move of the mouse: ${say("moved", "ms", moves)}`);
  console.log(`  an event that a script makes: ${say("made", "µs", 1)}`);
}
{
  const context = await browser.newContext();
  const tab = await context.newPage();
  const cdp = await context.newCDPSession(tab);
  const times = [];
  await cdp.send("Page.enable");
  await cdp.send("Runtime.enable");
  await cdp.send("Page.addScriptToEvaluateOnNewDocument", {
    source: source + ";console.log(guardMS)",
    worldName: "guard",
  });
  cdp.on("Runtime.consoleAPICalled", ({ args }) => times.push(Number(args[0].value)));
  for (let n = 0; n < 20; n++) await tab.goto(`data:text/html,${n}`);
  console.log(`registering: ${median(times).toFixed(3)} ms for each page`);
}
await browser.close();
