import { test } from "./extension.ts";
import { open } from "./acting.ts";
test("late", async ({ daemon, site, browserWithExtension: browser }) => {
  const { page } = await open(browser, site, daemon, "<button onclick='document.title=String(confirm(1))'>x</button>");
  page.on("dialog", () => undefined);
  const tab = await browser.tab(page);
  void page.evaluate("setTimeout(() => document.title = String(confirm('sure')), 50)");
  await new Promise((r) => setTimeout(r, 600));
  const w = await browser.worker();
  console.log(
    await w.evaluate(async (tab) => {
      const told: string[] = [];
      chrome.debugger.onEvent.addListener((_s, m) => told.push(m));
      await chrome.debugger.attach({ tabId: tab }, "1.3");
      const ask = (m: string, p?: object) =>
        Promise.race([
          chrome.debugger.sendCommand({ tabId: tab }, m, p).then(
            (v) => m + " ok " + JSON.stringify(v),
            (e) => m + " " + String(e),
          ),
          new Promise((r) => setTimeout(r, 1500, m + " no answer")),
        ]);
      return [await ask("Page.enable"), await ask("Page.handleJavaScriptDialog", { accept: true }), ...told];
    }, tab),
  );
});
