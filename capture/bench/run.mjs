// What the capture costs a page: absolute figures, and ratios to the same page without it, measured in turns in one
// browser. It prints and judges nothing. `node bench/run.mjs`; CHROMIUM_PATH names the browser.
import { chromium } from "@playwright/test";
import { build } from "esbuild";
import { createServer } from "node:http";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../scripts/chromium.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = 5;

const code = `
import { Batcher, startDocument, startPageRealm, defaultConfig } from "../index.ts";
const start = performance.now();
const batcher = new Batcher({ numbered: true, send() {} });
const env = { emit: (record) => batcher.add(record), config: defaultConfig };
startPageRealm(env);
const middle = performance.now();
startDocument(env);
const end = performance.now();
Object.defineProperty(globalThis, "took", { value: [middle - start, end - middle] });
`;

/** What is measured; each runs in the page and gives microseconds for one call. */
const measures = {
  "console.log(string, {small})": () =>
    per(5000, () => console.log("added to cart", { id: 7, name: "shoe", price: 12.5 })),
  "console.log(string)": () => per(5000, () => console.log("a line of text as programs print it")),
  "console.log({50 keys})": () => {
    const object = Object.fromEntries(Array.from({ length: 50 }, (_, i) => ["key" + i, i % 2 ? "value " + i : i]));
    return per(500, () => console.log(object));
  },
  "console.error(string), with a stack": () => per(1000, () => console.error("it failed")),
  "fetch(url, {method, body}), synchronous part": async () => {
    const each = per(1000, () => fetch("/", { method: "POST", body: '{"id":7}' }));
    await new Promise((done) => setTimeout(done, 200));
    return each;
  },
  "nativeFetch(url), for scale": async () => {
    const all = [];
    const each = per(100, () => all.push(nativeFetch("/")));
    await Promise.all(all);
    return each;
  },
  "XMLHttpRequest open + send, synchronous part": async () => {
    const all = [];
    const each = per(100, () => {
      const xhr = new XMLHttpRequest();
      all.push(new Promise((done) => (xhr.onloadend = done)));
      xhr.open("GET", "/");
      xhr.send();
    });
    await Promise.all(all);
    return each;
  },
  "append one element, with the observer's work": async () => {
    const list = document.body.appendChild(document.createElement("ul"));
    const count = 20_000;
    const start = performance.now();
    for (let i = 0; i < count; i++) list.appendChild(document.createElement("li"));
    await new Promise((done) => setTimeout(done));
    const each = ((performance.now() - start) * 1000) / count;
    list.remove();
    return each;
  },
};

const server = createServer((request, response) => {
  response.writeHead(200, { "content-type": request.url === "/" ? "text/plain" : "text/html" }).end("ok");
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const url = `http://127.0.0.1:${server.address().port}/page`;
const { outputFiles } = await build({
  stdin: { contents: code, resolveDir: here, loader: "ts" },
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "chrome120",
});
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--enable-blink-features=PreciseMemoryInfo"],
});
// The native console prints to the debugger that drives this browser, and a native fetch costs ten times the capture's
// part and varies by more than it: both are replaced before the capture starts, so that only its own work is measured.
const quiet = `globalThis.nativeFetch = fetch; const answered = Promise.resolve(new Response("ok")); fetch = () => answered;
for (const name of ["log", "error"]) console[name] = function () {}; globalThis.per = (count, work) => {
  for (let i = 0; i < count / 5; i++) work();
  const start = performance.now();
  for (let i = 0; i < count; i++) work();
  return ((performance.now() - start) * 1000) / count;
};`;
const figures = new Map(Object.keys(measures).map((name) => [name, { off: [], on: [] }]));
const took = [];
for (let round = 0; round < rounds; round++) {
  for (const side of ["off", "on"]) {
    const page = await browser.newPage();
    await page.addInitScript({ content: quiet });
    if (side === "on") await page.addInitScript({ content: outputFiles[0].text });
    await page.goto(url);
    for (const [name, measure] of Object.entries(measures)) figures.get(name)[side].push(await page.evaluate(measure));
    if (side === "on") took.push(await page.evaluate("took"));
    await page.close();
  }
}
await browser.close();
server.close();

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const shown = (value) => value.toFixed(value < 10 ? 2 : 1).padStart(9);
console.log(`median of ${rounds} pages, microseconds a call`);
console.log("".padEnd(46), "  without", "     with", "     more", "   ratio");
for (const [name, { off, on }] of figures) {
  const [a, b] = [median(off), median(on)];
  console.log(name.padEnd(46), shown(a), shown(b), shown(b - a), a > 0 ? shown(b / a) : "–".padStart(9));
}
console.log("start, page realm".padEnd(46), "         ", shown(median(took.map(([page]) => page)) * 1000));
console.log("start, document".padEnd(46), "         ", shown(median(took.map(([, document]) => document)) * 1000));
