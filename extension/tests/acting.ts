import type { Page } from "@playwright/test";
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

/** Opens the extension's popup over a tab, as the user's click on the icon does. */
export async function invoke(browser: Browser, page: Page): Promise<void> {
  const session = await browser.context.browser()!.newBrowserCDPSession();
  const send = session.send.bind(session) as (method: string, params: object) => Promise<unknown>;
  const { targetInfos } = (await send("Target.getTargets", { filter: [{ type: "tab" }] })) as {
    targetInfos: { targetId: string; url: string }[];
  };
  const target = targetInfos.find(({ url }) => url === page.url());
  await send("Extensions.triggerAction", { id: browser.id, targetId: target!.targetId });
  await session.detach();
}
