import { matchesAny } from "../../state/origins.ts";

/**
 * Starts capture in pages that are open already, after their site was granted or the extension was
 * installed. What they did before is lost, and their groups say "late". Frames that have their scripts
 * are left alone.
 */
export async function injectLate(patterns: readonly string[]): Promise<void> {
  for (const tab of await chrome.tabs.query({})) {
    if (tab.id === undefined || tab.discarded || !matchesAny(patterns, tab.url ?? "")) continue;
    try {
      await injectInto(tab.id);
    } catch {
      // An error page, or a page that just went away. Its next load has the scripts.
    }
  }
}

async function injectInto(tabId: number): Promise<void> {
  const frames = await chrome.scripting.executeScript({
    target: { tabId, allFrames: true },
    func: () => {
      // An element with that id is a member of the window, and not its own.
      if (Object.hasOwn(globalThis, "gasolineContent") && globalThis.gasolineContent) return false;
      globalThis.gasolineLate = true;
      return true;
    },
    injectImmediately: true,
  });
  // A second script in the page's world would take the records away from the first.
  const documentIds = frames.filter(({ result }) => result === true).map(({ documentId }) => documentId);
  if (documentIds.length === 0) return;
  const target = { tabId, documentIds };
  await chrome.scripting.executeScript({ target, files: ["page.js"], world: "MAIN", injectImmediately: true });
  await chrome.scripting.executeScript({ target, files: ["core.js", "content.js"], injectImmediately: true });
}

declare global {
  var gasolineLate: boolean | undefined;
  var gasolineContent: boolean | undefined;
}
