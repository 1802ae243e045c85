import { type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

async function open(browser: Browser, site: Site, daemon: FakeDaemon, html: string) {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/a", html));
  const tab = await browser.tab(page);
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  return { page, run };
}

const PAGE = `<!doctype html><title>A</title><style>.gone { display: none }</style>
  <button id=one>Save</button><button class=two>Delete</button><button class=two>Delete</button>
  <button class=gone id=hidden>Send</button><button id=shown>Send</button>
  <iframe src="/inner?v=1" title=Inner></iframe><iframe src="/else" title=Else></iframe>`;

test("the first selector that fits exactly one element is found, a lesser one once the page rests", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/inner", "<!doctype html><button>Save</button><button id=inner>Inside</button>");
  site.page("/else", "<!doctype html><button>Save</button><button id=other>Inside</button>");
  const { page, run } = await open(browserWithExtension, site, daemon, PAGE);
  const locate = async (selectors: string[], more: object = {}) =>
    (await run("locate", { selectors, ...more }, brief())).result;
  expect(await locate(["#one", "text=Save"])).toMatchObject({ index: 0, frame: "main", counts: [1] });
  // What is visible is meant, as everywhere.
  expect(await locate(["text=Send"])).toMatchObject({ index: 0, frame: "main", counts: [1] });
  expect(await locate(["text=Delete", "[[", "#none", "#one"])).toMatchObject({
    index: 3,
    frame: "main",
    counts: [2, 0, 0, 1],
  });
  expect(await locate(["text=Delete", "#none"])).toMatchObject({ index: -1, counts: [2, 0] });
  // In iframes the address decides, whatever its query says.
  const inner = await locate(["text=Save"], { frame_url: site.url("/inner?v=2") });
  expect(inner).toMatchObject({ index: 0, counts: [1] });
  const { result } = await run("click", { selector: "text=Save", frame: inner.frame ?? "" });
  expect(result.matched?.frame).toBe(inner.frame);
  expect(await locate(["head"], { frame_url: site.url("/else") })).toMatchObject({ index: 0 });
  // An address that no iframe has any more: wherever in its site exactly one fits.
  const moved = { frame_url: site.url("/moved"), site: new URL(site.url("/")).origin };
  expect(await locate(["#inner"], moved)).toMatchObject({ index: 0, counts: [1] });
  expect(await locate(["text=Save"], moved)).toMatchObject({ index: -1, counts: [2] });
  // Documents of other sites are not looked in.
  const strange = { index: -1, counts: [0], strange: true };
  expect(await locate(["#inner"], { ...moved, site: "http://elsewhere.test" })).toMatchObject(strange);
  expect(await locate(["#one"], { site: "http://elsewhere.test" })).toMatchObject(strange);

  // What comes while the page changes is preferred to what fits now.
  await page.evaluate(() => {
    const tick = setInterval(() => (document.title += "."), 50);
    setTimeout(() => {
      document.body.insertAdjacentHTML("beforeend", "<button id=best>Best</button>");
      clearInterval(tick);
    }, 700);
  });
  expect(await locate(["#best", "#one"])).toMatchObject({ index: 0 });
  // And what is not there at all is waited for.
  await page.evaluate(() => {
    setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<button id=late>Late</button>"), 1200);
  });
  expect(await locate(["#late"])).toMatchObject({ index: 0, counts: [1] });
});

test("a page that is loaded anew is looked at when it is there", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, PAGE);
  site.page("/b", "<!doctype html><title>B</title><button id=next>Next</button>");
  const found = run("locate", { selectors: ["#next"] });
  await page.goto(site.url("/b"));
  expect((await found).result).toMatchObject({ index: 0, frame: "main", counts: [1] });
});

test("pages and boxes are scrolled to a place, and the page hears of it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/inner", "<!doctype html><div style='height:3000px'>tall</div>");
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<!doctype html><div id=box style="width:100px;height:100px;overflow:auto"><div style="width:900px;height:900px"></div></div>
     <iframe src="/inner"></iframe><div style="height:4000px;width:4000px"></div>
     <script>heard = []; addEventListener("scroll", (e) => heard.push(e.target.id ?? "page"), true)</script>`,
  );
  const { result } = await run("scroll_position", { left: 30, top: 800 });
  expect(result.viewport).toMatchObject({ scroll_x: 30, scroll_y: 800 });
  await run("scroll_position", { selector: "#box", left: 10, top: 250 });
  await run("scroll_position", { frame: "0", top: 600 });
  const places = () =>
    page.evaluate(() => {
      const box = document.getElementById("box")!;
      return [scrollX, scrollY, box.scrollLeft, box.scrollTop, frames[0]?.scrollY];
    });
  expect(await places()).toEqual([30, 800, 10, 250, 600]);
  expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toContain("box");
  expect((await run("scroll_position", { selector: "#none", top: 1 }, brief())).error?.code).toBe("element_not_found");
  expect((await run("scroll_position", { top: "far" as never })).error?.code).toBe("invalid_param");
  await browserWithExtension.set({ pilot: false });
  expect((await run("scroll_position", { top: 1 })).error?.code).toBe("pilot_off");
});
