import type { BrowserContext, CDPSession, Page } from "@playwright/test";
import type { NativeAnswer } from "@gasoline/schema/wire";
import type { Heard, Port, Sender } from "./document.ts";
import { Event } from "./events.ts";
import { type Change, Tab, type Which, built } from "./tab.ts";

const LOOPBACK = (JSON.parse(built("manifest.json")) as { host_permissions: string[] }).host_permissions;

/** What chrome.scripting.executeScript is asked. */
interface Injection {
  target: Which & { tabId: number };
  func?: (...args: never[]) => unknown;
  args?: unknown[];
  files?: string[];
  world?: "ISOLATED" | "MAIN";
}

interface Debuggee {
  tabId: number;
}

/** What the worker uses of chrome.*, made of the protocol. What is not there is for tests in the extension itself. */
export class Chrome {
  readonly id: string;
  readonly tabs: TabsOf;
  readonly local = new Area();
  readonly session = new Area();
  readonly installed = new Event<[{ reason: string }]>();
  readonly #connected = new Event<[Port]>();
  readonly #asked = new Event<[unknown, Sender, (reply: unknown) => void]>();
  readonly #told = new Event<[Debuggee, string, object]>();
  readonly #detached = new Event<[Debuggee, string]>();
  readonly #debuggers = new Map<number, CDPSession>();
  readonly #native: NativeAnswer;

  constructor(context: BrowserContext, id: string, native: NativeAnswer) {
    this.id = id;
    this.#native = native;
    this.tabs = new TabsOf(context, id, {
      connect: (port) => void this.#connected.tell(port),
      message: async (message, sender) =>
        new Promise((resolve) => {
          const later = this.#asked.tell(message, sender, resolve);
          if (!later.includes(true)) resolve(null);
        }),
    });
  }

  /** The object itself. */
  api(): object {
    const never = { addListener: () => undefined, removeListener: () => undefined };
    const nothing = async (): Promise<undefined> => undefined;
    const none = async (): Promise<unknown[]> => [];
    return {
      runtime: {
        id: this.id,
        onConnect: this.#connected,
        onMessage: this.#asked,
        onInstalled: this.installed,
        onStartup: never,
        sendNativeMessage: async () => this.#native,
      },
      tabs: this.tabs.api(),
      scripting: {
        executeScript: (injection: Injection) => this.#execute(injection),
        getRegisteredContentScripts: none,
      },
      debugger: {
        onEvent: this.#told,
        onDetach: this.#detached,
        attach: ({ tabId }: Debuggee) => this.#attach(tabId),
        detach: ({ tabId }: Debuggee) => this.#detach(tabId),
        sendCommand: ({ tabId }: Debuggee, method: string, params: object) => this.#command(tabId, method, params),
        getTargets: async () =>
          (await this.tabs.all()).map(({ id, url, title }) => ({
            tabId: id,
            type: "page",
            url,
            title,
            attached: this.#debuggers.has(id),
          })),
      },
      storage: { local: this.local, session: this.session },
      permissions: { getAll: async () => ({ origins: LOOPBACK, permissions: [] }), onAdded: never, onRemoved: never },
      windows: { getLastFocused: async () => ({ id: 1 }), update: nothing, onFocusChanged: never },
      alarms: { create: nothing, onAlarm: never },
      commands: { onCommand: never },
      action: {
        setBadgeText: nothing,
        setBadgeTextColor: nothing,
        setBadgeBackgroundColor: nothing,
        setTitle: nothing,
      },
      declarativeNetRequest: { getSessionRules: none, updateSessionRules: nothing },
      offscreen: { hasDocument: async () => false, closeDocument: nothing },
    };
  }

  async close(): Promise<void> {
    const debuggers = [...this.#debuggers.values()];
    this.#debuggers.clear();
    await Promise.all(debuggers.map((session) => session.detach().catch(() => undefined)));
    await this.tabs.close();
  }

  async #execute({ target, func, args = [], files = [], world }: Injection): Promise<object[]> {
    const tab = this.tabs.of(target.tabId);
    const code = func
      ? `(${func.toString()})(...${JSON.stringify(args)})`
      : `${files.map(built).join("\n;")}\n;undefined`;
    const asked = tab.which(target);
    const ran = asked.map(async (document) => {
      const { frameId, documentId } = document.sender;
      return [{ frameId, documentId, result: await document.run(code, world) }];
    });
    if (asked.length === 1) return (await Promise.all(ran)).flat();
    // A frame that went away meanwhile is left out.
    return (await Promise.all(ran.map((one) => one.catch(() => [])))).flat();
  }

  async #attach(tabId: number): Promise<void> {
    const { page } = this.tabs.of(tabId);
    const session = await page.context().newCDPSession(page);
    session.on("event", ({ method, params }) => void this.#told.tell({ tabId }, method, params ?? {}));
    session.on("close", () => {
      if (this.#debuggers.get(tabId) !== session) return; // it was let go of
      this.#debuggers.delete(tabId);
      this.#detached.tell({ tabId }, "target_closed");
    });
    this.#debuggers.set(tabId, session);
  }

  async #detach(tabId: number): Promise<void> {
    const session = this.#debuggers.get(tabId);
    this.#debuggers.delete(tabId);
    await session?.detach();
  }

  async #command(tabId: number, method: string, params: object = {}): Promise<unknown> {
    const session = this.#debuggers.get(tabId);
    if (!session) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
    return session.send(method as never, params as never);
  }
}

/** A tab as chrome.tabs tells it. */
interface Told {
  id: number;
  index: number;
  windowId: number;
  url: string;
  title: string;
  active: boolean;
  status: string;
  openerTabId?: number;
}

/** The pages of a context as the tabs of one window. */
class TabsOf {
  readonly #context: BrowserContext;
  readonly #extension: string;
  readonly #heard: Heard;
  readonly #tabs = new Map<number, Tab>();
  readonly #opening = new Map<Page, Promise<Tab>>();
  readonly #openers = new Map<number, number>();
  readonly #created = new Event<[object]>();
  readonly #updated = new Event<[number, Change, object]>();
  readonly #removed = new Event<[number]>();
  #active = 0;
  #next = 0;

  constructor(context: BrowserContext, extension: string, heard: Heard) {
    this.#context = context;
    this.#extension = extension;
    this.#heard = heard;
    context.on("page", this.#came);
  }

  async close(): Promise<void> {
    this.#context.off("page", this.#came);
    await Promise.all([...this.#tabs.values()].map(({ session }) => session.detach().catch(() => undefined)));
  }

  readonly #came = (page: Page): void => void this.add(page).catch(() => undefined);

  /** Makes a page a tab, once. */
  async add(page: Page): Promise<Tab> {
    const opening = this.#opening.get(page) ?? this.#open(page);
    this.#opening.set(page, opening);
    return opening;
  }

  of(id: number): Tab {
    const tab = this.#tabs.get(id);
    if (!tab) throw new Error(`No tab with id: ${id}.`);
    return tab;
  }

  async all(): Promise<Told[]> {
    const told = await Promise.all([...this.#tabs.values()].map((tab) => this.#told(tab).catch(() => undefined)));
    return told.filter((tab) => tab !== undefined);
  }

  api(): object {
    const of = (id: number): Tab => this.of(id);
    const never = { addListener: () => undefined, removeListener: () => undefined };
    return {
      onCreated: this.#created,
      onUpdated: this.#updated,
      onRemoved: this.#removed,
      onActivated: never,
      onMoved: never,
      get: async (id: number) => this.#told(of(id)),
      query: async ({ active, index }: { active?: boolean; index?: number }) =>
        (await this.all()).filter(
          (tab) => (active === undefined || tab.active === active) && (index === undefined || tab.index === index),
        ),
      create: async ({ url, active = true }: { url?: string; active?: boolean }) => {
        const tab = await this.add(await this.#context.newPage());
        if (active) this.#active = tab.id;
        if (url !== undefined) this.#go(tab, url);
        return this.#told(tab);
      },
      update: async (id: number, { url, active }: { url?: string; active?: boolean }) => {
        if (active) this.#active = of(id).id;
        if (active) await of(id).page.bringToFront();
        if (url !== undefined) this.#go(of(id), url);
      },
      reload: async (id: number) => {
        of(id).loading();
        of(id)
          .session.send("Page.reload")
          .catch(() => undefined);
      },
      remove: async (id: number) => of(id).page.close({ runBeforeUnload: false }),
      goBack: async (id: number) => step(of(id), -1),
      goForward: async (id: number) => step(of(id), 1),
    };
  }

  #go(tab: Tab, url: string): void {
    tab.session.send("Page.navigate", { url }).catch(() => undefined);
  }

  async #open(page: Page): Promise<Tab> {
    const id = ++this.#next;
    this.#active = id;
    const opener = await page.opener();
    const from = [...this.#tabs.values()].find((tab) => tab.page === opener);
    if (from) this.#openers.set(id, from.id);
    const tab = await Tab.open(id, page, this.#extension, this.#heard, (change) => {
      if (this.#tabs.has(id)) void this.#updated.tell(id, change, {});
    });
    this.#tabs.set(id, tab);
    page.once("close", () => {
      this.#tabs.delete(id);
      tab.left();
      this.#removed.tell(id);
    });
    this.#created.tell(await this.#told(tab));
    return tab;
  }

  async #told(tab: Tab): Promise<Told> {
    const { targetInfo } = await tab.session.send("Target.getTargetInfo", { targetId: tab.target });
    const index = [...this.#tabs.keys()].indexOf(tab.id);
    const opener = this.#openers.get(tab.id);
    return {
      id: tab.id,
      index,
      windowId: 1,
      url: tab.url,
      title: targetInfo.title,
      active: tab.id === this.#active,
      status: tab.status,
      ...(opener === undefined ? {} : { openerTabId: opener }),
    };
  }
}

async function step({ session }: Tab, by: -1 | 1): Promise<void> {
  const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
  const entry = entries[currentIndex + by];
  if (!entry) throw new Error("Cannot find a next page in history.");
  session.send("Page.navigateToHistoryEntry", { entryId: entry.id }).catch(() => undefined);
}

/** An area of chrome.storage. Values are kept as JSON, which is what crosses processes. */
class Area {
  readonly onChanged = new Event<[Record<string, object>]>();
  readonly #kept = new Map<string, string>();

  setAccessLevel = async (): Promise<void> => undefined;

  get = async (keys: string | string[] | null): Promise<Record<string, unknown>> => {
    const wanted = keys === null ? [...this.#kept.keys()] : [keys].flat();
    const found = wanted.flatMap((key) => {
      const json = this.#kept.get(key);
      return json === undefined ? [] : [[key, JSON.parse(json) as unknown] as const];
    });
    return Object.fromEntries(found);
  };

  set = async (values: Record<string, unknown>): Promise<void> => {
    for (const [key, value] of Object.entries(values)) this.#kept.set(key, JSON.stringify(value));
    this.#tell(Object.keys(values));
  };

  remove = async (keys: string | string[]): Promise<void> => {
    for (const key of [keys].flat()) this.#kept.delete(key);
    this.#tell([keys].flat());
  };

  #tell(keys: string[]): void {
    this.onChanged.tell(Object.fromEntries(keys.map((key) => [key, {}])));
  }
}
