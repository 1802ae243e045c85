import type { Connection } from "../state/connection.ts";
import { element } from "../state/dom.ts";
import { isCapturable, originOf } from "../state/origins.ts";
import { choose, isOn, mayActOn } from "../state/pilot.ts";
import { type Settings, writeSettings } from "../state/settings.ts";
import { frontTab, shortcut } from "./browser.ts";
import { shortened } from "./site.ts";

const RADIOS = ["off", "site", "all"] as const;

/**
 * Shows where agents may act, as the tab in front sees it, and lets the user change it. While they may act on other
 * sites only, none of the three is chosen.
 */
export async function showPilot(settings: Settings, { phase }: Connection): Promise<void> {
  const url = (await frontTab())?.url ?? "";
  const site = isCapturable(url) ? originOf(url) : "";
  const here = site !== "" && mayActOn(settings, url);
  const chosen = settings.pilot ? "all" : !isOn(settings) ? "off" : here ? "site" : undefined;
  for (const value of RADIOS) {
    const radio = element(`pilot-${value}`, HTMLInputElement);
    radio.checked = value === chosen;
    radio.disabled = value === "site" && site === "";
    const label = radio.parentElement;
    if (label) label.title = radio.disabled ? "There is no web page in this tab." : "";
    // Written at once: the window may be closed in the next moment, and what was switched off has to be off.
    radio.onchange = () => void writeSettings(choose(value === "site" ? [...settings.pilotSites, site] : value));
  }
  const card = element("pilot", HTMLDivElement).parentElement;
  card?.toggleAttribute("data-on", isOn(settings));
  element("pilot-detail", HTMLParagraphElement).textContent = !isOn(settings)
    ? "Lets agents click, type and navigate."
    : `${where(settings, site, here)} ${phase === "connected" ? await stopKey() : "It waits for the daemon."}`.trim();
}

function where({ pilot, pilotSites }: Settings, site: string, here: boolean): string {
  if (pilot) return "Agents may act on all sites that are captured.";
  const others = pilotSites.filter((other) => other !== site);
  const [first = ""] = others;
  const named = others.length > 1 ? `${others.length} other sites` : here ? "one other site" : shortened(first);
  if (!here) return `Agents may act on ${named}, not here.`;
  return others.length > 0
    ? `Agents may act here and on ${named}, which the options list.`
    : "Agents may click, type and navigate here.";
}

/** How the user stops agents without this window; "" where no key is set. */
async function stopKey(): Promise<string> {
  const key = await shortcut("stop");
  return key ? `${key} stops them.` : "";
}
