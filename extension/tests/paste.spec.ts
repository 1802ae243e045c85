import { expect, test } from "./extension.ts";

test.use({ host: "node" });

test("a paste is one event with the text, and what the page does not take is put in", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(
    site.page(
      "/a",
      `<!doctype html><title>A</title><input id=plain value="ab"><div id=own contenteditable></div><div id=free contenteditable>x</div><input id=ro readonly>
       <script>
         window.heard = [];
         document.addEventListener("input", (e) => heard.push(e.inputType + ":" + e.data));
         own.addEventListener("paste", (e) => { e.preventDefault(); own.textContent = "[" + e.clipboardData.getData("text/plain") + "]"; });
       </script>`,
    ),
  );
  const at = { tab: await browser.tab(page) };
  const plain = await daemon.command("paste", { selector: "#plain", text: "cd" }, at);
  expect(plain.result).toMatchObject({ value: "abcd", insertion_strategy: "execCommand" });
  expect(await page.evaluate("heard")).toEqual(["insertText:cd"]);
  const own = await daemon.command("paste", { selector: "#own", text: "l1 l2" }, at);
  expect(own.result).toMatchObject({ value: "[l1 l2]", insertion_strategy: "paste" });
  expect((await daemon.command("paste", { selector: "#free", text: "y" }, at)).result.value).toBe("xy");
  // Where the caret is, it stays.
  await page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>("#plain")!;
    field.focus();
    field.setSelectionRange(1, 3);
  });
  expect((await daemon.command("paste", { text: "-" }, at)).result.value).toBe("a-d");
  expect((await daemon.command("paste", { selector: "#ro", text: "z" }, at)).error?.code).toBe("not_typeable");
});

test("a subtitle stays over dialogs until the next one or none", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(
    site.page("/a", `<!doctype html><title>A</title><dialog id=d>Sure?</dialog><script>d.showModal()</script>`),
  );
  const at = { tab: await browser.tab(page) };
  const host = page.locator("#gasoline-subtitle");
  await daemon.command("subtitle", { text: "Now I pay" }, at);
  await expect(host).toHaveCount(1);
  expect(await host.evaluate((it) => it.matches(":popover-open") && it.getBoundingClientRect().width > 50)).toBe(true);
  await daemon.command("subtitle", { text: "Done" }, at);
  await expect(host).toHaveCount(1);
  // It is nothing of the page's: no change of the receipt, no text of the page.
  expect((await daemon.command("get_text", {}, at)).result.value).not.toContain("Done");
  await daemon.command("subtitle", {}, at);
  await expect(host).toHaveCount(0);
});

test("activate_tab brings the tab to the front", async ({ daemon, site, browserWithExtension: browser }) => {
  const { page, context } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page("/a", "<!doctype html><title>A</title>"));
  const at = { tab: await browser.tab(page) };
  const other = await context.newPage();
  await other.bringToFront();
  const answer = await daemon.command("activate_tab", {}, at);
  expect(answer.result).toMatchObject({ tab: at.tab, title: "A" });
  await expect.poll(() => page.evaluate(() => document.visibilityState)).toBe("visible");
  expect((await daemon.command("activate_tab", {}, { tab: 999_999 })).error?.code).toBe("tab_gone");
});
