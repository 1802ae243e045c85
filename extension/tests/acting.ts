import type { FakeDaemon } from "./daemon.ts";
import type { Browser } from "./extension.ts";
import type { Site } from "./site.ts";

/** Opens a page with browser control on, titled A, and gives a way to send commands to its tab. */
export async function open(browser: Browser, site: Site, daemon: FakeDaemon, body: string, path = "/a") {
  const { page } = browser;
  await browser.set({ pilot: true });
  await page.goto(site.page(path, `<!doctype html><title>A</title>${body}`));
  const tab = await browser.tab(page);
  const run: typeof daemon.command = (kind, params, more) => daemon.command(kind, params, { tab, ...more });
  return { page, run };
}
