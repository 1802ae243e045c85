// A Chromium for a tool that comes to it over the DevTools protocol: the binary, window and flags that Gasoline's has.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";
import { holdPort } from "../../scripts/port.mjs";

export interface PlainBrowser {
  page: Page;
  context: BrowserContext;
  /** Where the protocol is spoken. */
  endpoint: string;
  close(): Promise<void>;
}

export async function launch(): Promise<PlainBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "head-to-head-"));
  const { port } = await holdPort();
  const executablePath = findChromium();
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath && { executablePath }),
    headless: true,
    viewport: null,
    args: [
      "--window-size=1280,887",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      `--remote-debugging-port=${port}`,
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  return {
    page,
    context,
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
