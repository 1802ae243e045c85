import { element } from "../state/dom.ts";
import { onSettings, readSettings } from "../state/settings.ts";
import { listenToDaemonForm, showDaemonForm } from "./daemon-form.ts";
import { showDownloads } from "./downloads.ts";
import { showNetworkDetail } from "./network-detail.ts";
import { showGrants, showPilot, showScriptGrants, showUserScripts } from "./grants.ts";
import { listenToTraceForm, showTrace } from "./trace.ts";
import { onPermissions, session } from "../state/browser.ts";
import { manifest } from "./browser.ts";

async function show(): Promise<void> {
  const settings = await readSettings();
  await showDaemonForm(settings);
  await showGrants();
  showPilot(settings);
  showScriptGrants(settings);
  await showUserScripts();
  await showNetworkDetail();
  await showDownloads();
  showTrace(settings);
  const limit = (await session.read<{ body_limit?: number }>("daemonSettings"))?.body_limit;
  if (limit) element("body-limit", HTMLElement).textContent = `${Math.round(limit / 1024)} kB of text`;
}

element("version", HTMLSpanElement).textContent = manifest().version;
listenToDaemonForm();
listenToTraceForm();
onSettings(() => void show());
onPermissions(() => void show());
// Nothing is seen before it is true.
void show().finally(() => (document.body.dataset["shown"] = ""));
