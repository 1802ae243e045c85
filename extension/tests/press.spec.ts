import { NO_BAR } from "./chromium.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node", without: [NO_BAR] }); // in the extension the bar comes while the button is held

const page = `<!doctype html><button>Hold</button><output></output><script>
  let began = 0;
  const held = (ms = performance.now() - began) => ms >= 29_990 ? "whole" : ms >= 590 ? "long" : "short";
  const say = (words) => (document.querySelector("output").textContent += words + ";");
  document.querySelector("button").addEventListener("pointerdown", ({ isTrusted }) => { began = performance.now(); say("down " + isTrusted); });
  addEventListener("pointerup", () => say(held()));
  document.querySelector("button").addEventListener("click", () => say("click"));
</script>`;

test("a long press holds the button by real input, and the page hears of its end", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(site.page("/", page));
  const tab = await browser.tab(browser.page);
  const output = browser.page.locator("output");
  const held = await daemon.command("click", { selector: "button", duration_ms: 600 }, { tab });
  expect(held.result).toMatchObject({ trusted: true });
  await expect(output).toHaveText("down true;long;click;");
  await daemon.command("click", { selector: "button", trusted: "always" }, { tab });
  await expect(output).toHaveText("down true;long;click;down true;short;click;");
});

test("a press that is longer than its call is not begun, and one that is stopped lets go", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(site.page("/", page));
  const tab = await browser.tab(browser.page);
  const output = browser.page.locator("output");
  const late = await daemon.command("click", { selector: "button", duration_ms: 5000 }, { tab, timeoutMS: 2000 });
  expect(late.error?.code).toBe("timeout");
  await expect(output).toHaveText("");
  const stopped = daemon.command("click", { selector: "button", duration_ms: 30_000 }, { tab, timeoutMS: 300_000 });
  await expect(output).toHaveText("down true;");
  await browser.set({ pilot: false });
  expect((await stopped).error).toBeDefined();
  await expect(output).toHaveText(/^down true;(long|short);$/); // and not the whole of it
});
