import { open } from "./acting.ts";
import { brief, expect, test } from "./extension.ts";

test.use({ host: "node" });

const inner = `<!doctype html><title>Inner</title><button style="margin-top:100px" onclick="out.textContent = 'clicked ' + event.isTrusted">Inner</button><p id=out></p>`;
const modal = `<div id=modal role=dialog style="position:fixed;inset:0;background:#000c">Accept?</div>`;

for (const host of ["127.0.0.1", "localhost"] as const) {
  test(`nothing is clicked through what covers an iframe (of ${host})`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page } = browser;
    await browser.set({ pilot: true });
    site.page("/inner", inner);
    site.page(
      "/middle",
      `<!doctype html><div style="height:400px"></div><iframe src="${site.url("/inner")}" style="border:9px solid;padding:5px"></iframe>`,
    );
    await page.goto(
      site.page(
        "/a",
        `<!doctype html><div style="height:2000px"></div><iframe src="${site.url("/middle", host)}" width=400 height=300></iframe>${modal}`,
      ),
    );
    await page.waitForLoadState("networkidle");
    const tab = await browser.tab(page);
    const out = page.frameLocator("iframe").frameLocator("iframe").locator("#out");
    for (const trusted of ["auto", "always"]) {
      for (const kind of ["click", "hover"] as const) {
        const covered = await daemon.command(kind, { selector: "text=Inner", frame: "1", trusted } as object, {
          tab,
          ...brief(),
        });
        expect(covered.error, kind).toMatchObject({
          code: "blocked_by_overlay",
          blocker: expect.stringContaining("#modal"),
        });
      }
      await expect(out).toHaveText("");
    }
    await page.locator("#modal").evaluate((at) => at.remove());
    for (const [trusted, real] of [
      ["auto", false],
      ["always", true],
    ] as const) {
      const free = await daemon.command("click", { selector: "text=Inner", frame: "1", trusted }, { tab });
      expect(free.error).toBeUndefined();
      await expect(out).toHaveText(`clicked ${real}`);
    }
  });
}

test("what covers an iframe is waited for", async ({ daemon, site, browserWithExtension: browser }) => {
  await browser.set({ pilot: true });
  site.page("/inner", inner);
  await browser.page.goto(
    site.page(
      "/a",
      `<!doctype html><iframe src="/inner"></iframe>${modal}<script>setTimeout(() => modal.remove(), 700)</script>`,
    ),
  );
  const tab = await browser.tab(browser.page);
  expect((await daemon.command("click", { selector: "text=Inner", frame: "0" }, { tab })).error).toBeUndefined();
});

test("what a page calls as Gasoline's own panels are called is the page's", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div id=gasoline-toast>Mine</div><div id=gasoline-subtitle>Mine</div><div id=gasoline-highlighter>Mine</div><div id=gasoline-cursor>Mine</div>
     <main id=gasoline-app><h1>Prices</h1><button id=gasoline-buy onclick="told.textContent = 'Bought'">Buy</button><p id=told role=status></p></main>
     <div id=gasoline-draw></div>
     <dialog id=gasoline-dialog open><p>Accept the offer?</p><button onclick="this.closest('dialog').remove()">Close</button></dialog>
     <script>document.getElementById("gasoline-draw").attachShadow({ mode: "closed" }).innerHTML = "<button>Within</button>"</script>`,
  );
  const seen = JSON.stringify((await run("snapshot", {})).result);
  for (const word of ["Prices", "Buy", "Within", "Accept the offer?"]) expect(seen).toContain(word);
  expect((await run("get_text", { selector: "role=button[name=Within]" })).error).toBeUndefined();
  expect((await run("dismiss_top_overlay", {})).error).toBeUndefined();
  await expect(page.locator("dialog")).toHaveCount(0);
  const bought = await run("click", { selector: "role=button[name=Buy]", reason: "to buy" });
  expect(JSON.stringify(bought.result.receipt?.changes)).toContain("Bought");
  await run("subtitle", { text: "Now" });
  await run("subtitle", { text: "" });
  await run("highlight", { selector: "h1" });
  await run("highlight", { duration_ms: 0 });
  await run("screenshot", {});
  await expect(page.getByText("Mine")).toHaveCount(4);
});
