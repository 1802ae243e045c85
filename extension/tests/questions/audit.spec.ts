import { expect, test } from "../extension.ts";

test.use({ host: "node" });

const GOOD = `<meta charset=utf-8><title>Prices of bicycles</title><meta name=description content="What bicycles cost.">
  <meta name=viewport content="width=device-width, initial-scale=1"><link rel=canonical href="http://shop.test/prices">`;

/** A picture of so many pixels, which is no vector. */
const bitmap = (width: number, height: number): string =>
  `(() => { const c = Object.assign(document.createElement("canvas"), { width: ${width}, height: ${height} }); c.getContext("2d").fillRect(0, 0, 9, 9); return c.toDataURL(); })()`;
const picture = (width: number, height: number, attributes: string): string =>
  `<img id=p ${attributes}><script>document.querySelector("#p").src = ${bitmap(width, height)}</script>`;

/** Pages with what is wrong with them: nothing else may be told. */
const PAGES: [string, string, string[]][] = [
  ["nothing", `${GOOD}<p>Bicycles</p>`, []],
  ["no title", GOOD.replace(/<title>.*<\/title>/, ""), ["title-missing"]],
  ["an empty title", GOOD.replace(/<title>.*<\/title>/, "<title> </title>"), ["title-missing"]],
  ["no description", GOOD.replace(/<meta name=description[^>]*>/, ""), ["description-missing"]],
  ["no viewport", GOOD.replace(/<meta name=viewport[^>]*>/, ""), ["viewport-missing"]],
  ["noindex", `${GOOD}<meta name=Robots content="NOINDEX, follow">`, ["noindex"]],
  [
    "directives for pictures and a viewport in capitals",
    GOOD.replace("width=", "WIDTH=") + `<meta name=robots content="index, max-image-preview:none">`,
    [],
  ],
  [
    "the first page under its other name",
    `${GOOD.replace("/prices", "/")}<script>history.replaceState(null, "", "/index.html")</script>`,
    [],
  ],
  ["two canonical addresses", `${GOOD}<link rel=canonical href="http://shop.test/other">`, ["canonical-wrong"]],
  ["a canonical address without a host", GOOD.replace("http://shop.test", ""), ["canonical-wrong"]],
  ["the canonical address of the first page", GOOD.replace("/prices", "/"), ["canonical-wrong"]],
  ["a language that is none", `${GOOD}<link rel=alternate hreflang=english-uk href="/en">`, ["hreflang-wrong"]],
  [
    "a region that is none",
    `${GOOD}<link rel=alternate hreflang=en-UK href="/en"><link rel=alternate hreflang=en-gb href="/gb"><link rel=alternate hreflang=x-default href="/">`,
    ["hreflang-wrong"],
  ],
  ["a country for a language", `${GOOD}<link rel=alternate hreflang=jp href="/jp">`, ["hreflang-wrong"]],
  [
    "languages",
    GOOD +
      ["tl", "iw", "nb", "zh-Hant-TW", "es-419"].map((of) => `<link rel=alternate hreflang=${of} href="/">`).join(""),
    [],
  ],
  ["broken data", `${GOOD}<script type="application/ld+json">{"a":}</script>`, ["structured-data-broken"]],
  [
    "links without addresses",
    `${GOOD}<a href="javascript:go()">Go on</a><a onclick="go()">Do it</a>`,
    ["link-without-address"],
  ],
  ["vague links", `${GOOD}<a href=/x>Click here</a><a href=/y>Prices of tyres</a>`, ["link-text-vague"]],
  ["small text", `${GOOD}<p style="font-size:9px">${"Small print. ".repeat(20)}</p><p>Large</p>`, ["text-small"]],
  ["outdated elements", `${GOOD}<center>Middle</center><font color=red>Red</font>`, ["element-outdated"]],
  ["two of one id", `${GOOD}<i id=x></i><i id=x></i><i id=x></i>`, ["id-twice"]],
  ["a broken picture", `${GOOD}<img src="/nowhere.png" width=10 height=10 alt="">`, ["image-broken"]],
  ["a stretched picture", GOOD + picture(200, 200, `width=300 height=100 alt=""`), ["image-distorted"]],
  ["a blurry picture", GOOD + picture(50, 50, `width=400 height=400 alt=""`), ["image-blurry"]],
  ["a point that keeps a place", GOOD + picture(1, 1, `width=300 height=200 alt=""`), []],
  ["a picture that is too large", GOOD + picture(1000, 1000, `width=100 height=100 alt=""`), ["image-oversized"]],
  ["a picture without a place", GOOD + picture(200, 200, `alt=""`), ["image-unsized"]],
  [
    "a lazy picture in view",
    GOOD + picture(800, 600, `width=800 height=600 loading=lazy alt=""`),
    ["image-lazy-in-view"],
  ],
  ["many elements", GOOD + "<i></i>".repeat(1600), ["elements-many"]],
];

test("of pages with one fault that one is told, and of a page without none", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  const wrong: unknown[] = [];
  for (const [i, [what, body, rules]] of PAGES.entries()) {
    await page.goto(site.page(`/prices/${i}`, `<!doctype html>${body}`));
    await page.waitForFunction(() => [...document.images].every((at) => at.complete));
    const { result } = await daemon.command("audit", {}, { tab: await browser.tab(page) });
    const { faults } = result.documents[0]!.answer;
    const found = faults.map(({ rule }) => rule);
    if (JSON.stringify(found) !== JSON.stringify(rules)) wrong.push([what, found, faults]);
  }
  expect(wrong).toEqual([]);
});

test("a fault is told with how often and where, in shadow roots and frames, and quirks are", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(
    site.page("/old", {
      body: `<meta charset=windows-1252><title>Old</title><my-card></my-card><iframe srcdoc="<center>In a frame</center>"></iframe>
        <script>document.querySelector("my-card").attachShadow({mode: "closed"}).innerHTML = "<font>a</font>".repeat(9)</script>`,
      status: 404,
      type: "text/html",
    }),
  );
  const { result } = await daemon.command("audit", {}, { tab: await browser.tab(page) });
  const [main, inner] = result.documents;
  const of = (rule: string) => main!.answer.faults.find((at) => at.rule === rule);
  expect(of("doctype-missing")).toMatchObject({ count: 1, places: [] });
  expect(of("charset-not-utf8")).toMatchObject({ places: [{ detail: "windows-1252" }] });
  expect(of("status-of-error")).toMatchObject({ places: [{ detail: "404" }] });
  const outdated = of("element-outdated")!;
  expect(outdated.count).toBe(9);
  expect(outdated.places).toHaveLength(5);
  expect(outdated.places[0]).toMatchObject({ ref: expect.stringMatching(/^e\d+$/), element: '<font> "a"' });
  expect(inner!.answer.faults.map(({ rule }) => rule)).toContain("element-outdated");
});
