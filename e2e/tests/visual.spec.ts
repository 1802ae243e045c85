import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Agent, expect, front, test, until } from "./support/fixtures.ts";

test.use({ pilot: false }); // they only look

interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
  element?: { ref?: string; tag: string; selector?: string };
}

interface Diff {
  passed: boolean;
  verdict: string;
  pixels_changed: number;
  regions: Part[];
  dynamic?: Part[];
  diff_path?: string;
  notes?: string[];
}

/** What a call is refused with. */
async function refusal(agent: Agent, args: Record<string, unknown>): Promise<string> {
  const { text, isError } = await agent.call("analyze", args);
  expect(isError, text).toBe(true);
  return text;
}

const SHOP = `<!doctype html><title>Shop</title><style>
  body { margin: 0; font: 16px sans-serif; background: #fff }
  header { position: fixed; inset: 0 0 auto 0; height: 40px; background: #246 }
  #clock { position: absolute; top: 60px; left: 20px; width: 80px; height: 20px }
  #card { position: absolute; top: 100px; left: 20px; width: 200px; height: 80px; background: #eee }
  #pay { position: absolute; top: 300px; left: 40px; width: 120px; height: 40px; border: 0; background: #0a0 }
  #ad { position: absolute; top: 400px; left: 0; width: 300px; height: 60px; background: #fc0 }
  #foot { position: absolute; top: 1500px; left: 0; width: 300px; height: 60px; background: #ccf }
</style><header></header><div id=clock>0</div><div id=card>Card</div><button id=pay></button><div id=ad></div>
<div id=foot>Foot</div><input type=password value=hunter2 style="position:absolute;top:500px">
<script>
  let n = 0;
  setInterval(() => (clock.style.background = "hsl(" + (n += 47) + ",80%,50%)"), 300); // 360 colours, none soon again
  const hue = location.hash.slice(1);
  if (hue) ad.style.background = "#" + hue;
</script>`;

test("a page is compared with how it was: masks, what moves by itself, and where it changed", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(site.page("/shop", SHOP));
  const id = await front(agent, tab);
  const saved = await agent.ask("analyze", { what: "visual_baseline", name: "shop", masks: ["#ad"] });
  expect(saved).toMatch(/^visual_baseline: shop saved, \d+×\d+ pixels, viewport \d+×\d+, tab \d+/);
  expect(saved).toMatch(/changes by itself, left out: e\d+ <div> .*#clock, 80×20 at 20,60/);
  expect(saved).toContain("black: 1");
  const path = /^picture: (.*)$/m.exec(saved)?.[1] ?? "";
  expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await agent.ask("analyze", { what: "visual_baselines" })).toContain("visual_baselines: 1 of");

  const compare = (more = {}) => agent.json<Diff>("analyze", { what: "visual_diff", baseline: "shop", ...more });
  // What is masked may change, and so may what moves by itself.
  await tab.evaluate(() => (document.querySelector<HTMLElement>("#ad")!.style.background = "#000"));
  expect(await compare()).toMatchObject({ passed: true, pixels_changed: 0, regions: [] });
  await expect(tab.locator("[data-gasoline-masked]")).toHaveCount(0);

  await tab.evaluate(() => {
    document.querySelector<HTMLElement>("#pay")!.style.background = "#a00";
    document.querySelector<HTMLElement>("#card")!.style.height = "90px";
  });
  const diff = await compare();
  expect(diff).toMatchObject({
    passed: false,
    verdict: "minor_changes",
    pixels_changed: 120 * 40 + 200 * 10,
    regions: [
      { x: 40, y: 300, width: 120, height: 40, element: { tag: "button", selector: "#pay" } },
      { x: 20, y: 180, width: 200, height: 10, element: { selector: "#card" } },
    ],
  });
  expect((await readFile(diff.diff_path!)).length).toBeGreaterThan(100);
  // What was named can be acted on at once.
  const ref = diff.regions[0]!.element!.ref!;
  expect(await agent.ask("analyze", { what: "dom", ref })).toContain('id="pay"');
  const text = await agent.ask("analyze", { what: "visual_diff", baseline: "shop", threshold: 0.5 });
  expect(text).toMatch(/^visual_diff: PASS, .* %/);
  expect(text.length).toBeLessThan(2500);

  const refused = async (want: string | RegExp) => {
    const said = await refusal(agent, { what: "visual_diff", baseline: "shop" });
    expect(said).toContain("error=conflict");
    expect(said).toMatch(want);
  };
  await tab.emulateMedia({ colorScheme: "dark" });
  await refused(/the light scheme\. The page now: the dark scheme/);
  await tab.emulateMedia({ colorScheme: "light" });
  await tab.evaluate(() => scrollTo(0, 120));
  await refused(/scrolled to 0,0\. The page now: scrolled to 0,120/);
  await tab.evaluate(() => scrollTo(0, 0));
  expect(await agent.ask("analyze", { what: "visual_baselines", op: "delete", name: "shop" })).toContain(
    "deleted shop",
  );
  expect(await refusal(agent, { what: "visual_diff", baseline: "shop", tab: id })).toContain("error=no_data");
});

test("a full page and one element, also beyond what is seen and in a tab that is not", async ({
  site,
  tab,
  profile,
  agent,
}) => {
  await tab.goto(site.page("/shop", SHOP));
  const id = await front(agent, tab);
  const ask = (what: string, more: object) =>
    agent.json<Diff>("analyze", { what, tab: id, timeout_ms: 60_000, ...more });
  expect(await ask("visual_baseline", { name: "full", full_page: true })).toMatchObject({
    height: 1560,
    full_page: true,
  });
  expect(await ask("visual_baseline", { name: "foot", selector: "#foot" })).toMatchObject({ width: 300, height: 60 });
  const { ref } = (
    await agent.json<{ documents: { answer: { matches: { ref: string }[] } }[] }>("analyze", {
      what: "dom",
      selector: "#pay",
    })
  ).documents[0]!.answer.matches[0]!;
  expect(await ask("visual_baseline", { name: "pay", ref })).toMatchObject({
    width: 120,
    selector: expect.any(String),
  });
  await tab.evaluate(() => (document.querySelector<HTMLElement>("#foot")!.style.background = "#fcc"));
  expect(await ask("visual_diff", { baseline: "full" })).toMatchObject({
    passed: false,
    regions: [{ x: 0, y: 1500, width: 300, element: { selector: "#foot" } }],
  });
  expect(await ask("visual_diff", { baseline: "pay" })).toMatchObject({ passed: true });
  await tab.evaluate(
    () => (document.querySelector<HTMLElement>("#foot")!.style.cssText = "height:55px;border-top:5px solid #000"),
  );
  expect(await ask("visual_diff", { baseline: "foot" })).toMatchObject({
    passed: false,
    regions: [{ x: 0, y: 0, width: 300, element: { selector: "#foot" } }],
  });
  await tab.evaluate(() => (document.querySelector<HTMLElement>("#foot")!.style.cssText = ""));
  await tab.evaluate(() => scrollTo(0, 0)); // it was scrolled for the pictures of what is below
  const other = await profile.page();
  await other.bringToFront();
  expect(await ask("visual_diff", { baseline: "full" })).toMatchObject({ passed: true });
  await other.close();
});

test.describe("in a browser of its own", () => {
  test.use({ ownBrowser: true });

  test("a full page is whole at any zoom of the browser", async ({ site, tab, profile, agent }) => {
    await tab.goto(site.page("/shop", SHOP));
    await front(agent, tab);
    const zoom = (to: number) =>
      profile.worker.evaluate(async (factor) => {
        const [shown] = await chrome.tabs.query({ active: true });
        await chrome.tabs.setZoom(shown!.id!, factor);
      }, to);
    for (const factor of [1.25, 0.5]) {
      await zoom(factor);
      await until(
        "the zoom",
        () => tab.evaluate(() => devicePixelRatio),
        (ratio) => ratio === factor,
      );
      const height = await tab.evaluate(() => document.documentElement.scrollHeight);
      const saved = { what: "visual_baseline", name: "zoomed", full_page: true, overwrite: true, timeout_ms: 60_000 };
      expect(await agent.json<Diff>("analyze", saved)).toMatchObject({ width: 1280, height: height * factor });
      await tab.evaluate(() => (document.querySelector<HTMLElement>("#foot")!.style.background = "#fcc"));
      expect(await agent.json<Diff>("analyze", { what: "visual_diff", baseline: "zoomed" })).toMatchObject({
        regions: [{ x: 0, y: 1500 * factor, width: 300 * factor, height: 60 * factor, element: { selector: "#foot" } }],
      });
      await tab.evaluate(() => (document.querySelector<HTMLElement>("#foot")!.style.background = ""));
    }
  });
});

test.describe("on a screen of two pixels for one", () => {
  test.use({ flags: ["--force-device-scale-factor=2"] });

  test("pictures have all its pixels, and what changed is where it is", async ({ site, tab, agent }) => {
    await tab.goto(site.page("/shop", SHOP));
    await front(agent, tab);
    expect(await tab.evaluate(() => devicePixelRatio)).toBe(2);
    const color = (selector: string, to: string) =>
      tab.evaluate(
        ([at, value]) => (document.querySelector<HTMLElement>(at!)!.style.background = value!),
        [selector, to],
      );
    const scrolled = await tab.evaluate(() => document.documentElement.scrollHeight);
    // What is shown, of which the debugger's bar takes some, the whole page, an element that is not shown.
    for (const [named, size, changed, at] of [
      [{}, [2560, expect.any(Number)], "#pay", [80, 600, 240, 80]],
      [{ full_page: true }, [2560, 2 * scrolled], "#foot", [0, 3000, 600, 120]],
      [{ selector: "#foot" }, [600, 120], "#foot", [0, 0, 600, 120]],
    ] as const) {
      await tab.evaluate(() => scrollTo(0, 0));
      const save = { what: "visual_baseline", name: "sharp", overwrite: true, ...named };
      expect(await agent.json<Diff>("analyze", save), JSON.stringify(named)).toMatchObject({
        width: size[0],
        height: size[1],
      });
      await color(changed, "#f0c");
      const diff = await agent.json<Diff>("analyze", { what: "visual_diff", baseline: "sharp" });
      const [x, y, width, height] = at;
      const part = { x, y, width, height, element: { selector: changed } };
      expect(diff, JSON.stringify(named)).toMatchObject({ passed: false, regions: [part] });
      await color(changed, "");
    }
  });
});

test("a page that is led elsewhere, closed, or changes all the time is no baseline", async ({
  site,
  tab,
  profile,
  agent,
}) => {
  const busy = `<!doctype html><title>Busy</title><body><script>
    setInterval(() => (document.body.style.background = "hsl(" + Math.random() * 360 + " 90% 50%)"), 50)</script>`;
  await tab.goto(site.page("/busy", busy));
  await front(agent, tab);
  const save = { what: "visual_baseline", name: "busy" };
  expect(await refusal(agent, save)).toContain("the page changes all the time");
  // From the first of three pictures to the last it is 1,150 ms: the page is left meanwhile. Where the machine is too slow to
  // cover its fields before it is left, that is told.
  site.page("/next", "<!doctype html><title>Next</title>");
  const leaving = `<!doctype html><title>Leaving</title><p>Leaving</p><script>
    setTimeout(() => (location.search = Number(location.search.slice(1)) + 1), 1000)</script>`;
  await tab.goto(site.page("/leaving", leaving));
  await front(agent, tab);
  expect(await refusal(agent, save)).toMatch(/error=page_left|which of its fields are secret/);
  const second = await profile.page();
  await second.goto(site.url("/next"));
  const id = await front(agent, second);
  await second.close();
  expect(await refusal(agent, { ...save, tab: id })).toContain("error=tab_gone");
  expect(await agent.ask("analyze", { what: "visual_baselines" })).toContain("none is saved");
});

test("an application of React that renders all the time is still, and its change is told", async ({
  site,
  tab,
  agent,
}) => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../extension/tests/apps/react.mjs", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  site.page("/app.js", { body: outputFiles[0]?.text ?? "", type: "text/javascript" });
  await tab.goto(site.page("/", "<!doctype html><title>App</title><div id=app></div><script src=/app.js></script>"));
  await expect(tab.locator("output")).toBeVisible();
  await front(agent, tab);
  const saved = await agent.json<Diff>("analyze", { what: "visual_baseline", name: "app" });
  expect(saved.dynamic ?? []).toEqual([]);
  const compare = () => agent.json<Diff>("analyze", { what: "visual_diff", baseline: "app" });
  expect(await compare()).toMatchObject({ passed: true, verdict: "identical" });
  await tab.reload();
  await expect(tab.locator("output")).toBeVisible();
  expect(await compare()).toMatchObject({ passed: true, verdict: "identical" });
  await tab.getByLabel("Gift").check();
  await tab.mouse.move(0, 400);
  const diff = await compare();
  expect(diff.passed).toBe(false);
  expect(diff.regions.map(({ element }) => element?.tag)).toContain("input");
});
