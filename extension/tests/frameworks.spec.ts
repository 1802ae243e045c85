import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Browser, brief, expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

/** What each app tells of itself. */
interface Told {
  name: string;
  size: string;
  gift: boolean;
  items: number[];
  next: number;
  swap: number;
  said: string;
}

/** The same app, made with each framework: it renders all of itself thirty times a second, whatever happens. */
const APPS = ["react", "preact", "vue", "lit", "whole"];

async function open(app: string, browser: Browser, daemon: FakeDaemon, site: Site) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`apps/${app}.mjs`, import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    define: {
      "process.env.NODE_ENV": '"production"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
  });
  site.page("/app.js", { body: outputFiles[0]?.text ?? "", type: "text/javascript" });
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/", "<!doctype html><title>App</title><div id=app></div><script src=/app.js></script>"));
  await expect(page.locator("output")).toBeVisible();
  const tab = await browser.tab(page);
  const run: FakeDaemon["command"] = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  const told = async (): Promise<Told> => JSON.parse((await page.locator("output").textContent()) ?? "") as Told;
  return { page, run, told };
}

for (const app of APPS) {
  // Real input takes longer from Node: a page that takes every element away 30 times a second does so between press and release.
  const details = { tag: app === "whole" ? ["@extension"] : [] };
  test(
    `${app}: fields are filled, chosen and checked while the page renders itself anew`,
    details,
    async ({ daemon, site, browserWithExtension }) => {
      const { page, run, told } = await open(app, browserWithExtension, daemon, site);
      const typed = await run("type", { selector: "label=Name", text: "ada" });
      expect(typed.error).toBeUndefined();
      expect(await told()).toMatchObject({ name: "ADA" });
      await expect(page.locator("input").first()).toHaveValue("ADA");
      expect((await run("type", { selector: "label=Name", text: "b c", clear: true })).error).toBeUndefined();
      expect(await told()).toMatchObject({ name: "B C" });
      const real = await run("type", { selector: "label=Name", text: "x y", clear: true, trusted: "always" });
      expect(real.error).toBeUndefined();
      await expect.poll(told).toMatchObject({ name: "X Y" });
      expect((await run("select", { selector: "label=Size", value: "Medium" })).error).toBeUndefined();
      expect((await run("check", { selector: "label=Gift" })).error).toBeUndefined();
      expect(await told()).toMatchObject({ size: "m", gift: true });
      expect((await run("check", { selector: "label=Gift", checked: false, trusted: "always" })).error).toBeUndefined();
      await expect.poll(told).toMatchObject({ gift: false });
    },
  );

  test(`${app}: a list names what is there while it is rendered anew, and its refs mean the same thing later`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const { run, told } = await open(app, browserWithExtension, daemon, site);
    for (let i = 0; i < 4; i++) expect((await run("click", { selector: "text=Add" })).error).toBeUndefined();
    expect((await told()).items).toEqual([1, 2, 3, 4]);
    const { result } = await run("list_interactive", {});
    expect(result.elements.map(({ label }) => label)).toEqual(
      expect.arrayContaining(["Add", "Remove 1", "Remove 2", "Remove 3", "Remove 4", "Swap"]),
    );
    const refOf = (label: string): string => result.elements.find((at) => at.label === label)?.ref ?? "";
    // A ref is of the thing that was listed, not of its place: the others move up when one goes.
    for (const [n, left] of [
      [2, [1, 3, 4]],
      [3, [1, 4]],
      [4, [1]],
    ] as const) {
      const { error } = await run("click", { ref: refOf(`Remove ${n}`) });
      expect(error, `${n}`).toBeUndefined();
      expect((await told()).items).toEqual(left);
    }
    const gone = await run("click", { ref: refOf("Remove 3") }, brief());
    expect(gone.error?.code).toMatch(/stale_ref|element_not_found/);
    expect((await told()).items).toEqual([1]);
  });

  test(`${app}: what is replaced between mousedown and click is pressed as a user's press would`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const { page, run, told } = await open(app, browserWithExtension, daemon, site);
    // Playwright's own click would wait for an element that stays.
    const at = await page.evaluate(() => {
      const root = document.querySelector("the-app")?.shadowRoot ?? document;
      const { x, y } = [...root.querySelectorAll("button")].at(-1)!.getBoundingClientRect();
      return { x: x + 5, y: y + 5 };
    });
    await page.mouse.click(at.x, at.y);
    const user = await told();
    expect(user.swap).toBe(1);
    await page.reload();
    const real = await run("click", { selector: "text=Swap", trusted: "always" });
    expect(real.error).toBeUndefined();
    expect(await told()).toEqual(user);
    await page.reload();
    expect((await run("click", { selector: "text=Swap" })).error).toBeUndefined();
    expect((await told()).swap).toBe(1);
  });
}
