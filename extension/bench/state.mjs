// What it takes to bring a checkpoint back, from an agent's call to its answer, without rows in databases and with 1,000,
// beside what the page itself takes to write the same rows and to be loaded twice. It prints and judges nothing; `make bench`
// judges what --json prints: the medians, ms. `node bench/state.mjs` after `make build ext`; CHROMIUM_PATH names the browser.
import { build } from "esbuild";
import { createServer } from "node:http";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = 9;

const bundle = join(here, "../../.cache/bench-state-harness.mjs");
await build({
  entryPoints: [join(here, "../../e2e/harness.ts")],
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  define: { "import.meta.url": JSON.stringify(pathToFileURL(join(here, "../../e2e/harness.ts")).href) },
});
const { agent: connect, Browser, Place, until } = await import(pathToFileURL(bundle).href);

const server = createServer((_request, response) =>
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Bench</title><p>a"),
);
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const url = `http://127.0.0.1:${server.address().port}/`;

/** Runs in the page: writes so many rows as a page does, in one transaction. Gives what it took, ms. */
const write = async (rows) => {
  const began = performance.now();
  const request = indexedDB.open("shop", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("rows", { keyPath: "id" });
  await new Promise((resolve) => (request.onsuccess = resolve));
  const transaction = request.result.transaction("rows", "readwrite");
  const store = transaction.objectStore("rows");
  store.clear();
  for (let id = 0; id < rows; id++) store.put({ id, name: `row ${id}`, at: new Date(id), tags: ["a", "b"] });
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  request.result.close();
  return performance.now() - began;
};

const place = await Place.make();
await place.serve();
const browser = await Browser.launch(place, { hosts: [], args: [], ignoreDefaultArgs: [] });
const agent = await connect(place);
const figures = { write: [], loads: [], 0: [], 1000: [] };
try {
  await until(
    "a connected browser",
    () => place.fetch("/health").then((r) => r.json()),
    (health) => health.browsers?.length === 1,
    20_000,
  );
  await browser.worker.evaluate(() => chrome.storage.local.set({ pilot: true }));
  const tab = browser.context.pages()[0] ?? (await browser.page());
  await tab.goto(url);
  await tab.bringToFront();
  await until(
    "the tab",
    () => agent.json("observe", { what: "tabs" }),
    ({ tabs }) => tabs.some((at) => at.active && at.url === url),
    10_000,
  );
  for (const rows of [0, 1000]) {
    await tab.evaluate(write, rows);
    await agent.ask("interact", { action: "save_state", name: `rows-${rows}` });
  }
  for (let round = 0; round < rounds + 2; round++) {
    for (const rows of [0, 1000]) {
      const began = performance.now();
      await agent.ask("interact", { action: "load_state", name: `rows-${rows}` });
      if (round >= 2) figures[rows].push(performance.now() - began);
    }
    const took = await tab.evaluate(write, 1000);
    const began = performance.now();
    await tab.reload();
    await tab.reload();
    if (round < 2) continue;
    figures.write.push(took);
    figures.loads.push(performance.now() - began);
  }
} finally {
  await agent.close();
  await browser.close();
  await place.remove();
  server.close();
  await rm(bundle, { force: true });
}

const median = (values) => values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? NaN;
const medians = {
  none: median(figures[0]),
  rows: median(figures[1000]),
  write: median(figures.write),
  loads: median(figures.loads),
};
if (process.argv.includes("--json")) console.log(JSON.stringify(medians));
else {
  const shown = (name, value) => console.log(name.padEnd(52), value.toFixed(1).padStart(8));
  console.log(`load_state, milliseconds from the agent's call to its answer, median of ${rounds}`);
  shown("without rows", medians.none);
  shown("1,000 rows", medians.rows);
  shown("the page itself writes 1,000 rows", medians.write);
  shown("the page is loaded twice", medians.loads);
  shown("what 1,000 rows add, to the page's own writing", (medians.rows - medians.none) / medians.write);
  shown("1,000 rows, to two loads and the page's own writing", medians.rows / (medians.write + medians.loads));
}
