import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { test } from "./extension.ts";

/**
 * A browser that nobody debugs, with browser control on: under a debugger Chrome loads no page ahead, and no tab sleeps. The
 * address of its tab is about:blank.
 */
export const undebugged = test.extend<{ tab: number; flags: string[] }>({
  flags: [[], { option: true }],
  tab: async ({ daemon, folder, profile, flags }, use) => {
    await mkdir(join(profile, "Default"), { recursive: true });
    const preferences = { extensions: { ui: { developer_mode: true } } };
    await writeFile(join(profile, "Default/Preferences"), JSON.stringify(preferences));
    const executablePath = findChromium() ?? "";
    const args = [...TEST_FLAGS, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`];
    const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    await worker.evaluate(() => chrome.storage.local.set({ pilot: true }));
    await daemon.until("browser control", () => daemon.settings?.pilot);
    await context.close();
    daemon.settings = undefined;
    daemon.tabs = [];
    const given = ["--headless=new", ...flags, "--no-first-run", `--user-data-dir=${profile}`, ...args, "about:blank"];
    const browser = spawn(executablePath, given, { stdio: "ignore" });
    const ended = new Promise((resolve) => browser.once("exit", resolve));
    try {
      await daemon.until("browser control again", () => daemon.settings?.pilot);
      await use((await daemon.until("a tab", () => daemon.tabs[0])).id);
    } finally {
      browser.kill();
      await ended;
    }
  },
});
