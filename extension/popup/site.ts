import type { Connection } from "../state/connection.ts";
import { element } from "../state/dom.ts";
import {
  ALL_SITES,
  LOOPBACK_PATTERNS,
  isCapturable,
  isLoopback,
  matchesAny,
  originOf,
  sitePattern,
} from "../state/origins.ts";
import { type Settings, readSettings, writeSettings } from "../state/settings.ts";
import { agentLabels } from "./agents.ts";
import { track } from "./tracking.ts";
import { session } from "../state/browser.ts";
import { frontTab, grantedOrigins, reloadTab, requestOrigin } from "./browser.ts";

/** Shows what is captured of the page in front, who uses it, and what the user can change about both. */
export async function showSite(settings: Settings, connection: Connection): Promise<void> {
  const tab = await frontTab();
  const url = tab?.url ?? "";
  const origins = await grantedOrigins();
  const granted = matchesAny([...LOOPBACK_PATTERNS, ...origins], url);
  const stale = granted && tab?.id !== undefined && (await isStale(tab.id));
  const origin = originOf(url);
  const site = element("site", HTMLParagraphElement);
  site.textContent = isCapturable(url) ? shortened(origin) : "No web page";
  site.title = isCapturable(url) ? origin : "";
  element("site-detail", HTMLParagraphElement).textContent = detail(url, granted, stale);
  showButton("grant", isCapturable(url) && !granted, () => requestOrigin(sitePattern(url)));
  showButton("grant-all", !origins.includes(ALL_SITES) && !granted && isCapturable(url), () =>
    requestOrigin(ALL_SITES),
  );
  showButton("reload", stale, async () => {
    if (tab?.id !== undefined) await reloadTab(tab.id);
    window.close();
  });
  showUse(connection, granted && !stale ? tab?.id : undefined);
  element("scripts-row", HTMLLabelElement).hidden = !granted || isLoopback(url);
  const scripts = element("scripts", HTMLInputElement);
  scripts.checked = settings.scriptHosts.includes(origin);
  scripts.onchange = async () => {
    const others = (await readSettings()).scriptHosts.filter((host) => host !== origin);
    await writeSettings({ scriptHosts: scripts.checked ? [...others, origin] : others });
  };
}

/** Shows the button that makes the tab the one in use, of all agents or of the chosen one, or releases it. */
function showUse({ phase, agents }: Connection, tab: number | undefined): void {
  const button = element("use", HTMLButtonElement);
  const who = element("use-who", HTMLSelectElement);
  element("use-row", HTMLDivElement).hidden = tab === undefined || phase !== "connected" || agents.length === 0;
  who.hidden = agents.length < 2;
  const options: [string, string][] = [["", "for all agents"]];
  for (const [id, label] of agentLabels(agents)) options.push([id, `for ${label}`]);
  if (JSON.stringify(options) !== JSON.stringify([...who.options].map(({ value, text }) => [value, text]))) {
    const chosen = who.value;
    who.replaceChildren(...options.map(([id, label]) => new Option(label, id, false, id === chosen)));
  }
  const show = (): void => {
    const meant = agents.filter(({ id }) => who.value === "" || id === who.value);
    const all = meant.every((agent) => agent.tab === tab);
    button.textContent = all ? "Release this tab" : "Use this tab";
    button.onclick = () => {
      const agent = who.value === "" ? {} : { agent: who.value };
      if (tab !== undefined) void track(all ? { release: tab, ...agent } : { use: tab, ...agent });
    };
  };
  who.onchange = show;
  show();
}

/** Characters of an origin that are shown from its beginning and from its end: whose site it is stands at the end. */
const [HEAD, TAIL] = [24, 48];

/** An origin in two lines at most. */
export function shortened(origin: string): string {
  return origin.length <= HEAD + TAIL ? origin : `${origin.slice(0, HEAD)}…${origin.slice(-TAIL)}`;
}

function detail(url: string, granted: boolean, stale: boolean): string {
  if (stale) return "The extension was updated. Reload the page to capture it again.";
  if (!isCapturable(url)) return "Pages of the browser itself are never captured.";
  if (!granted) return "Not captured. Agents cannot see or use it.";
  return isLoopback(url) ? "Captured: pages of this machine always are." : "Captured: you granted this site.";
}

function showButton(id: string, shown: boolean, clicked: () => Promise<void>): void {
  const button = element(id, HTMLButtonElement);
  button.hidden = !shown;
  button.onclick = () => void clicked();
}

async function isStale(tab: number): Promise<boolean> {
  const stored = await session.read("stale");
  return Array.isArray(stored) && stored.includes(tab);
}
