import { type Browser, brief, expect, test } from "./extension.ts";

/** Whether the extension's debugger is in the tab. */
async function attached(browser: Browser, tab: number): Promise<boolean> {
  return (await browser.worker()).evaluate(
    (tabId) =>
      chrome.debugger.sendCommand({ tabId }, "Runtime.evaluate", { expression: "0" }).then(
        () => true,
        () => false,
      ),
    tab,
  );
}

const endless = {
  "a promise that is never settled": "new Promise(() => {})",
  "a loop": "while (true) {}",
  "a loop in statements": "const x = 1; while (true) {}",
};

test("a script without an end is answered, leaves the page usable and the debugger out", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(site.page("/a", "<title>A</title>"));
  const tab = await browser.tab(browser.page);
  for (const [what, script] of Object.entries(endless)) {
    const late = await daemon.command("execute_js", { script }, { tab, ...brief() });
    expect(late.error?.code, what).toBe("execution_timeout");
    const next = await daemon.command("execute_js", { script: "1 + 1" }, { tab });
    expect(next.error, what).toBeUndefined();
    expect(next.result, what).toMatchObject({ result: 2, execution_mode: "debugger" });
    await expect.poll(() => attached(browser, tab), what).toBe(false);
  }
});

test("a page that hangs by itself does not keep the debugger", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(site.page("/a", "<title>A</title><button onclick='while (true) {}'>Hang</button>"));
  const tab = await browser.tab(browser.page);
  const hung = await daemon.command("click", { selector: "text=Hang", trusted: "always" }, { tab, timeoutMS: 15_000 });
  // The press was made: the page hangs because of it.
  expect(hung.status).toBe("complete");
  expect(hung.result.receipt?.busy?.join()).toContain("does not answer");
  await expect.poll(() => attached(browser, tab)).toBe(false);
});
