import { element } from "../state/dom.ts";
import { ALL_SITES, LOOPBACK_PATTERNS, isCapturable, isLoopback, matchesAny, originOf, sitePattern } from "../state/origins.ts";
import { type Settings, readSettings, writeSettings } from "../state/settings.ts";

/** Shows what is captured of the page in front, and what the user can change about it. */
export async function showSite(settings: Settings): Promise<void> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const url = tab?.url ?? "";
  const { origins = [] } = await chrome.permissions.getAll();
  const granted = matchesAny([...LOOPBACK_PATTERNS, ...origins], url);
  const stale = granted && tab?.id !== undefined && (await isStale(tab.id));
  const origin = originOf(url);
  element("site", HTMLParagraphElement).textContent = isCapturable(url) ? origin : "No web page";
  element("site-detail", HTMLParagraphElement).textContent = detail(url, granted, stale);
  showButton("grant", isCapturable(url) && !granted, () => request(sitePattern(url)));
  showButton("grant-all", !origins.includes(ALL_SITES) && !granted && isCapturable(url), () => request(ALL_SITES));
  showButton("reload", stale, async () => {
    if (tab?.id !== undefined) await chrome.tabs.reload(tab.id);
    window.close();
  });
  element("scripts-row", HTMLLabelElement).hidden = !granted || isLoopback(url);
  const scripts = element("scripts", HTMLInputElement);
  scripts.checked = settings.scriptHosts.includes(origin);
  scripts.onchange = async () => {
    const others = (await readSettings()).scriptHosts.filter((host) => host !== origin);
    await writeSettings({ scriptHosts: scripts.checked ? [...others, origin] : others });
  };
}

function detail(url: string, granted: boolean, stale: boolean): string {
  if (stale) return "The extension was updated. Reload the page, so that it is captured again.";
  if (!isCapturable(url)) return "Pages of the browser itself are never captured.";
  if (!granted) return "Not captured. Only this machine's pages are, until you grant more.";
  return isLoopback(url) ? "Captured: pages of this machine always are." : "Captured, because you granted it.";
}

/** A prompt of the browser follows; Chrome asks for it to come straight from the click. */
async function request(pattern: string | undefined): Promise<void> {
  if (pattern) await chrome.permissions.request({ origins: [pattern] });
}

function showButton(id: string, shown: boolean, clicked: () => Promise<void>): void {
  const button = element(id, HTMLButtonElement);
  button.hidden = !shown;
  button.onclick = () => void clicked();
}

async function isStale(tab: number): Promise<boolean> {
  const stored = (await chrome.storage.session.get("stale"))["stale"];
  return Array.isArray(stored) && stored.includes(tab);
}
