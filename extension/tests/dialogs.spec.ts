import { expect, test } from "./extension.ts";

const PAGE = `<!doctype html><title>A</title><button onclick="document.title = String(confirm('Delete everything?'))">Delete</button>`;

for (const trusted of ["never", "always"]) {
  test(`a click that opens a dialog is answered at once, trusted ${trusted}`, async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page } = browser;
    await browser.set({ pilot: true });
    await page.goto(site.page("/a", PAGE));
    const tab = await browser.tab(page);
    // With a listener Playwright leaves the dialog open until the test answers it.
    const asked = page.waitForEvent("dialog");
    page.on("dialog", () => {});
    const clicked = await daemon.command("click", { selector: "text=Delete", trusted }, { tab });
    expect(clicked.error).toBeUndefined();
    expect(clicked.result).toMatchObject({
      dialog: { type: "confirm", message: "Delete everything?" },
      overlay_warning: expect.stringContaining("Delete everything?"),
    });
    for (const kind of ["get_text", "click", "screenshot", "list_interactive"] as const) {
      const held = await daemon.command(kind, kind === "click" ? { selector: "text=Delete" } : {}, { tab });
      expect(held.error, kind).toMatchObject({ code: "dialog_open", message: expect.stringContaining("confirm") });
    }
    await (await asked).accept();
    await expect(page).toHaveTitle("true");
    await daemon.until("the dialog is closed", () =>
      daemon.events("lifecycle").find(({ state }) => state === "dialog_closed"),
    );
    expect((await daemon.command("get_text", {}, { tab })).error).toBeUndefined();
  });
}

test("a script that opens a dialog, and a tab that is led away from one", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/a", PAGE));
  const tab = await browser.tab(page);
  page.on("dialog", () => {});
  const held = await daemon.command("execute_js", { script: "alert('Hello')" }, { tab });
  expect(held.error).toMatchObject({ code: "dialog_open", message: expect.stringContaining("Hello") });
  expect(
    (await daemon.command("navigate", { url: site.page("/b", "<title>B</title>There") }, { tab })).result.title,
  ).toBe("B");
  expect((await daemon.command("get_text", {}, { tab })).result.value).toContain("There");
});
