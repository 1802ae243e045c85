import type { Page } from "@playwright/test";
import { expect, test } from "./extension.ts";

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
  await expect(popup.getByRole("status")).toContainText("Connected");
  const pilot = popup.getByRole("switch", { name: "AI Web Pilot" });
  const bodies = popup.getByRole("switch", { name: "Capture bodies" });
  await expect(pilot).toHaveAccessibleName("AI Web Pilot");
  await expect(pilot).toHaveAccessibleDescription("Agents may click, type and navigate.");
  await expect(bodies).toHaveAccessibleName("Capture bodies");
  await expect(bodies).toHaveAccessibleDescription("What requests send and receive, secrets replaced.");
  await expect(pilot).not.toBeChecked();
  await expect(bodies).not.toBeChecked();
  await shoot(popup, "popup-connected");
  await pilot.focus();
  await popup.keyboard.press("Space");
  await expect(pilot).toBeChecked();
  await popup.keyboard.press("Tab");
  await expect(bodies).toBeFocused();
  await popup.keyboard.press("Space");
  await daemon.until("both on", () => daemon.settings?.pilot && daemon.settings.bodies);
  await shoot(popup, "popup-on");
  await pilot.click();
  await daemon.until("pilot off again", () => daemon.settings?.pilot === false);
});

test("pairing by code is shown and goes on by itself once confirmed", async ({ daemon, browserWithExtension: browser }) => {
  await browser.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  daemon.tokens.clear();
  daemon.pairing = { mode: "code", code: "4271", confirmed: false };
  await browser.set({ token: null });
  await browser.killWorker();
  const popup = await browser.open("popup.html");
  await popup.setViewportSize({ width: 360, height: 600 });
  await expect(popup.getByText("4271")).toBeVisible();
  await expect(popup.getByRole("status").first()).toContainText("Waiting to be paired");
  await shoot(popup, "popup-pairing");
  const copied = popup.getByRole("status").last();
  await expect(copied).toBeEmpty();
  // Without its port the command would speak to another daemon.
  const command = `gasoline pair 4271 --port ${daemon.port}`;
  await expect(popup.locator("#command")).toHaveText(command);
  await popup.getByRole("button", { name: "Copy" }).click();
  await expect(copied).toHaveText("Copied.");
  expect(await popup.evaluate(() => navigator.clipboard.readText())).toBe(command);
  await expect(popup.getByRole("button", { name: "Copy" })).toHaveText("Copy");
  await expect(copied).toBeEmpty();
  daemon.pairing.confirmed = true;
  await expect(popup.getByRole("status").first()).toContainText("Connected");
});

test.describe("without a daemon", () => {
  test.use({ daemonUp: false });
  test("the popup says what to do", async ({ daemon, browserWithExtension: browser }) => {
    const popup = await browser.open("popup.html");
    await popup.setViewportSize({ width: 360, height: 600 });
    await expect(popup.getByRole("status")).toContainText("No daemon found");
    await expect(popup.getByRole("status")).toContainText(`gasoline serve --port ${daemon.port}`);
    await shoot(popup, "popup-searching");
  });
});

test("a refusal is shown with its fix", async ({ daemon, browserWithExtension: browser }) => {
  daemon.refusal = {
    status: 403,
    code: "forbidden",
    message: "This extension is not the one that Gasoline ships.",
    fix: "Install the extension from the release, then reload it.",
  };
  await daemon.stop();
  await daemon.start();
  const popup = await browser.open("popup.html");
  await popup.setViewportSize({ width: 360, height: 600 });
  await expect(popup.getByRole("alert")).toContainText("Install the extension from the release");
  await shoot(popup, "popup-refused");
  daemon.refusal = undefined;
  await expect(popup.getByRole("status")).toContainText("Connected");
  await expect(popup.getByRole("alert")).toBeHidden();
});

test("the options page changes the port, by keyboard, and refuses nonsense", async ({ daemon, browserWithExtension: browser }) => {
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
  await expect(popup.getByRole("status")).toContainText("No daemon found");
  await options.getByRole("button", { name: "Use the default" }).click();
  await expect(popup.getByRole("status")).toContainText("Connected");
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
