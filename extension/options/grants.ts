import { element } from "../state/dom.ts";
import { ALL_SITES, LOOPBACK_PATTERNS } from "../state/origins.ts";
import { choose } from "../state/pilot.ts";
import { type Settings, readSettings, writeSettings } from "../state/settings.ts";
import { grantedOrigins, holds, manifest, permit, revokeOrigin, userScriptsAllowed } from "./browser.ts";

/** Lists the captured sites; those that the user granted can be taken back. */
export async function showGrants(): Promise<void> {
  const origins = await grantedOrigins();
  const required = new Set([...LOOPBACK_PATTERNS, ...(manifest().host_permissions ?? [])]);
  const granted = origins.filter((pattern) => !required.has(pattern)).sort();
  element("sites", HTMLUListElement).replaceChildren(
    row("This machine (localhost, 127.0.0.1)", undefined),
    ...(required.has(ALL_SITES) ? [row("All sites", undefined)] : []),
    ...granted.map((pattern) =>
      row(pattern === ALL_SITES ? "All sites" : pattern.replace(/\/\*$/, ""), () => revokeOrigin(pattern)),
    ),
  );
}

/** Lists the sites where agents may act. */
export function showPilot({ pilot, pilotSites }: Settings): void {
  element("pilot-none", HTMLParagraphElement).hidden = pilot || pilotSites.length > 0;
  element("pilot", HTMLUListElement).replaceChildren(
    ...(pilot ? [row("All sites", () => writeSettings(choose("off")))] : []),
    ...pilotSites.map((site) =>
      row(site, async () => {
        const { pilotSites: now } = await readSettings();
        await writeSettings({ pilotSites: now.filter((other) => other !== site) });
      }),
    ),
  );
}

/** Lists the sites where agents may run scripts. */
export function showScriptGrants(settings: Settings): void {
  element("scripts-none", HTMLParagraphElement).hidden = settings.scriptHosts.length > 0;
  element("scripts", HTMLUListElement).replaceChildren(
    ...settings.scriptHosts.map((host) =>
      row(host, async () => {
        const { scriptHosts } = await readSettings();
        await writeSettings({ scriptHosts: scriptHosts.filter((other) => other !== host) });
      }),
    ),
  );
}

/** Says how scripts run, and lets the user take the way without the debugger's bar. */
export async function showUserScripts(): Promise<void> {
  const asked = await holds("userScripts");
  const status = element("user-scripts", HTMLParagraphElement);
  status.textContent = userScriptsAllowed()
    ? "Scripts run as user scripts: Chrome shows no debugger bar."
    : asked
      ? "Switch on “Allow user scripts” on Gasoline's page in chrome://extensions. Until then Chrome shows its debugger bar while a script runs."
      : "Scripts run through Chrome's debugger, which shows a bar on top of every window meanwhile. User scripts need no bar; Chrome asks once.";
  const button = element("user-scripts-request", HTMLButtonElement);
  button.hidden = asked;
  button.onclick = () => permit("userScripts", true, status);
}

function row(text: string, revoke: (() => Promise<void>) | undefined): HTMLLIElement {
  const item = document.createElement("li");
  const label = document.createElement("span");
  label.textContent = text;
  item.append(label);
  if (revoke) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Revoke";
    button.setAttribute("aria-label", `Revoke ${text}`);
    button.addEventListener("click", () => void revoke());
    item.append(button);
  } else {
    const always = document.createElement("span");
    always.className = "quiet";
    always.textContent = "always";
    item.append(always);
  }
  return item;
}
