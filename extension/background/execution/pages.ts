import type { Tab } from "@gasoline/schema/wire";
import type { Arrival, Dialog, Move, Pages } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import type { Ports } from "../frames/ports.ts";
import type { TabList } from "../tabs/list.ts";

/** A click's navigation or new tab shows within this time after it, or is not its doing. */
const AFTERMATH_MS = 25;

/** A page that began to navigate is left within this time, or its server is slow to answer. */
const LEAVING_MS = 1000;

/** After a page is complete its content script may need a moment to say so. */
const HELLO_MS = 400;

/** Chrome's tabs as commands use them. */
export class TabPages implements Pages {
  readonly #list: TabList;
  readonly #ports: Ports;

  constructor(list: TabList, ports: Ports) {
    this.#list = list;
    this.#ports = ports;
  }

  async describe(tab: number): Promise<Tab> {
    return this.#list.one(tab).catch(() => {
      throw gone(tab);
    });
  }

  async active(): Promise<number | undefined> {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
    return (tab ?? (await chrome.tabs.query({ active: true }))[0])?.id;
  }

  async atIndex(index: number): Promise<number | undefined> {
    const active = await this.active();
    if (active === undefined) return undefined;
    const { windowId } = await chrome.tabs.get(active);
    return (await chrome.tabs.query({ windowId, index }))[0]?.id;
  }

  async go(tab: number, how: Move, deadline: number): Promise<Arrival> {
    await this.describe(tab);
    return arrival(tab, deadline, this.#ports, async () => {
      switch (how.type) {
        case "url":
          await chrome.tabs.update(tab, { url: how.url });
          return;
        case "reload":
          await chrome.tabs.reload(tab);
          return;
        case "back":
        case "forward":
          await step(tab, how.type);
          return;
      }
    });
  }

  async open(url: string | undefined, active: boolean, deadline: number): Promise<number> {
    let id = 0;
    await arrival(undefined, deadline, this.#ports, async () => {
      const tab = await chrome.tabs.create({ active, ...(url === undefined ? {} : { url }) });
      id = tab.id ?? 0;
      return id;
    });
    return id;
  }

  async activate(tab: number): Promise<void> {
    await chrome.tabs.update(tab, { active: true }).catch(() => {
      throw gone(tab);
    });
  }

  async close(tab: number): Promise<void> {
    await chrome.tabs.remove(tab).catch(() => {
      throw gone(tab);
    });
  }

  watch(tab: number): { stop(leaving: boolean): Promise<{ navigated: boolean; openedTab?: number }> } {
    let navigated = false;
    let openedTab: number | undefined;
    let wake: (() => void) | undefined;
    const updated = (id: number, change: { status?: string; url?: string }): void => {
      if (id === tab && (change.status === "loading" || change.url !== undefined)) navigated = true;
      if (navigated) wake?.();
    };
    const created = (opened: chrome.tabs.Tab): void => {
      if (opened.openerTabId === tab && opened.id !== undefined) openedTab = opened.id;
    };
    chrome.tabs.onUpdated.addListener(updated);
    chrome.tabs.onCreated.addListener(created);
    return {
      stop: async (leaving) => {
        if (!navigated && openedTab === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            setTimeout(resolve, leaving ? LEAVING_MS : AFTERMATH_MS);
          });
        }
        chrome.tabs.onUpdated.removeListener(updated);
        chrome.tabs.onCreated.removeListener(created);
        return { navigated, ...(openedTab === undefined ? {} : { openedTab }) };
      },
    };
  }

  dialog(tab: number): Dialog | undefined {
    return this.#ports.dialogs.of(tab);
  }

  nextDialog(tab: number): { opened: Promise<Dialog>; stop: () => void } {
    return this.#ports.dialogs.next(tab);
  }

  policy(tab: number): string | undefined {
    return this.#list.policy(tab);
  }

  captured(tab: number): boolean {
    return this.#ports.documents(tab).some(({ frame }) => frame === 0);
  }
}

const gone = (tab: number): CommandProblem => new CommandProblem("tab_gone", `Tab ${tab} is closed.`);

/**
 * One step through the history. The browser's own step leaves out pages on which the user did nothing,
 * and an agent's pages are all of that kind; the page's step does not, as far as it knows its history.
 */
async function step(tab: number, direction: "back" | "forward"): Promise<void> {
  if (await stepInPage(tab, direction === "back" ? -1 : 1)) return;
  try {
    if (direction === "back") await chrome.tabs.goBack(tab);
    else await chrome.tabs.goForward(tab);
  } catch {
    throw new CommandProblem("no_history", `The tab's history has no page further ${direction}.`);
  }
}

async function stepInPage(tab: number, by: -1 | 1): Promise<boolean> {
  const go = (delta: number): boolean => {
    const { navigation } = globalThis as unknown as { navigation: { canGoBack: boolean; canGoForward: boolean } };
    const can = delta < 0 ? navigation.canGoBack : navigation.canGoForward;
    if (can) history.go(delta);
    return can;
  };
  try {
    const [first] = await chrome.scripting.executeScript({ target: { tabId: tab }, func: go, args: [by], injectImmediately: true });
    return first?.result === true;
  } catch {
    return false; // An error page, or a site that was not granted.
  }
}

/** Begins a navigation and waits until the tab is complete, or the deadline. */
async function arrival(tab: number | undefined, deadline: number, ports: Ports, begin: () => Promise<number | void>): Promise<Arrival> {
  let watched = tab;
  let began = false;
  let sameDocument = false;
  let error: string | undefined;
  const completed = new Set<number>();
  let wake: (() => void) | undefined;
  const updated = (id: number, change: { status?: string; url?: string }): void => {
    if (change.status === "loading") {
      began = true;
      completed.delete(id);
    }
    if (change.status === "complete") completed.add(id);
    if (change.url !== undefined && change.status === undefined) sameDocument = true;
    wake?.();
  };
  const failed = (details: chrome.webRequest.OnErrorOccurredDetails): void => {
    if (details.tabId === watched && details.type === "main_frame" && details.error !== "net::ERR_ABORTED") {
      error = details.error;
      wake?.();
    }
  };
  chrome.tabs.onUpdated.addListener(updated);
  chrome.webRequest.onErrorOccurred.addListener(failed, { urls: ["http://*/*", "https://*/*"], types: ["main_frame"] });
  try {
    const opened = await begin();
    watched ??= opened as number;
    // A fragment or a same-document step loads nothing: when nothing began in a moment, it is over.
    const quiet = Date.now() + 150;
    for (;;) {
      if (watched !== undefined && completed.has(watched) && began) break;
      if (error !== undefined) break;
      const now = Date.now();
      if (now >= deadline) return { loaded: false };
      if (now >= quiet && !began) {
        const { status, pendingUrl } = await chrome.tabs.get(watched as number);
        if (sameDocument || (status === "complete" && !pendingUrl)) break;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, Math.min(50, deadline - now));
      });
    }
  } finally {
    chrome.tabs.onUpdated.removeListener(updated);
    chrome.webRequest.onErrorOccurred.removeListener(failed);
  }
  if (error === undefined) await hello(watched as number, deadline, ports);
  return { loaded: true, ...(error === undefined ? {} : { error }) };
}

/** Waits a moment for the content script of a captured page. */
async function hello(tab: number, deadline: number, ports: Ports): Promise<void> {
  const until = Math.min(deadline, Date.now() + HELLO_MS);
  while (Date.now() < until && !ports.documents(tab).some(({ frame }) => frame === 0)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
