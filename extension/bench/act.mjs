// What an act costs an agent, from its call to the answer with the receipt: through the released program, the extension and
// Chromium. It prints and judges nothing. `node bench/act.mjs` after `make build ext`; CHROMIUM_PATH names the browser.
import { build } from "esbuild";
import { createServer } from "node:http";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = 40;
const pages = 60;
const fetchMS = 50;

const bundle = join(here, "../../.cache/bench-harness.mjs");
await build({
  stdin: {
    contents: 'export * from "./harness.ts"; export { Socket } from "./tests/support/socket.ts";',
    resolveDir: join(here, "../../e2e"),
  },
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  define: { "import.meta.url": JSON.stringify(pathToFileURL(join(here, "../../e2e/harness.ts")).href) },
});
const { agent: connect, Browser, Place, Socket, until } = await import(pathToFileURL(bundle).href);

/** Ways in which a page comes to its final text some time after a click; ms is when. */
const ways = [
  (ms) => `setTimeout(done, ${ms})`,
  (ms) => `fetch("/wait?${ms}").then((r) => r.text()).then(done)`,
  (ms) =>
    `(async () => { await fetch("/wait?${ms >> 1}"); const r = await fetch("/wait?${ms >> 1}"); await r.json(); done() })()`,
  (ms) => `(function turn() { if (performance.now() - at < ${ms}) requestAnimationFrame(turn); else done() })()`,
  (ms) => `{ let n = 0; const i = setInterval(() => { if (++n * 50 >= ${ms}) { clearInterval(i); done() } }, 50) }`,
  (ms) => `(function turn() { if (performance.now() - at < ${ms}) setTimeout(turn, 30); else done() })()`,
  (ms) => `{ const x = new XMLHttpRequest(); x.onload = done; x.open("GET", "/wait?${ms}"); x.send() }`,
  (ms) =>
    `setTimeout(() => fetch("/wait?${ms >> 1}").then(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0) }), ${ms >> 1})`,
  (ms) => `socket.onmessage = done; socket.send("${ms}")`,
  (ms) =>
    `(async () => { const chain = async () => { for (let i = 0; i < 200; i++) await null }; await chain(); await new Promise((r) => setTimeout(r, ${ms})); await chain(); done() })()`,
  (ms) => `Promise.resolve().then(() => new Promise((r) => setTimeout(r, ${ms}))).then(done)`,
  (ms) =>
    `clearTimeout(window.t); window.t = setTimeout(() => fetch("/wait?${ms >> 2}").then((r) => r.json()).then(() => requestAnimationFrame(done)), ${(ms * 3) >> 2})`,
];

const page = (work) => `<!doctype html><title>Bench</title><button id=go>Go</button><p id=p>first</p><script>
let at; const socket = new WebSocket("ws://" + location.host); const done = () => { document.getElementById("p").textContent = "final"; window.final = performance.timeOrigin + performance.now() };
document.getElementById("go").onclick = () => { at = performance.now(); window.final = Infinity; ${work} };</script>`;

const served = new Map();
const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url, "http://x");
  if (pathname === "/wait")
    return void setTimeout(
      () => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
      Number(search.slice(1)),
    );
  response.writeHead(200, { "content-type": "text/html" }).end(served.get(pathname) ?? "");
});
server.on("upgrade", (request, stream) => {
  const socket = new Socket(stream, request);
  socket.onText = (ms) => setTimeout(() => socket.send("done"), Number(ms));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const url = (path) => `http://127.0.0.1:${server.address().port}${path}`;

const place = await Place.make();
await place.serve();
const browser = await Browser.launch(place, { hosts: [], args: [], ignoreDefaultArgs: [] });
const agent = await connect(place);
/** @type {{noop: number[], fetch: number[], bare: number[], peer: number[], final: number, late: string[], over: number[]}} */
const figures = { noop: [], fetch: [], bare: [], peer: [], final: 0, late: [], over: [] };
try {
  await until(
    "a connected browser",
    () => place.fetch("/health").then((r) => r.json()),
    (health) => health.browsers?.length === 1,
    20_000,
  );
  await browser.worker.evaluate(() => chrome.storage.local.set({ pilot: true }));
  const tab = browser.context.pages()[0] ?? (await browser.page());
  const call = async (args) => {
    const began = performance.now();
    await agent.ask("interact", args);
    return performance.now() - began;
  };
  const open = async (path, work) => {
    served.set(path, page(work));
    await tab.goto(url(path));
    await tab.bringToFront();
    await until(
      `the tab of ${path}`,
      () => agent.json("observe", { what: "tabs" }),
      ({ tabs }) => tabs.some((at) => at.active && at.url === url(path)),
      10_000,
    );
  };
  await open("/noop", "");
  for (let i = 0; i < rounds + 5; i++) {
    const took = await call({ action: "click", selector: "#go" });
    const read = await call({ action: "get_text", selector: "#p" });
    const began = performance.now();
    await tab.locator("#go").click();
    const peer = performance.now() - began;
    if (i < 5) continue;
    figures.noop.push(took);
    figures.bare.push(read);
    figures.peer.push(peer);
  }
  await open("/fetch", `fetch("/wait?${fetchMS}").then((r) => r.json()).then(done)`);
  for (let i = 0; i < rounds; i++) figures.fetch.push(await call({ action: "click", selector: "#go" }));
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  for (let i = 0; i < pages; i++) {
    const ms = Math.floor(random() * 900);
    const way = i % ways.length;
    await open(`/page-${i}`, ways[way](ms));
    await tab.waitForFunction(() => socket.readyState === 1);
    await call({ action: "click", selector: "#go" });
    const answered = Date.now();
    await tab.waitForFunction(() => window.final < Infinity, undefined, { timeout: 5000 });
    const final = await tab.evaluate("window.final");
    if (final <= answered) {
      figures.final++;
      figures.over.push(answered - final);
    } else figures.late.push(`way ${way} at ${ms} ms`);
  }
} finally {
  await agent.close();
  await browser.close();
  await place.remove();
  server.close();
  await rm(bundle, { force: true });
}

const at = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN;
const shown = (value) => value.toFixed(1).padStart(9);
console.log(`acts with settling and receipt, milliseconds from the agent's call to its answer, ${rounds} each`);
console.log("".padEnd(46), "   median", "      p90");
for (const [name, values] of [
  ["get_text, for scale", figures.bare],
  ["click that does nothing", figures.noop],
  [`click with one fetch of ${fetchMS} ms`, figures.fetch],
  ["Playwright's click that does nothing, for scale", figures.peer],
])
  console.log(name.padEnd(46), shown(at(values, 0.5)), shown(at(values, 0.9)));
console.log("click to get_text, ratio".padEnd(46), shown(at(figures.noop, 0.5) / at(figures.bare, 0.5)));
console.log("click to Playwright's, ratio".padEnd(46), shown(at(figures.noop, 0.5) / at(figures.peer, 0.5)));
console.log("click with one fetch, above the fetch".padEnd(46), shown(at(figures.fetch, 0.5) - fetchMS));
console.log(`final text when the click answers: ${figures.final} of ${pages} pages whose text comes 0–900 ms after it`);
console.log(`from the final text to the answer, median: ${at(figures.over, 0.5).toFixed(0)} ms`);
for (const late of figures.late) console.log(`  late: ${late}`);
