import { onSettings } from "../state/settings.ts";
import { injectLate } from "./tabs/late.ts";
import { Worker } from "./worker.ts";
import { onPermissions } from "../state/browser.ts";

declare const __VERSION__: string;

// Chrome wakes the worker for an event only if its listener is there after the first turn of this
// script. So every listener is registered here, before anything is awaited.
const worker = new Worker(__VERSION__);
const started = worker.start();

chrome.runtime.onConnect.addListener((port) => worker.ports.accept(port));
worker.network.listen();
chrome.runtime.onMessage.addListener((message, { origin }, answer) => {
  // Content scripts can send messages, too; they have the page's origin.
  const asked = origin === location.origin ? worker.asked(message) : undefined;
  void asked?.then(answer);
  return asked !== undefined;
});

chrome.commands.onCommand.addListener((name) => {
  if (name === "stop") void started.then(() => worker.stop());
  if (name === "mark") void started.then(() => worker.mark());
});
chrome.alarms.onAlarm.addListener(() => void worker.tick());
chrome.runtime.onStartup.addListener(() => worker.line.ensure());
onSettings(() => void started.then(() => worker.settingsChanged()));

chrome.tabs.onCreated.addListener(() => worker.tabsChanged());
chrome.tabs.onActivated.addListener(() => worker.tabsChanged());
chrome.tabs.onMoved.addListener(() => worker.tabsChanged());
chrome.windows.onFocusChanged.addListener(() => worker.tabsChanged());
chrome.tabs.onUpdated.addListener((tab, { status }, { url }) => {
  if (status === "complete") void worker.films.complete(tab);
  void worker.moved(tab, status === "loading", url); // whatever changed: of a site that is not granted, Chrome does not say the address
  worker.tabsChanged();
});
chrome.tabs.onRemoved.addListener((tab) => {
  worker.films.closed(tab);
  void worker.tracer.closed(tab);
  void worker.tabs.forget(tab);
  void worker.refs.forget(tab);
  void worker.stale.clear(tab);
  worker.tabsChanged();
});

chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
  worker.debuggers.detached(tabId);
  worker.films.detached(tabId, reason);
});

const grantsChanged = async (): Promise<void> => {
  await started;
  const added = await worker.grantsChanged();
  if (added.length > 0) await injectLate(added);
  worker.tabsChanged();
};
onPermissions(() => void grantsChanged());

const installed = async (reason: string): Promise<void> => {
  // The safety net: if the loop was lost for any reason, it starts again within half a minute.
  await chrome.alarms.create("line", { periodInMinutes: 0.5 });
  await started;
  // Pages beyond loopback that came before their scripts were registered have none.
  if (reason === "install") await injectLate(worker.grants.patterns);
  else if (reason === "update") await worker.stale.markAll(worker.grants);
  worker.tabsChanged();
};
chrome.runtime.onInstalled.addListener(({ reason }) => void installed(reason));
