import type { Tab } from "@gasoline/schema/wire";
import { isCapturable } from "../../state/origins.ts";
import { boundTitle, boundURL } from "../frames/bound.ts";
import type { Grants } from "./grants.ts";
import { PagePolicies } from "./policies.ts";
import type { StaleTabs } from "./stale.ts";

/** Tabs that are told to the daemon at most: a request has a bound, and so has what it keeps. */
const MAX_TABS = 1000;

/** The tabs of the browser as the daemon sees them. */
export class TabList {
  readonly #grants: Grants;
  readonly #stale: StaleTabs;
  readonly #withoutPageScript: (tab: number) => "page" | "frames" | undefined;
  readonly #policies = new PagePolicies();

  /** withoutPageScript says where the capture's script in the page's own world is missing. */
  constructor(grants: Grants, stale: StaleTabs, withoutPageScript: (tab: number) => "page" | "frames" | undefined) {
    this.#grants = grants;
    this.#stale = stale;
    this.#withoutPageScript = withoutPageScript;
  }

  /** Every tab, at most MAX_TABS; URL and title of no site that is not granted. */
  async all(): Promise<Tab[]> {
    const [tabs, focused] = await Promise.all([chrome.tabs.query({}), focusedWindow()]);
    return tabs
      .filter((tab) => tab.id !== undefined)
      .slice(0, MAX_TABS)
      .map((tab) => this.#describe(tab, focused));
  }

  /** The user granted the site of an address. */
  covers(url: string): boolean {
    return this.#grants.covers(url);
  }

  /** One tab. Throws when it is gone. */
  async one(id: number): Promise<Tab> {
    const [tab, focused] = await Promise.all([chrome.tabs.get(id), focusedWindow()]);
    return this.#describe(tab, focused);
  }

  /** Reads what an earlier life of the worker knew of the tabs' pages. */
  load(): Promise<void> {
    return this.#policies.load();
  }

  /** A tab shows a document whose answer was not seen. */
  shows(tab: number, document: string): Promise<void> {
    return this.#policies.shows(tab, document);
  }

  /** Keeps the policies of a page that a main-frame answer carried. */
  setHeaders(tab: number, policies: readonly string[]): void {
    this.#policies.setHeaders(tab, policies);
  }

  /** Keeps the policies that a page's meta elements hold. */
  setMetas(tab: number, policies: readonly string[]): Promise<void> {
    return this.#policies.setMetas(tab, policies);
  }

  /** Forgets a tab that was closed. */
  forget(tab: number): Promise<void> {
    return this.#policies.forget(tab);
  }

  /** The policy level of a tab's page; undefined when its answer was not seen. */
  policy(tab: number): string | undefined {
    return this.#policies.of(tab);
  }

  #describe(tab: chrome.tabs.Tab, focused: number | undefined): Tab {
    const id = tab.id ?? 0;
    const granted = this.#grants.covers(tab.url ?? "");
    // Chrome shows the page over which the user opened the popup, too, whatever was granted.
    const told = granted || !/^(https?|file):/.test(tab.url ?? "");
    const url = told ? boundURL(tab.url ?? "") : "";
    const described: Tab = {
      id,
      index: tab.index,
      window: tab.windowId,
      url,
      title: told ? boundTitle(tab.title ?? "") : "",
      active: tab.active,
      granted,
    };
    if (tab.active && tab.windowId === focused) described.focused = true;
    if (tab.discarded) described.discarded = true;
    if (tab.status) described.status = tab.status;
    if (this.#stale.has(id)) described.stale = true;
    const csp = isCapturable(url) ? this.policy(id) : undefined;
    if (csp) described.csp = csp;
    const without = this.#withoutPageScript(id);
    // Where the policy lets no script run, none is missing.
    if (without && csp !== "page_blocked") described.no_page_script = without;
    return described;
  }
}

async function focusedWindow(): Promise<number | undefined> {
  try {
    return (await chrome.windows.getLastFocused()).id;
  } catch {
    return undefined; // No window is open.
  }
}
