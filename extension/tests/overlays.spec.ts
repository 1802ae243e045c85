import { expect, test } from "./extension.ts";

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
          timeoutMS: 4000,
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
