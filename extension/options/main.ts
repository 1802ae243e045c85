import { element } from "../state/dom.ts";
import { onSettings, readSettings } from "../state/settings.ts";
import { listenToDaemonForm, showDaemonForm } from "./daemon-form.ts";
import { showDownloads } from "./downloads.ts";
import { showNetworkDetail } from "./network-detail.ts";
import { showGrants, showPilot, showScriptGrants, showUserScripts } from "./grants.ts";
import { listenToTraceForm, showTrace } from "./trace.ts";
import { onPermissions, session } from "../state/browser.ts";
import { manifest } from "./browser.ts";

/** Shows what holds now. The sections do not wait for each other: what one of them cannot read keeps no other from the truth. */
async function show(): Promise<void> {
  const settings = await readSettings();
  showPilot(settings);
  showScriptGrants(settings);
  showTrace(settings);
  await Promise.all([
    showDaemonForm(settings),
    showGrants(),
    showUserScripts(),
    showNetworkDetail(),
    showDownloads(),
    showBodyLimit(),
  ]);
}

async function showBodyLimit(): Promise<void> {
  const limit = (await session.read<{ body_limit?: number }>("daemonSettings"))?.body_limit;
  if (limit) element("body-limit", HTMLElement).textContent = `${Math.round(limit / 1024)} kB of text`;
}

element("version", HTMLSpanElement).textContent = manifest().version;
listenToDaemonForm();
listenToTraceForm();
onSettings(() => void show());
onPermissions(() => void show());
// The user comes back from Chrome's own page, whose switches send no event.
addEventListener("focus", () => void show());
// Nothing is seen before it is true.
void show().finally(() => (document.body.dataset["shown"] = ""));
