import { element } from "../state/dom.ts";
import { onSettings, readSettings } from "../state/settings.ts";
import { listenToDaemonForm, showDaemonForm } from "./daemon-form.ts";
import { showNetworkDetail } from "./network-detail.ts";
import { showGrants, showScriptGrants, showUserScripts } from "./grants.ts";

async function show(): Promise<void> {
  const settings = await readSettings();
  await showDaemonForm(settings);
  await showGrants();
  showScriptGrants(settings);
  await showUserScripts();
  await showNetworkDetail();
  const { daemonSettings } = await chrome.storage.session.get("daemonSettings");
  const limit = (daemonSettings as { body_limit?: number } | undefined)?.body_limit;
  if (limit) element("body-limit", HTMLElement).textContent = `${Math.round(limit / 1024)} kB of text`;
}

element("version", HTMLSpanElement).textContent = chrome.runtime.getManifest().version;
listenToDaemonForm();
onSettings(() => void show());
chrome.permissions.onAdded.addListener(() => void show());
chrome.permissions.onRemoved.addListener(() => void show());
// Nothing is seen before it is true.
void show().finally(() => (document.body.dataset["shown"] = ""));
