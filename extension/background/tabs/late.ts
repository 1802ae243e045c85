import { LOOPBACK_PATTERNS, matchesAny } from "../../state/origins.ts";

/**
 * Starts capture in pages that are open already, after their site was granted or the extension was
 * installed. What they did before is lost, and their groups say "late".
 */
export async function injectLate(patterns: readonly string[]): Promise<void> {
  const urls = patterns.length > 0 ? [...patterns] : [...LOOPBACK_PATTERNS];
  for (const tab of await chrome.tabs.query({})) {
    if (tab.id === undefined || tab.discarded || !matchesAny(urls, tab.url ?? "")) continue;
    const target = { tabId: tab.id, allFrames: true };
    try {
      await chrome.scripting.executeScript({ target, func: () => void (globalThis.gasolineLate = true), injectImmediately: true });
      await chrome.scripting.executeScript({ target, files: ["page.js"], world: "MAIN", injectImmediately: true });
      await chrome.scripting.executeScript({ target, files: ["content.js"], injectImmediately: true });
    } catch {
      // An error page, or a page that just went away. Its next load has the scripts.
    }
  }
}

declare global {
  var gasolineLate: boolean | undefined;
}
