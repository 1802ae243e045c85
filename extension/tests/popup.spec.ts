import type { Locator, Page } from "@playwright/test";
import { type Browser, expect, test } from "./extension.ts";

const SHOTS = process.env["SHOTS"];

async function shoot(page: Page, name: string): Promise<void> {
  if (!SHOTS) return;
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${SHOTS}/${name}-${scheme}.png`, fullPage: true });
  }
}

test("the popup shows the connection, and both switches are off until the user turns them", async ({
  daemon,
  browserWithExtension: browser,
}) => {
  await daemon.until("connected", () => daemon.settings);
  expect(daemon.settings).toMatchObject({ pilot: false, bodies: false, script_hosts: [] });
  const popup = await browser.open("popup.html");
  await popup.setViewportSize({ width: 360, height: 600 });
  await expect(popup.getByRole("status").first()).toContainText("Connected");
  const pilot = popup.getByRole("radiogroup", { name: "AI Web Pilot" });
  const [off, site, all] = ["Off", "This site", "All sites"].map((name) => pilot.getByRole("radio", { name })) as [
    Locator,
    Locator,
    Locator,
  ];
  const bodies = popup.getByRole("switch", { name: "Capture bodies" });
  await expect(pilot).toHaveAccessibleDescription("Lets agents click, type and navigate.");
  await expect(bodies).toHaveAccessibleName("Capture bodies");
  await expect(bodies).toHaveAccessibleDescription("What requests send and receive, secrets replaced.");
  await expect(off).toBeChecked();
  await expect(site).toBeDisabled(); // the tab in front is the popup's own, which is no site
  const segment = (value: string): Locator => pilot.locator("label", { has: popup.locator(`[value=${value}]`) });
  await expect(segment("site")).toHaveAttribute("title", "There is no web page in this tab.");
  await expect(segment("site")).toHaveCSS("text-decoration-line", "none"); // which says that it is gone for ever
  await expect(popup.getByRole("heading", { name: "Tabs in use" })).toBeHidden(); // there are none
  // What is off is not the loudest thing: it has no fill of its own.
  const fill = (of: Locator): Promise<string> => of.evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await fill(segment("off"))).toBe(await fill(popup.locator("body")));
  await expect(bodies).not.toBeChecked();
  await shoot(popup, "popup-connected");
  await off.focus();
  await popup.keyboard.press("ArrowRight");
  await expect(all).toBeChecked();
  await popup.keyboard.press("Tab");
  await expect(bodies).toBeFocused();
  await popup.keyboard.press("Space");
  await daemon.until("both on", () => daemon.settings?.pilot && daemon.settings.bodies);
  await shoot(popup, "popup-on");
  await off.click();
  await daemon.until("pilot off again", () => daemon.settings?.pilot === false);
});

test.describe("without a native host", () => {
  test.use({ native: false, ownBrowser: true }); // what was copied stays in the browser's clipboard
  test("a browser is paired by the code that a terminal printed, and by no other", async ({
    daemon,
    browserWithExtension: browser,
  }) => {
    await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const popup = await browser.open("popup.html");
    await popup.setViewportSize({ width: 360, height: 640 });
    await expect(popup.getByRole("status").first()).toContainText("Not paired yet");
    const copied = popup.locator("#copied");
    await expect(copied).toBeEmpty();
    // Without its port the command would speak to another daemon.
    const command = `gasoline pair --port ${daemon.port}`;
    await expect(popup.locator("#command")).toHaveText(command);
    await popup.getByRole("button", { name: "Copy" }).click();
    await expect(copied).toHaveText("Copied.");
    expect(await popup.evaluate(() => navigator.clipboard.readText())).toBe(command);
    await expect(copied).toBeEmpty();

    const code = popup.getByLabel("Then paste the code that it prints:");
    const pair = popup.getByRole("button", { name: "Pair" });
    await code.fill("4271");
    await pair.click();
    await expect(popup.getByRole("alert").filter({ hasText: "This is no code" })).toBeVisible();
    await shoot(popup, "popup-pairing");
    daemon.code = "abcdefgh23456789abcdefgh23456789";
    await code.fill("abcdefgh23456789abcdefgh2345678z");
    await pair.click();
    await expect(popup.getByRole("alert").filter({ hasText: "does not know this code" })).toBeVisible();
    expect(daemon.settings).toBeUndefined();
    await code.fill("ABCD-EFGH-2345-6789 abcd-efgh-2345-6789");
    await pair.click();
    await expect(popup.getByRole("status").first()).toContainText("Connected");
    expect(daemon.code).toBe("");
    // Neither the code nor the key was ever sent.
    const key = (await (await browser.worker()).evaluate(() => chrome.storage.local.get("pairing")))["pairing"] as {
      key: string;
    };
    expect(key.key).toMatch(/^[0-9a-f]{64}$/);
    const sent = JSON.stringify(daemon.requests);
    expect(sent).not.toContain("23456789abcdefgh23456789");
    expect(sent).not.toContain(key.key);
  });
});

test.describe("without a daemon", () => {
  test.use({ daemonUp: false });
  test("the popup says what to do", async ({ daemon, browserWithExtension: browser }) => {
    const popup = await browser.open("popup.html");
    await popup.setViewportSize({ width: 360, height: 600 });
    await expect(popup.getByRole("status").first()).toContainText("No daemon found");
    await expect(popup.locator("#command")).toHaveText(`gasoline serve --port ${daemon.port}`);
    await shoot(popup, "popup-searching");
  });
});

/** The popup as it opens over a tab, and not as a tab of its own. */
async function openOver(browser: Browser, tab: number): Promise<Page> {
  const popup = await browser.context.newPage();
  await popup.addInitScript((id: number) => {
    Object.defineProperty(chrome.tabs, "query", { value: async () => [await chrome.tabs.get(id)] });
  }, tab);
  await popup.setViewportSize({ width: 360, height: 600 });
  await popup.goto(`chrome-extension://${browser.id}/popup.html`);
  return popup;
}

test("the user sees which agent uses which tab, and changes it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const first = site.page("/one", "<title>Shop</title>");
  const second = site.url("/two", "localhost");
  site.page("/two", "<title>Shop</title>");
  await browser.page.goto(first);
  const other = await browser.context.newPage();
  await other.goto(second);
  const [one, two] = [await browser.tab(browser.page), await browser.tab(other)];
  daemon.agents = [
    { id: "stream-1", name: "claude-code", tab: two },
    { id: "stream-2", name: "cursor" },
  ];
  const inUse = (): (number | undefined)[] => daemon.agents.map(({ tab }) => tab);
  const popup = await openOver(browser, one);
  await expect(popup.getByRole("status").first()).toContainText("claude-code and cursor");
  const rows = popup.getByRole("listitem");
  // Two shops of one title are told apart.
  await expect(rows).toHaveText([new RegExp(`Shop${new URL(second).host}claude-code`)]);

  await popup.getByRole("button", { name: "Use this tab" }).click();
  await expect(rows).toHaveText([new RegExp(`Shop${new URL(first).host}claude-codecursor`)]);
  expect(inUse()).toEqual([one, one]);
  // The button stays where it is and takes it back, for one agent or for all.
  await popup.getByLabel("Agents that use this tab").selectOption("for cursor");
  await popup.getByRole("button", { name: "Release this tab" }).click();
  await expect.poll(inUse).toEqual([one, undefined]);
  await expect(popup.getByRole("button", { name: "Use this tab" })).toBeFocused();

  // What an agent does meanwhile is shown without reopening.
  daemon.agents[1]!.tab = two;
  await expect(rows).toHaveCount(2);
  await popup.getByRole("button", { name: "Go to Shop" }).click();
  await expect.poll(() => other.evaluate(() => document.visibilityState)).toBe("visible");
  await rows.filter({ hasText: "cursor" }).getByRole("button", { name: "Release Shop" }).click();
  await expect(rows).toHaveCount(1);
  expect(inUse()).toEqual([one, undefined]);
  await expect(popup.getByRole("heading", { name: "Tabs in use" })).toBeFocused();
  const own = { id: "stream-1", name: "claude-code", tab: one };
  await rows.getByRole("button", { name: "Release Shop" }).click(); // the last one takes the list with it
  await expect(popup.getByRole("heading", { name: "Tabs in use" })).toBeHidden();
  await expect(popup.getByRole("heading", { name: "This tab" })).toBeFocused();
  daemon.agents[0] = own;
  await expect(rows).toHaveCount(1);

  daemon.stop();
  await expect(popup.getByText("As last known")).toBeVisible();
  await expect(rows.getByRole("button", { name: "Release Shop" })).toBeDisabled();
  await expect(popup.getByRole("button", { name: "this tab" })).toBeHidden();
});

test("the popup says for how long pages are shown without their policy", async ({
  daemon,
  browserWithExtension: browser,
}) => {
  await daemon.until("connected", () => daemon.settings);
  const popup = await browser.open("popup.html");
  const said = popup.getByText("without their content security policy");
  await expect(popup.getByRole("status").first()).toContainText("Connected");
  await expect(said).toBeHidden();
  daemon.insecure = "http://localhost:3000";
  await expect(said).toContainText("An agent shows pages of http://localhost:3000 without");
  await expect(said).toBeVisible();
  await shoot(popup, "popup-insecure");
  daemon.insecure = "";
  await expect(said).toBeHidden();
});

test("a page cannot choose the tab that agents use", async ({ daemon, site, browserWithExtension: browser }) => {
  await browser.page.goto(site.page("/", "<title>Shop</title>"));
  const tab = await browser.tab(browser.page);
  daemon.agents = [{ id: "stream-1", name: "claude-code" }];
  const worker = await browser.worker();
  // As a content script whose process the page took over would.
  const answer = await worker.evaluate(async (tabId) => {
    const [ran] = await chrome.scripting.executeScript({
      target: { tabId },
      args: [tabId],
      func: async (use: number) => {
        const told: unknown = await chrome.runtime
          .sendMessage({ type: "gasoline-tracking", use })
          .catch((error: Error) => error.message);
        return JSON.stringify(told ?? null);
      },
    });
    return ran?.result;
  }, tab);
  expect(answer).not.toBe("{}");
  expect(daemon.requests.filter(({ path }) => path === "/tracking")).toEqual([]);
});

test("a refusal is shown with its fix", async ({ daemon, browserWithExtension: browser }) => {
  daemon.refusal = {
    status: 403,
    code: "forbidden",
    message: "This extension is not the one that Gasoline ships.",
    fix: "Install the extension from the release, then reload it.",
  };
  daemon.stop();
  daemon.start();
  const popup = await browser.open("popup.html");
  await popup.setViewportSize({ width: 360, height: 600 });
  await expect(popup.locator("#problem")).toContainText("Install the extension from the release");
  await shoot(popup, "popup-refused");
  daemon.refusal = undefined;
  await expect(popup.getByRole("status").first()).toContainText("Connected");
  await expect(popup.locator("#problem")).toBeHidden();
});

test("the options page changes the port, by keyboard, and refuses nonsense", async ({
  daemon,
  browserWithExtension: browser,
}) => {
  await browser.set({ scriptHosts: ["https://app.example"] });
  const options = await browser.open("options.html");
  await options.setViewportSize({ width: 760, height: 900 });
  const port = options.getByLabel("Port on 127.0.0.1");
  await expect(port).toHaveValue(String(daemon.port));
  await shoot(options, "options");
  await port.fill("99999");
  await options.keyboard.press("Enter");
  await expect(options.getByRole("alert")).toHaveText("A port is a number from 1 to 65535.");
  await shoot(options, "options-invalid");
  await port.fill("1");
  await options.keyboard.press("Enter");
  await expect(options.getByText("Saved.")).toBeVisible();
  const popup = await browser.open("popup.html");
  await expect(popup.getByRole("status").first()).toContainText("No daemon found");
  await options.getByRole("button", { name: "Use the default" }).click();
  await expect(popup.getByRole("status").first()).toContainText("Connected");
  await options.getByRole("button", { name: "Revoke https://app.example" }).click();
  await expect(options.getByText("Only pages of this machine.")).toBeVisible();
});

test("the licences can be read", async ({ browserWithExtension: browser }) => {
  const options = await browser.open("options.html");
  await options.getByRole("link", { name: "Licences of third parties" }).click();
  await expect(options.locator("body")).toContainText("web-vitals");
  await options.goBack();
  await options.getByRole("link", { name: "Licence", exact: true }).click();
  await expect(options.locator("body")).toContainText("Apache License");
});

test("what is switched off in the moment in which the popup closes is off", async ({
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  const popup = await browser.open("popup.html");
  await expect(popup.getByRole("radio", { name: "All sites" })).toBeChecked();
  const closed = popup.waitForEvent("close");
  // The page may be gone before its answer comes.
  void popup
    .evaluate(() => {
      document.getElementById("pilot-off")!.click();
      window.close();
    })
    .catch(() => undefined);
  await closed;
  const worker = await browser.worker();
  const pilot = () => worker.evaluate(async () => (await chrome.storage.local.get("pilot"))["pilot"]);
  await expect.poll(pilot).toBe(false);
});
