// What the capture costs a page, beside what Sentry's and Datadog's browser SDKs cost it: the same rows by turns in one
// browser, to which no debugger is attached, because one makes every stack and every error dearer. Deferred work counts: a turn
// of 250 calls fills half of the Batcher's room, and then the batch leaves, crosses over and is taken by the content side.
// It prints and judges nothing. `node bench/run.mjs`; CHROMIUM_PATH names the browser.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { findChromium } from "../../scripts/chromium.mjs";
import { members } from "../../scripts/members.mjs";
import { peers } from "./peers.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 7);
const patience = 300_000;

/** What stands before a page's own script, by side. Each says in `took` what its start costs, in ms by name. */
const sides = {
  without: "",
  capture: `
import { Batcher, startDocument, startPageRealm, defaultConfig, openPageSide, openContentSide } from "../index.ts";
import { bodyOf } from "../sources/request.ts";
const start = performance.now();
const up = openPageSide();
const batcher = new Batcher({ numbered: false, send: (json) => up.post(json) });
startPageRealm({ emit: (record) => batcher.add(record), config: defaultConfig });
const middle = performance.now();
const down = openContentSide();
const taken = new Batcher({ numbered: true, send() {} });
startDocument({ emit: (record) => taken.add(record), config: defaultConfig });
down.onMessage((json) => taken.relay(json));
const end = performance.now();
globalThis.took = { "page realm": middle - start, document: end - middle };
globalThis.bodyOf = (body) => bodyOf(body, "", { ...defaultConfig, bodies: true });`,
  ...peers,
};

// The native console writes to a terminal or a debugger, and a native request costs ten times the capture's part and
// varies by more than it: they do nothing here, from before the capture starts, so that only its own work is measured.
const quiet = `
globalThis.nativeFetch = fetch;
const answered = Promise.resolve(new Response("ok"));
fetch = () => answered;
globalThis.nativeSend = XMLHttpRequest.prototype.send;
XMLHttpRequest.prototype.send = { send() {} }.send;
for (const name of ["log", "error"]) console[name] = { [name]() {} }[name];`;

/** What is measured; each runs in the page and gives microseconds for one call. */
const measures = {
  "console.log(string, {small})": () => per(() => console.log("added to cart", { id: 7, name: "shoe", price: 12.5 })),
  "console.log(string)": () => per(() => console.log("a line of text as programs print it")),
  "console.log({50 keys})": () => {
    const object = Object.fromEntries(Array.from({ length: 50 }, (_, i) => ["key" + i, i % 2 ? "value " + i : i]));
    return per(() => console.log(object));
  },
  "console.error(string), with a stack": () => per(() => console.error("it failed")),
  "console.error(string), twenty calls deep": () => {
    const deep = (depth) => (depth > 0 ? deep(depth - 1) : console.error("it failed"));
    return per(() => deep(20));
  },
  "fetch(url, {method, body}), synchronous part": () => per(() => fetch("/x", { method: "POST", body: '{"id":7}' })),
  "XMLHttpRequest open + send, synchronous part": () =>
    per(() => {
      const xhr = new XMLHttpRequest();
      xhr.open("GET", "/x");
      xhr.send();
    }),
  "append one element, with the observer's work": async () => {
    const list = document.body.appendChild(document.createElement("ul"));
    const count = 20_000;
    const start = performance.now();
    for (let i = 0; i < count; i++) list.appendChild(document.createElement("li"));
    await rest(0);
    const each = ((performance.now() - start) * 1000) / count;
    list.remove();
    return each;
  },
  "click(), to the page's handler and back": () => {
    const button = document.body.appendChild(document.createElement("button"));
    button.textContent = "Buy";
    button.addEventListener("click", () => {});
    return per(() => button.click(), 50);
  },
  "a Uint8Array as body, recognised": () => recognised(new Uint8Array(1 << 20)),
  "a Blob as body, recognised": () => recognised(new Blob(["x"])),
  "an ArrayBuffer as body, recognised": () => recognised(new ArrayBuffer(1 << 20)),
};

/** The driver of a page: it measures all, hands in the figures and goes to the next page. */
function drive(measures) {
  const sent = nativeFetch;
  const quartile = (values) => values.sort((a, b) => a - b)[values.length >> 2];
  globalThis.rest = (ms) => new Promise((done) => setTimeout(done, ms));
  // Turns are short, so that a busy machine interrupts few of them, and the lower quartile counts.
  globalThis.per = async (work, count = 250, turns = 21) => {
    const all = [];
    for (let turn = -2; turn < turns; turn++) {
      const start = performance.now();
      for (let i = 0; i < count; i++) work();
      if (turn >= 0) all.push(((performance.now() - start) * 1000) / count);
      await rest(5);
    }
    return quartile(all);
  };
  globalThis.recognised = (body) => (globalThis.bodyOf ? per(() => globalThis.bodyOf(body)) : 0);
  const all = async () => {
    await rest(300);
    const figures = {};
    for (const [name, measure] of Object.entries(measures)) figures[name] = await measure();
    await sent("/figures", { method: "POST", body: JSON.stringify({ figures, took: globalThis.took ?? {} }) });
    location.href = `/page?${Math.random()}`;
  };
  addEventListener("load", () => void all());
}

/** The page's own script. */
const works = Object.entries(measures).map(([name, work]) => `${JSON.stringify(name)}: ${work.toString()}`);
const source = `(${drive.toString()})({ ${works.join()} })`;

const bundles = {};
const sizes = {};
for (const [side, contents] of Object.entries(sides)) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: here, loader: "ts" },
    plugins: [members()],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "chrome120",
    logLevel: "error",
  });
  bundles[side] = outputFiles[0].text;
  sizes[side] = outputFiles[0].contents.length;
}

const figures = new Map(Object.keys(measures).map((name) => [name, {}]));
const took = {};
let pages = 0;
let finish;
const finished = new Promise((done) => (finish = done));
const sideNow = () => Object.keys(sides)[pages % Object.keys(sides).length];
// Isolated from other origins, a page's clock ticks every 5 µs.
const headers = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const text = async (request) => {
  let all = "";
  for await (const chunk of request) all += chunk;
  return all;
};
async function answer(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  const told = await text(request);
  if (pathname === "/page") {
    response.writeHead(200, { ...headers, "content-type": "text/html" });
    response.end(
      `<!doctype html><title>Bench</title><script>${quiet}</script><script src="/side.js?${sideNow()}"></script><body><script>${source}</script>`,
    );
    return;
  }
  if (pathname === "/side.js") {
    response.writeHead(200, { ...headers, "content-type": "text/javascript" }).end(bundles[sideNow()]);
    return;
  }
  if (pathname === "/figures") {
    const given = JSON.parse(told);
    const side = sideNow();
    for (const [name, value] of Object.entries(given.figures)) (figures.get(name)[side] ??= []).push(value);
    for (const [name, value] of Object.entries(given.took)) (took[name] ??= []).push(value * 1000);
    if (++pages === rounds * Object.keys(sides).length) finish();
  }
  response.writeHead(200, { ...headers, "content-type": "text/plain" }).end("ok");
}
const server = createServer((request, response) => void answer(request, response));
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const profile = await mkdtemp(join(tmpdir(), "gasoline-bench-"));
const started = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  `--user-data-dir=${profile}`,
  `http://127.0.0.1:${server.address().port}/page`,
];
const browser = spawn(findChromium(), started, { stdio: "ignore" });
const gone = new Promise((done) => browser.once("exit", done));
const timer = setTimeout(() => finish("the pages did not come to an end"), patience);
const failure = await Promise.race([finished, gone.then(() => "the browser ended")]);
clearTimeout(timer);
browser.kill();
await gone;
server.closeAllConnections();
server.close();
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
if (failure) throw new Error(failure);

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const shown = (value) => (value === undefined ? "–" : value.toFixed(Math.abs(value) < 10 ? 2 : 1)).padStart(9);
const names = Object.keys(sides).slice(1);
console.log(
  `median of ${rounds} pages of the lower quartile of 21 turns, microseconds a call;\n${names.join(", ")}: more than without`,
);
console.log("".padEnd(46), "  without", ...names.map((name) => name.padStart(9)));
for (const [name, of] of figures) {
  const base = median(of.without);
  const only = name.endsWith("recognised"); // a part of the capture alone
  const more = names.map((side) => (only && side !== "capture" ? undefined : median(of[side]) - base));
  console.log(name.padEnd(46), shown(only ? undefined : base), ...more.map(shown));
}
for (const [name, all] of Object.entries(took)) console.log(`start, ${name}`.padEnd(46), shown(median(all)));
console.log("bytes, minified".padEnd(46), "".padStart(9), ...names.map((name) => String(sizes[name]).padStart(9)));
