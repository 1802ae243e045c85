import type { Page } from "@playwright/test";
import { bundle, Records } from "./fixture.ts";

/**
 * twoWorlds installs the extension's arrangement without an extension: the page's half in its realm, the content half in
 * an isolated world. The page's half is there first, as in the extension, unless a test says otherwise.
 */
export async function twoWorlds(page: Page, first: "page" | "content" = "page"): Promise<Records> {
  const records = new Records();
  const session = await page.context().newCDPSession(page);
  session.on("Runtime.bindingCalled", ({ payload }) => records.take(payload));
  await session.send("Page.enable");
  await session.send("Runtime.enable");
  const worldName = "content";
  await session.send("Runtime.addBinding", { name: "__sink", executionContextName: worldName });
  const main = { source: await bundle("./page-world.ts") };
  const isolated = { source: await bundle("./content-world.ts"), worldName };
  for (const script of first === "page" ? [main, isolated] : [isolated, main])
    await session.send("Page.addScriptToEvaluateOnNewDocument", script);
  return records;
}
