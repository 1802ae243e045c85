import type { Tab } from "@gasoline/schema/wire";
import type { Arrival, Debug, Dialog, Failure, Left, Move, Pages, Watch } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { runIn } from "../frames/browser.ts";
import type { Ports } from "../frames/ports.ts";
import type { TabList } from "../tabs/list.ts";
import type { Shown } from "./powers.ts";
import { UNTOLD, noPage, notLoaded, why } from "./failure.ts";

// Everything here waits for events of the browser. These times bound the waits whose event may never come.

/** A step through the history begins within this time, ms, or leads nowhere: a page may prevent it, and no event says so. */
const STEP_MS = 1000;

/**
 * A change of the address alone is one within the document, or the first sign of a page that loads: after this time, ms,
 * without a word of loading it is the former. The same holds for an address that is the one shown already.
 */
const WITHIN_MS = 150;

/** A page that began to navigate is left within this time, ms, or what it asked for is a download, or slow to come. */
const LEAVING_MS = 1000;

/** No event tells that an answer was no page: a tab that is said to load, of which nothing is heard, is asked after this time, ms. */
const RETRY_MS = 500;

/** The debugger tells within this time, ms, why a page did not come, or nobody does. */
const REASON_MS = 10_000;

/** A page that is complete has its content script within this time, ms; one in which none may run never says so. */
const HELLO_MS = 400;

/** Chrome's tabs as commands use them. */
export class TabPages implements Pages {
  readonly #list: TabList;
  readonly #ports: Ports;
  readonly #debug: Debug;
  readonly #tell: () => Promise<void>;
  readonly #watched = new Set<Watched>(); // one for each act that runs

  /** tell has the daemon know which tabs there are. */
  constructor(list: TabList, ports: Ports, debug: Debug, tell: () => Promise<void>) {
    this.#list = list;
    this.#ports = ports;
    this.#debug = debug;
    this.#tell = tell;
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

  /** What a tab shows, of a site that is not granted, too. */
  async shown(tab: number): Promise<Omit<Shown, "granted">> {
    const { url, status, discarded } = await chrome.tabs.get(tab).catch(() => {
      throw gone(tab);
    });
    // The browser loads the page of a tab that it unloaded when the tab is shown; of one that crashed it does not.
    const without = status === "unloaded" ? ({ without: discarded ? "discarded" : "crashed" } as const) : {};
    return { url: url || (await shownIn(tab))?.url || "", ...without };
  }

  async atIndex(index: number): Promise<number | undefined> {
    const active = await this.active();
    if (active === undefined) return undefined;
    const { windowId } = await chrome.tabs.get(active);
    return (await chrome.tabs.query({ windowId, index }))[0]?.id;
  }

  async go(tab: number, how: Move, deadline: number): Promise<Arrival> {
    const { url, granted } = await this.describe(tab);
    const document = this.document(tab);
    const inHistory = how.type === "back" || how.type === "forward";
    const ended = await arrival(deadline, inHistory ? STEP_MS : WITHIN_MS, async () => {
      switch (how.type) {
        case "url":
          await chrome.tabs.update(tab, { url: how.url });
          return tab;
        case "reload":
          await chrome.tabs.reload(tab);
          return tab;
        case "back":
        case "forward":
          await step(tab, how.type, granted || this.captured(tab));
          return tab;
      }
    });
    const asked = how.type === "url" ? how.url : how.type === "reload" ? url : "";
    await this.#check(ended, asked, deadline, document);
    // The page before is never told as the one that was asked for.
    const stayed =
      (asked !== url || (how.type === "reload" && !ended.loaded)) &&
      document !== undefined &&
      this.document(tab) === document &&
      (await this.describe(tab)).url === url;
    if (stayed && !ended.loaded) throw late(asked || "The next page", "The tab still shows the page before.");
    if (stayed && how.type === "url") throw noPage(asked);
    if (ended.loaded) await this.#hello(tab, deadline);
    return { loaded: ended.loaded };
  }

  async open(
    url: string | undefined,
    active: boolean,
    deadline: number,
    opened: (tab: number) => void,
  ): Promise<Arrival & { tab: number }> {
    const ended = await arrival(deadline, WITHIN_MS, async () => {
      const { id = 0 } = await chrome.tabs.create({ active, ...(url === undefined ? {} : { url }) });
      opened(id);
      return id;
    });
    const { tab, loaded } = ended;
    if (url === undefined) return { tab, loaded };
    try {
      await this.#check(ended, url, deadline);
      if (ended.loaded && url !== "about:blank" && /^(about:blank)?$/.test((await shownIn(tab))?.url ?? ""))
        throw noPage(url);
    } catch (error) {
      // A tab that shows nothing but the browser's error is of no use to anyone.
      await this.close(tab).catch(() => undefined);
      throw error;
    }
    if (!loaded && (await chrome.tabs.get(tab)).pendingUrl) throw late(url, `Tab ${tab} is open and waits for it.`);
    if (loaded) await this.#hello(tab, deadline);
    return { tab, loaded };
  }

  /**
   * Throws navigation_failed when the browser shows its error page. before is the document that the tab showed: its line
   * may end only after the error page is complete.
   */
  async #check({ tab, loaded, failure }: Ended, asked: string, deadline: number, before?: string): Promise<void> {
    if (failure) throw notLoaded(asked, this.#told(failure, asked));
    if (!loaded) return;
    const shown = await this.#failure(tab, deadline, before);
    if (shown) throw notLoaded(asked, this.#told(shown, asked));
  }

  async failure(
    tab: number,
    deadline: number,
    before: string | undefined,
    asked = "",
  ): Promise<{ url: string; why: string } | undefined> {
    const failure = await this.#failure(tab, deadline, before);
    return failure && { url: this.#told(failure, asked).url, why: why(failure) };
  }

  /** Of a site that is not granted no address is told but one that was asked for: the site itself led to any other. */
  #told(failure: Failure, asked: string): Failure {
    return failure.url === asked || this.#list.covers(failure.url) ? failure : { ...failure, url: UNTOLD };
  }

  async #failure(tab: number, deadline: number, before: string | undefined): Promise<Failure | undefined> {
    if (this.captured(tab) && this.document(tab) !== before) return undefined;
    const shown = await shownIn(tab);
    const failed = shown?.url.startsWith("http")
      ? await isErrorPage(tab, shown, (await this.describe(tab)).granted)
      : false;
    if (!shown || failed === false) return undefined;
    // Only the debugger can tell why.
    return this.#debug
      .failure(tab, Math.min(deadline, Date.now() + REASON_MS))
      .catch(() => (failed ? { url: shown.url } : undefined));
  }

  document(tab: number): string | undefined {
    return this.#ports.documents(tab).find(({ frame }) => frame === 0)?.document;
  }

  /** Waits a moment for the content script of a captured page, which is not that of the document before. */
  async #hello(tab: number, deadline: number, before?: string): Promise<void> {
    if (this.captured(tab) && this.document(tab) !== before) return;
    let stop = (): void => {};
    await event(
      (done) => {
        stop = this.#ports.onHello((stamp) => {
          if (stamp.tab === tab && stamp.frame === 0) done();
        });
      },
      Math.min(deadline, Date.now() + HELLO_MS),
    );
    stop();
  }

  async activate(tab: number): Promise<void> {
    await chrome.tabs.update(tab, { active: true }).catch(() => {
      throw gone(tab);
    });
  }

  async raise(tab: number): Promise<void> {
    const { windowId } = await chrome.tabs.get(tab).catch(() => {
      throw gone(tab);
    });
    await chrome.windows.update(windowId, { focused: true, drawAttention: true });
  }

  async close(tab: number): Promise<void> {
    await chrome.tabs.remove(tab).catch(() => {
      throw gone(tab);
    });
    await this.#tell(); // or the next call would mean this tab
  }

  watch(tab: number): Watch {
    const seen: Left = { loading: false };
    const watched: Watched = { tab };
    this.#watched.add(watched);
    void chrome.tabs.get(tab).then(
      ({ windowId, active }) => Object.assign(watched, { windowId, active }),
      () => undefined,
    );
    let wake: (() => void) | undefined;
    const updated = (id: number, change: { status?: string }): void => {
      if (id !== tab || change.status !== "loading") return;
      seen.loading = true;
      wake?.();
    };
    const created = (opened: chrome.tabs.Tab): void => {
      if (opened.id !== undefined && openerOf(opened, this.#watched) === watched) seen.openedTab = opened.id;
    };
    chrome.tabs.onUpdated.addListener(updated);
    chrome.tabs.onCreated.addListener(created);
    return {
      now: () => ({ ...seen }),
      left: async (until) => {
        if (!seen.loading) await event((done) => (wake = done), Math.min(until, Date.now() + LEAVING_MS));
        return { ...seen };
      },
      stop: () => {
        this.#watched.delete(watched);
        chrome.tabs.onUpdated.removeListener(updated);
        chrome.tabs.onCreated.removeListener(created);
      },
    };
  }

  async loaded(tab: number, until: number): Promise<boolean> {
    let wake: (() => void) | undefined;
    const updated = (id: number): void => {
      if (id === tab) wake?.();
    };
    chrome.tabs.onUpdated.addListener(updated);
    try {
      for (;;) {
        const next = event((done) => (wake = done), until);
        const { status } = await chrome.tabs.get(tab);
        if (status === "complete") return true;
        if (Date.now() >= until) return false;
        await next;
      }
    } catch {
      return true; // It is closed: nothing loads there.
    } finally {
      wake?.();
      chrome.tabs.onUpdated.removeListener(updated);
    }
  }

  async nextDocument(tab: number, until: number): Promise<void> {
    const updated = (id: number): void => {
      if (id === tab) wake?.();
    };
    let wake: (() => void) | undefined;
    chrome.tabs.onUpdated.addListener(updated);
    const stop = this.#ports.onHello((stamp) => updated(stamp.tab));
    await event((done) => (wake = done), until);
    chrome.tabs.onUpdated.removeListener(updated);
    stop();
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
    return this.document(tab) !== undefined;
  }
}

/** Resolves when what subscribe was given is called, or at the time (epoch ms). */
function event(subscribe: (done: () => void) => void, until: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, until - Date.now()));
    subscribe(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A tab in which an act runs, and what it was when the act began; undefined: not known yet. */
export interface Watched {
  tab: number;
  windowId?: number;
  active?: boolean;
}

/**
 * The act that opened a tab. Of a tab in a window of others Chrome names the one in front as its opener, whichever it was:
 * behind it, the only act in the window is meant. undefined: none, or several may have.
 */
export function openerOf(
  opened: Pick<chrome.tabs.Tab, "openerTabId" | "windowId">,
  acts: Iterable<Watched>,
): Watched | undefined {
  const { openerTabId, windowId } = opened;
  if (openerTabId === undefined) return undefined;
  const may = [...acts].filter((act) => act.tab === openerTabId || (act.windowId === windowId && act.active === false));
  return may.length === 1 ? may[0] : undefined;
}

/** What a tab shows, of sites that were not granted too. Not for answers. */
async function shownIn(tab: number): Promise<{ url: string; title: string } | undefined> {
  return (await chrome.debugger.getTargets()).find(({ tabId, type }) => tabId === tab && type === "page");
}

/**
 * Asks the browser whether a tab shows its error page. Of a site that is not granted, the title says so: the bare host.
 * undefined: it does not answer, as where a document has no element because its answer could not be read.
 */
async function isErrorPage(
  tab: number,
  { url, title }: { url: string; title: string },
  granted: boolean,
): Promise<boolean | undefined> {
  const bare = title === new URL(url).hostname;
  if (!granted) return bare;
  try {
    const asked = runIn(tab, { frameIds: [0] }, () => undefined, []);
    let there: false | undefined;
    await Promise.race([asked.then(() => (there = false)), event(() => undefined, Date.now() + HELLO_MS)]);
    asked.catch(() => undefined); // it may fail when the page goes
    return there;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /error page/.test(message) || (NOT_GRANTED.test(message) && bare);
  }
}

/** What Chrome says where no script may run. */
const NOT_GRANTED = /Cannot access|must request permission|No frame with id/;

const gone = (tab: number): CommandProblem => new CommandProblem("tab_gone", `Tab ${tab} is closed.`);

const late = (url: string, state: string): CommandProblem =>
  new CommandProblem(
    "timeout",
    `${url} has not come in time: its server is slow, or the page asks the user whether to leave it. ${state}`,
  );

/**
 * One step through the history. The browser's own step leaves out pages on which the user did nothing,
 * and an agent's pages are all of that kind; the page's step does not, as far as it knows its history.
 * In a page that is not granted no script runs, also where the user opened the popup over it.
 */
export async function step(tab: number, direction: "back" | "forward", granted: boolean): Promise<void> {
  if (granted && (await stepInPage(tab, direction === "back" ? -1 : 1))) return;
  try {
    if (direction === "back") await chrome.tabs.goBack(tab);
    else await chrome.tabs.goForward(tab);
  } catch {
    throw new CommandProblem("no_history", `The tab's history has no page further ${direction}.`);
  }
}

/** Says whether the page goes a step. false: its history ends here, or no script may run in it. */
async function stepInPage(tab: number, by: -1 | 1): Promise<boolean> {
  const go = (delta: number): boolean => {
    const { navigation } = globalThis as unknown as { navigation?: { canGoBack: boolean; canGoForward: boolean } };
    const can = delta < 0 ? navigation?.canGoBack : navigation?.canGoForward;
    if (can) history.go(delta);
    return can === true;
  };
  try {
    const [first] = await chrome.scripting.executeScript({
      target: { tabId: tab },
      func: go,
      args: [by],
      injectImmediately: true,
    });
    return first?.result === true;
  } catch (error) {
    // A page that is quick to go takes the answer with it. A second step would lead past the page that is meant.
    return /was removed/.test(error instanceof Error ? error.message : String(error));
  }
}

/** How a navigation ended. */
interface Ended {
  tab: number;
  /** The tab is complete; false: still loading at the deadline. */
  loaded: boolean;
  /** What the browser shows its error page for. */
  failure: { url: string; error: string } | undefined;
}

/**
 * Begins a navigation, which says in which tab, and waits until the tab is complete with a page or the browser's error
 * page, or for the deadline. When nothing begins in patience (ms), there was nothing to load.
 */
async function arrival(deadline: number, patience: number, begin: () => Promise<number>): Promise<Ended> {
  const began = new Set<number>();
  const completed = new Set<number>();
  const moved = new Set<number>(); // within their documents
  const failures = new Map<number, { url: string; error: string }>();
  let wake: (() => void) | undefined;
  const updated = (id: number, change: { status?: string; url?: string }): void => {
    if (change.status === "loading") {
      began.add(id);
      completed.delete(id);
    }
    if (change.status === "complete") completed.add(id);
    if (change.url !== undefined && change.status === undefined) moved.add(id);
    wake?.();
  };
  const failed = ({ tabId, url, error }: chrome.webRequest.OnErrorOccurredDetails): void => {
    if (error !== "net::ERR_ABORTED") failures.set(tabId, { url, error }); // Else it was given up, which brings no error page.
  };
  const asked = ({ tabId }: { tabId: number }): undefined => {
    failures.delete(tabId); // The one before was left for another.
  };
  const filter: chrome.webRequest.RequestFilter = { urls: ["http://*/*", "https://*/*"], types: ["main_frame"] };
  chrome.tabs.onUpdated.addListener(updated);
  // The names of failures are seen where the user switched network detail on.
  const { webRequest } = chrome as { webRequest?: typeof chrome.webRequest };
  webRequest?.onBeforeRequest.addListener(asked, filter);
  webRequest?.onErrorOccurred.addListener(failed, filter);
  try {
    const watched = await begin();
    const ended = (loaded: boolean): Ended => ({ tab: watched, loaded, failure: failures.get(watched) });
    // A fragment or a same-document step loads nothing: when nothing began in a moment, it is over.
    const start = Date.now();
    for (;;) {
      if (completed.has(watched) && began.has(watched)) return ended(true);
      const now = Date.now();
      if (now >= deadline) return ended(false);
      if (!began.has(watched) && now >= start + (moved.has(watched) ? WITHIN_MS : patience)) {
        const { status, pendingUrl } = await chrome.tabs.get(watched);
        if (moved.has(watched) || (status === "complete" && !pendingUrl)) return ended(true);
      }
      // Something happens, or the time has come at which nothing will.
      const decided = start + (moved.has(watched) ? WITHIN_MS : patience);
      await event(
        (done) => (wake = done),
        now < decided ? Math.min(decided, deadline) : Math.min(now + RETRY_MS, deadline),
      );
    }
  } finally {
    chrome.tabs.onUpdated.removeListener(updated);
    webRequest?.onBeforeRequest.removeListener(asked);
    webRequest?.onErrorOccurred.removeListener(failed);
  }
}
