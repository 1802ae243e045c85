// How long analyze's questions to a page hold it up, and how long their answers are: through the released program, the
// extension and Chromium, on large pages of several shapes. It prints and judges nothing.
// `node bench/questions.mjs [shape] [mode]` after `make build ext`; CHROMIUM_PATH names the browser.
import { build } from "esbuild";
import { createServer } from "node:http";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const rounds = 3;
const [, , onlyShape = "", onlyMode = ""] = process.argv;

const bundle = join(here, "../../.cache/bench-questions.mjs");
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

const repeat = (count, one) => Array.from({ length: count }, (_, i) => one(i)).join("");
const card = (i) => `<section class=c${i % 7}><h3>Card ${i}</h3><p>Some text of <i>${i}</i> that goes on.</p>
  ${"<div class=cell><span>label</span> <em>value</em> <b>more</b></div>".repeat(6)}
  <label>Amount ${i} <input name=a${i} value="v ${i}"></label><div><button type=button>Buy <span>item ${i}</span></button>
  <a href="#c${i}">Details of ${i}</a><a href="/item/${i}">Item ${i}</a></div><ul><li>one<li>two<li>three</ul><hr></section>`;
const nested = (i) => `${"<div>".repeat(200)}<a href="/deep/${i}">Deep ${i}</a>${"</div>".repeat(200)}`;
const field = (i) => `<div class=field><label for=f${i}>Field ${i}</label><div><span><input id=f${i} name=f${i} required
  aria-describedby=h${i}></span></div><p id=h${i}>A hint for <b>field</b> <i>${i}</i></p><em></em><u></u></div>`;
const row = (i) => `<tr><th>${i}</th>${repeat(4, (j) => `<td><span>cell ${i}/${j}</span></td>`)}</tr>`;
const style = "<style>section{border:1px solid} .cell{padding:1px} .field{margin:1px} td{color:#333}</style>";
const shapes = {
  flat: repeat(20_000, (i) => `<p>Line ${i}</p>`),
  cards: repeat(500, card),
  deep: `<div style="overflow:auto;height:400px">${repeat(100, nested)}</div>`,
  fields: `<form aria-label=All>${repeat(2000, field)}<button>Send</button></form>`,
  table: `<table><caption>Rows</caption><thead><tr>${repeat(5, (j) => `<th>Head ${j}</th>`)}</tr></thead><tbody>${repeat(2000, row)}</tbody></table>`,
  roots: `${repeat(500, () => "<my-part></my-part>")}<script>customElements.define("my-part", class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML =
      "${"<p>Some <b>text</b> of it</p>".repeat(18)}<a href=/x>Link</a><button>Do</button>"; } })</script>`,
  frames: repeat(40, (i) => `<iframe title="Frame ${i}" src="/frame"></iframe>`),
};
const frame = repeat(120, (i) => `<div><a href="/f/${i}">Link ${i}</a><p>Text</p><input name=a></div>`);
/** What each mode is asked beside its name. */
const modes = {
  page_summary: {},
  page_structure: {},
  navigation: {},
  forms: {},
  form_state: {},
  form_validation: {},
  data_table: {},
  feature_gates: {},
  dom: { selector: "body *" },
  computed_styles: { selector: "body *" },
  link_health: {},
  visual_baseline: { name: "bench", overwrite: true },
  audit: { categories: ["seo"] },
  accessibility: { timeout_ms: 120_000 },
  security_audit: {},
};

const server = createServer((request, response) => {
  const path = request.url.slice(1);
  response.writeHead(shapes[path] || path === "frame" ? 200 : 404, { "content-type": "text/html" });
  response.end(
    `<!doctype html><html lang=en><title>Large</title>${style}<body>${path === "frame" ? frame : (shapes[path] ?? "")}`,
  );
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${server.address().port}`;

const place = await Place.make();
await place.serve();
const browser = await Browser.launch(place, { hosts: [], args: [], ignoreDefaultArgs: [] });
const agent = await connect(place);
const ms = (value) => value.toFixed(1).padStart(9);

/** The longest task of the page's main thread while work goes on, ms that the thread worked: a busy machine does not count. */
async function longest(session, work) {
  const events = [];
  const collect = ({ value }) => events.push(...value);
  session.on("Tracing.dataCollected", collect);
  await session.send("Tracing.start", {
    traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] },
    transferMode: "ReportEvents",
  });
  const value = await work();
  const done = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await done;
  session.off("Tracing.dataCollected", collect);
  const begun = events.find(({ name }) => name === "TracingStartedInBrowser");
  const pids = (begun?.args.data.frames ?? []).filter(({ url }) => url.startsWith(origin)).map((at) => at.processId);
  const mains = events
    .filter(({ name, pid, args }) => name === "thread_name" && args.name === "CrRendererMain" && pids.includes(pid))
    .map(({ pid, tid }) => `${pid} ${tid}`);
  const tasks = events.filter(
    ({ ph, name, pid, tid }) => ph === "X" && name.endsWith("RunTask") && mains.includes(`${pid} ${tid}`),
  );
  // Of what takes no time nothing is said.
  return { value, longest: Math.max(0, ...tasks.map(({ tdur }) => tdur ?? 0)) / 1000 };
}

console.log(`questions of analyze to pages of about 20,000 nodes: the longest task of the page's main
thread, milliseconds of the thread, the least of ${rounds} calls; ratio to a walk over the page by
TreeWalker in the same run; bytes of the answer`);
console.log("".padEnd(36), "  longest", "   × walk", "  bytes");
try {
  await until(
    "a connected browser",
    () => place.fetch("/health").then((r) => r.json()),
    (health) => health.browsers?.length === 1,
    60_000,
  );
  await browser.worker.evaluate(() => chrome.storage.local.set({ pilot: true }));
  const tab = browser.context.pages()[0] ?? (await browser.page());
  const session = await browser.context.newCDPSession(tab);
  for (const shape of Object.keys(shapes)) {
    if (!shape.includes(onlyShape)) continue;
    await tab.goto(`${origin}/${shape}`, { timeout: 120_000 });
    await tab.bringToFront();
    await until(
      `the tab of ${shape}`,
      () => agent.json("observe", { what: "tabs" }),
      ({ tabs }) => tabs.some((at) => at.active && at.url === `${origin}/${shape}`),
      30_000,
    );
    const walk = `(() => { const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT); let n = 0;
      while (walker.nextNode()) n += walker.currentNode.localName.length; return n; })()`;
    const walks = [];
    for (let i = 0; i < rounds; i++) walks.push((await longest(session, () => tab.evaluate(walk))).longest);
    const base = Math.min(...walks);
    console.log(`${shape}, a walk by TreeWalker`.padEnd(36), ms(base));
    for (const [what, params] of Object.entries(modes)) {
      if (!what.includes(onlyMode)) continue;
      const all = [];
      for (let i = 0; i < rounds; i++)
        all.push(await longest(session, () => agent.call("analyze", { what, ...params })));
      const least = Math.min(...all.map((at) => at.longest));
      const { text, isError } = all.at(-1).value;
      console.log(
        `${shape}, ${what}`.padEnd(36),
        ms(least),
        ms(least / base),
        String(Buffer.byteLength(text)).padStart(7),
        isError ? text.split("\n")[0] : "",
      );
    }
  }
} finally {
  await agent.close();
  await browser.close();
  await place.remove();
  server.close();
  await rm(bundle, { force: true });
}
