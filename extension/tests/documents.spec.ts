import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";
import type { Page, Site } from "./site.ts";

test.use({ host: "node" });

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><title>Chart</title><desc>Sales by year</desc>
  <style>text { fill: red }</style><text x="10" y="40">Revenue <tspan>2024</tspan></text><text x="10" y="60" display="none">Hidden</text>
  <a href="/plain"><text x="10" y="80">Details</text></a>
  <rect x="10" y="100" width="50" height="50" role="button" aria-label="Bar" onclick="document.querySelector('tspan').textContent = '2025'"/></svg>`;

const DOCUMENTS: Record<string, Page> = {
  "/plain": { body: "Hello plain\nline `two` <b>", type: "text/plain" },
  "/json": { body: '{"a":{"b":[1,2,"three"]}}', type: "application/json" },
  "/xml": { body: '<?xml version="1.0"?><orders><order id="1">Tea<price>4</price></order></orders>', type: "text/xml" },
  "/svg": { body: SVG, type: "image/svg+xml" },
  "/picture.png": { body: Buffer.from(PNG, "base64"), type: "image/png" },
  "/broken.png": { body: "nothing", type: "image/png" },
  "/pdf": { body: "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>", type: "application/pdf" },
  "/film": { body: "nothing", type: "video/mp4" },
  "/frameset": {
    body: "<title>Frames</title><frameset cols='50%,50%'><frame src='/plain'><frame src='/svg'></frameset>",
  },
  "/broken.xhtml": {
    body: '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Start here</h1><p>Broken <b>mark</p></body></html>',
    type: "application/xhtml+xml",
  },
};

function pages(site: Site): void {
  for (const [path, page] of Object.entries(DOCUMENTS)) site.page(path, page);
}

/** What each document says, in words that are in what is read of it. */
const SAYS: [path: string, text: RegExp, markdown: RegExp, outline: RegExp][] = [
  ["/plain", /^Hello plain\nline `two` <b>$/, /^```\nHello plain\nline `two` <b>\n```$/, /Hello plain line `two` <b>/],
  ["/json", /^\{"a":\{"b":\[1,2,"three"\]\}\}$/, /^```\n\{"a":\{"b":\[1,2,"three"\]\}\}\n```$/, /three/],
  ["/xml", /^<orders>.*Tea.*<\/orders>$/s, /^```\n<orders>.*Tea.*<\/orders>\n```$/s, /Tea/],
  [
    "/svg",
    /^Chart\nSales by year\nRevenue 2024\nDetails$/,
    /^# Chart\nSales by year\nRevenue 2024\n\[Details\]\(\/plain\)$/,
    /Revenue 2024.*link "Details" \[ref=e\d+\].*button "Bar" \[ref=e\d+\]/s,
  ],
  ["/picture.png", /^\[a picture: image\/png, 1 × 1 px, http.*\/picture\.png\]$/, /1 × 1 px/, /1 × 1 px/],
  ["/broken.png", /^\[a picture: image\/png, which the browser cannot show, http/, /cannot show/, /cannot show/],
  ["/pdf", /^\[a PDF in the viewer.*screenshot.*http.*\/pdf\]$/, /cannot be read/, /cannot be read/],
  ["/film", /^\[a video: video\/mp4, http/, /video\/mp4/, /video\/mp4/],
  ["/frameset", /^\[a frameset of 2 frames: http.*\/plain, .*\/svg;/, /frameset/, /Hello plain.*Revenue/s],
  ["/broken.xhtml", /not well-formed: error on line 1 .*\nStart here/, /# Start here/, /not well-formed.*Start here/s],
];

for (const [path, text, markdown, outline] of SAYS)
  test(`${path} is read as what it is`, async ({ daemon, site, browserWithExtension }) => {
    pages(site);
    const { page, run } = await open(browserWithExtension, site, daemon, "<p>before");
    await page.goto(site.url(path)).catch(() => undefined); // what a browser does not show ends the loading
    expect((await run("get_text", {})).result.value).toMatch(text);
    expect((await run("get_markdown", {})).result.markdown).toMatch(markdown);
    expect((await run("get_readable", {})).result.content).toMatch(
      path === "/svg" ? text : markdown.source.includes("```") ? text : /./,
    );
    const tree = (await run("snapshot", {})).result.snapshot;
    expect(tree).toMatch(outline);
    const listed = (await run("list_interactive", {})).result;
    const found = (await run("query", { selector: ":root", query_type: "text" })).result;
    const isPage = !text.source.includes("\\[") || path === "/json";
    expect(found.exists).toBe(true);
    if (!isPage && path !== "/frameset") expect([listed.document, found.document].join()).toMatch(/^\[.*\],\[/);
    const waited = await run("wait_for", { text: "no such words" }, brief());
    expect(waited.error?.code).toBe("timeout");
  });

test("what stands in iframes is read as what it is, and its refs can be pressed", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  pages(site);
  const frames = Object.keys(DOCUMENTS).filter((path) => path !== "/frameset");
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<h1>Around</h1>${frames.map((path) => `<iframe src="${path}"></iframe>`).join("")}`,
  );
  const { result } = await run("get_text", {});
  expect(result.value).toMatch(/^\[a part of the page shows a PDF.*\/pdf\]\nAround$/);
  const told = new Map(result.frames?.map(({ frame, value }) => [new URL(frame.url).pathname, value]));
  for (const [path, text] of SAYS) if (!/frameset|pdf/.test(path)) expect(told.get(path), path).toMatch(text);
  expect((await run("wait_for", { text: "Revenue 2024" })).result.matched_text).toContain("Revenue 2024");
  const pressed = await run("click", { selector: 'role=button[name="Bar"]' });
  expect(pressed.error).toBeUndefined();
  expect(pressed.result.receipt?.changes?.join()).toContain("2025");
});

test("a document without a body, without elements, and one that is being written are read", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<p>before");
  const read = async (): Promise<string[]> => {
    const said: string[] = [];
    for (const kind of ["get_text", "get_markdown", "get_readable", "snapshot", "list_interactive"] as const) {
      const { result, error } = await run(kind, {});
      expect(error, kind).toBeUndefined();
      said.push(JSON.stringify(result));
    }
    return said;
  };
  await page.evaluate("document.body.remove()");
  for (const said of await read()) expect(said).toContain("has no body");
  await page.evaluate("document.documentElement.remove()");
  for (const said of await read()) expect(said).toContain("has no elements");
  expect((await run("query", { selector: "p" })).result).toMatchObject({
    exists: false,
    document: expect.stringContaining("no elements"),
  });
  expect((await run("wait_for", { text: "before", absent: true })).result.absent).toBe(true);
  await page.goto(site.url("/a"));
  await page.evaluate("document.open(); document.write('<h1>Half</h1><button>Go')");
  const half = await read();
  for (const [i, said] of half.entries()) expect(said).toContain(i === 4 ? "Go" : "Half");
});
