import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

// The clipboard is the browser's, not the page's.
test.use({ ownBrowser: true });

const PAGE = `<input id=field value="mine"><script>
  window.heard = [];
  for (const type of ["copy", "paste", "keydown", "keyup", "beforecopy", "beforepaste", "input", "focus", "blur"])
    document.addEventListener(type, () => heard.push(type));
  addEventListener("blur", () => heard.push("window blur"));
</script>`;

test("a text goes to the clipboard and comes back, and the page hears nothing of it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, PAGE);
  const text = "Zeile 1\nline 2 ✓ שלום 😀 password=hunter2";
  expect((await run("clipboard_write", { text })).result).toEqual({ length: text.length });
  expect((await run("clipboard_read", {})).result).toEqual({ text, types: ["text/plain"], length: text.length });
  expect(await page.evaluate("heard")).toEqual([]);
  expect(await page.locator("#field").inputValue()).toBe("mine");
  // It is the system's clipboard: what a person pastes is the text.
  await page.locator("#field").fill("");
  await page.locator("#field").press("Control+v");
  expect(await page.locator("#field").inputValue()).toBe("Zeile 1 line 2 ✓ שלום 😀 password=hunter2");
});

test("the clipboard is reached from a tab behind another one, from a field and from an iframe", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/inner", "<!doctype html><textarea id=inner>x</textarea>");
  const { page, run } = await open(browser, site, daemon, `${PAGE}<iframe src="/inner"></iframe>`);
  const front = await browser.context.newPage();
  await front.goto(site.page("/front", "<!doctype html><title>Front</title>"));
  await front.bringToFront();
  expect((await run("clipboard_write", { text: "behind" })).result).toEqual({ length: 6 });
  expect(await front.evaluate(() => document.visibilityState)).toBe("visible");
  await page.bringToFront();
  await page.locator("#field").focus();
  expect((await run("clipboard_read", {})).result).toMatchObject({ text: "behind" });
  expect(await page.locator("#field").inputValue()).toBe("mine");
  await page.frameLocator("iframe").locator("#inner").focus();
  expect((await run("clipboard_write", { text: "from the frame" })).result).toEqual({ length: 14 });
  expect((await run("clipboard_read", {})).result).toMatchObject({ text: "from the frame" });
  expect(await page.frameLocator("iframe").locator("#inner").inputValue()).toBe("x");
});

test("no clipboard without browser control; an empty text empties it; a long one is cut", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { run } = await open(browser, site, daemon, PAGE);
  await run("clipboard_write", { text: "there" });
  await browser.set({ pilot: false });
  expect((await run("clipboard_read", {})).error?.code).toBe("pilot_off");
  expect((await run("clipboard_write", { text: "x" })).error?.code).toBe("pilot_off");
  await browser.set({ pilot: true });
  expect((await run("clipboard_read", {})).result.text).toBe("there");
  expect((await run("clipboard_write", { text: "" })).result).toEqual({ length: 0 });
  expect((await run("clipboard_read", {})).result).toMatchObject({ text: "", length: 0 });
  const long = "a".repeat(300_000);
  expect((await run("clipboard_write", { text: long })).result).toEqual({ length: 300_000 });
  const read = (await run("clipboard_read", {})).result;
  expect(read).toMatchObject({ length: 300_000, true_size: 300_000 });
  expect(read.text).toHaveLength(100_000);
});

test("what is no text is named by its type", async ({ daemon, site, browserWithExtension: browser }) => {
  const { page, run } = await open(browser, site, daemon, PAGE);
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.bringToFront();
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(2, 2);
    canvas.getContext("2d");
    const blob = await canvas.convertToBlob();
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
  });
  expect((await run("clipboard_read", {})).result).toMatchObject({ text: "", length: 0, types: ["Files"] });
});
