import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  type Page,
  type TestInfo,
  type Worker,
  chromium,
} from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";

/** What a launch can be given beside the flags that every test needs. */
export interface Launch {
  /** Of the window in pixels, with the bars of the browser. */
  height: number;
  flags?: string[];
  /** Flags that are left out, of Playwright's own and of those that every test needs. */
  without?: string[];
}

/** The extension in a browser. */
export interface Installed {
  id: string;
  worker: Worker;
}

/** A target of the browser, as the protocol tells it. */
interface Target {
  targetId: string;
  type: string;
  url: string;
}

/** The window of a tab. */
interface Window {
  windowId: number;
  bounds: { height?: number };
}

/** No bar tells of an extension's debugger: it takes room from the page, when it likes, and stays for five seconds. */
export const NO_BAR = "--silent-debugger-extension-api";

/**
 * What the browser does without. Playwright's own list comes first: of two flags the last one counts. Then a process for
 * a page to come, which is started anew with every page and is used by none here.
 */
const FEATURES = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
  "SpareRendererForSitePerProcess",
];

const FLAGS = [
  NO_BAR,
  `--disable-features=${FEATURES.join(",")}`,
  ...TEST_FLAGS,
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--enable-unsafe-extension-debugging", // Extensions.loadUnpacked and .uninstall
];

/** What the browser still has of a test is waited for this long. */
const GONE_WITHIN_MS = 5000;

/** What closes nothing in this time is given up. */
const DISCARD_MS = 20_000;

/** Methods of a context whose effect cannot be taken back. */
const FOR_EVER = [
  "addInitScript",
  "exposeBinding",
  "exposeFunction",
  "route",
  "routeFromHAR",
  "routeWebSocket",
  "setDefaultNavigationTimeout",
  "setDefaultTimeout",
  "setExtraHTTPHeaders",
  "setGeolocation",
  "setHTTPCredentials",
  "setOffline",
] as const;

/** Events of a context. A listener of a test, or something that it waits for, would see the next test. */
const EVENTS = [
  "backgroundpage",
  "console",
  "dialog",
  "download",
  "page",
  "request",
  "requestfailed",
  "requestfinished",
  "response",
  "serviceworker",
  "weberror",
];

/**
 * A Chromium with a profile of its own, for one test after the other. The extension is installed for each test and
 * uninstalled after it, which takes its worker, storage, permissions, alarms, registered scripts and debugger along;
 * reset takes away what else a test left, and fails when something stays. Not looked at: clipboard, zoom, history.
 */
export class Chromium {
  readonly context: BrowserContext;
  readonly profile: string;
  readonly #browser: CDPSession;
  readonly #window: Window;
  /** Processes of pages that the browser has for itself. */
  readonly #own: number[];
  #id: string | undefined;

  private constructor(context: BrowserContext, profile: string, browser: CDPSession, window: Window, own: number[]) {
    this.context = context;
    this.profile = profile;
    this.#browser = browser;
    this.#window = window;
    this.#own = own;
  }

  static async launch({ height, flags = [], without = [] }: Launch): Promise<Chromium> {
    const profile = await mkdtemp(join(tmpdir(), "gasoline-profile-"));
    await mkdir(join(profile, "Default"));
    // Without developer mode Chrome runs no unpacked extension.
    await writeFile(
      join(profile, "Default/Preferences"),
      JSON.stringify({ extensions: { ui: { developer_mode: true } } }),
    );
    const executablePath = findChromium();
    const context = await chromium.launchPersistentContext(profile, {
      ...(executablePath && { executablePath }),
      headless: true,
      // The window as it is: an emulated size is lost when the extension lets its debugger go.
      viewport: null,
      ignoreDefaultArgs: ["--disable-extensions", ...without],
      args: [`--window-size=1280,${height}`, ...FLAGS, ...flags].filter((flag) => !without.includes(flag)),
    });
    const browser = await context.browser()?.newBrowserCDPSession();
    const page = context.pages()[0] ?? (await context.newPage());
    if (!browser) throw new Error("the browser has no session");
    return new Chromium(context, profile, browser, await windowOf(page), await renderers(browser));
  }

  /** The tab of a browser that was just launched or reset. */
  get page(): Page {
    const [page] = this.context.pages();
    if (!page) throw new Error("the browser has no tab");
    return page;
  }

  /** Installs the unpacked extension of a folder, as for the first time. */
  async install(folder: string): Promise<Installed> {
    const { port } = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as { port: number };
    const { id } = await send<{ id: string }>(this.#browser, "Extensions.loadUnpacked", { path: folder });
    this.#id = id;
    const worker = await this.worker();
    const kept = await worker.evaluate(() => chrome.storage.local.get<Record<string, { port?: number }>>(null));
    const { pairing, ...rest } = kept;
    if (Object.keys(rest).length > 0 || (pairing && pairing.port !== port))
      throw new Error(`the extension begins with what another one kept: ${JSON.stringify(kept)}`);
    return { id, worker };
  }

  /** The worker of the extension as it is now; one that is about to start is waited for. */
  async worker(): Promise<Worker> {
    const ours = (worker: Worker): boolean => worker.url().startsWith(`chrome-extension://${this.#id}/`);
    return this.context.serviceWorkers().find(ours) ?? this.context.waitForEvent("serviceworker", ours);
  }

  /**
   * Takes the browser back to what it was when it was launched: one tab in one window, no extension, cookies, storages,
   * permissions or listeners. Throws what could not be taken away; the browser is of no use then.
   */
  async reset(): Promise<void> {
    const left = listening(this.context);
    const before = this.context.pages();
    const processes = (await renderers(this.#browser)).filter((pid) => !this.#own.includes(pid));
    const [page] = await Promise.all([this.context.newPage(), this.#uninstall()]);
    const [tab] = await Promise.all([this.context.newCDPSession(page), ...before.map((at) => at.close())]);
    // Shared workers in the process of a page that hangs do not end with it.
    for (const { type, targetId } of await this.#targets())
      if (type === "shared_worker") await this.#browser.send("Target.closeTarget", { targetId });
    await tab.send("ServiceWorker.enable");
    await Promise.all([
      tab.send("ServiceWorker.stopAllWorkers"),
      this.context.clearCookies(),
      this.context.clearPermissions(),
      tab.send("Network.clearBrowserCache"),
      tab.send("Storage.clearDataForOrigin", { origin: "*", storageTypes: "all" }),
      rm(join(this.profile, "NativeMessagingHosts"), { recursive: true, force: true }),
    ]);
    const { windowId } = await windowOf(page);
    await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
    await this.#browser.send("Browser.setWindowBounds", { windowId, bounds: this.#size() });
    left.push(...(await this.#leftBehind(page)));
    left.push(...(await this.#end(processes)));
    await tab.detach();
    if (left.length > 0) throw new Error(`this test left in the browser: ${left.join("; ")}`);
  }

  async close(): Promise<void> {
    await this.context.close();
    await rm(this.profile, { recursive: true, force: true, maxRetries: 3 });
  }

  async #uninstall(): Promise<void> {
    if (this.#id !== undefined) await send(this.#browser, "Extensions.uninstall", { id: this.#id });
    this.#id = undefined;
  }

  /** The bounds of the window at launch, without its state: both at once are refused. */
  #size(): object {
    const { windowState: _, ...size } = this.#window.bounds as { windowState?: string };
    return size;
  }

  /** The documents and workers that are there; not the browser's own. */
  async #targets(): Promise<Target[]> {
    const { targetInfos } = await this.#browser.send("Target.getTargets");
    return targetInfos.filter(({ type }) => type !== "browser_ui");
  }

  /**
   * Ends processes of pages that are gone, and returns those that stay. One that hangs outlives its page by half a second: a
   * frame of the next test that is of the same site would be put into it, and never load.
   */
  async #end(processes: number[]): Promise<string[]> {
    const end = Date.now() + GONE_WITHIN_MS;
    for (;;) {
      const still = (await renderers(this.#browser)).filter((pid) => processes.includes(pid));
      if (still.length === 0 || Date.now() > end) return still.map((pid) => `process ${pid}`);
      still.forEach(kill);
      await pause(5);
    }
  }

  /** What is there beside one empty tab, after waiting for what needs a moment to go. */
  async #leftBehind(page: Page): Promise<string[]> {
    const end = Date.now() + GONE_WITHIN_MS;
    for (;;) {
      const left: string[] = [];
      // One that was opened at last is known only now.
      const late = this.context.pages().filter((at) => at !== page);
      await Promise.all(late.map((at) => at.close()));
      const others = await this.#targets();
      const own = others.findIndex(({ type, url }) => type === "page" && url === "about:blank");
      if (own >= 0) others.splice(own, 1);
      left.push(...others.map(({ type, url }) => `${type} ${url}`));
      if (own < 0) left.push("no empty tab");
      const { cookies } = await this.#browser.send("Storage.getCookies");
      left.push(...cookies.map(({ name, domain }) => `cookie ${name} of ${domain}`));
      const { bounds } = await windowOf(page);
      if (JSON.stringify(bounds) !== JSON.stringify(this.#window.bounds))
        left.push(`window ${JSON.stringify(bounds)} instead of ${JSON.stringify(this.#window.bounds)}`);
      if (left.length === 0 || Date.now() > end) return left;
      await pause(20);
    }
  }
}

/** The processes of pages. */
async function renderers(browser: CDPSession): Promise<number[]> {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}

export async function windowOf(page: Page): Promise<Window> {
  const session = await page.context().newCDPSession(page);
  const window = await session.send("Browser.getWindowForTarget");
  await session.detach();
  return window;
}

/** Sends what the protocol has and the types of the runner do not, yet. */
async function send<T>(session: CDPSession, method: string, params: object = {}): Promise<T> {
  return (session.send as unknown as (method: string, params: object) => Promise<T>).call(session, method, params);
}

/** What is known of a test when it has ended. */
type Outcome = Pick<TestInfo, "status" | "expectedStatus">;

/** The browser of the tests of one Playwright worker, launched when one needs it. */
export class SharedChromium {
  readonly #launch: Launch;
  #ready: Chromium | undefined;

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  /** Runs one test in the browser. When it failed, or left something, the next test gets another browser. */
  async lend(test: Outcome, use: (chromium: Chromium) => Promise<void>): Promise<void> {
    const chromium = this.#ready ?? (await this.#start());
    this.#ready = undefined;
    try {
      await use(chromium);
      if (test.status === test.expectedStatus) {
        await chromium.reset();
        this.#ready = chromium;
      }
    } finally {
      if (this.#ready !== chromium) await chromium.close();
    }
  }

  async close(): Promise<void> {
    await this.#ready?.close();
    this.#ready = undefined;
  }

  async #start(): Promise<Chromium> {
    const launched = await Chromium.launch(this.#launch);
    guard(launched.context);
    return launched;
  }
}

/**
 * A browser without the extension, with one tab for the tests of one Playwright worker. The extension and a process for its
 * tab are most of what a test costs; here both are done without.
 */
export class PlainChromium {
  #browser: Promise<Browser> | undefined;
  #context: BrowserContext | undefined;

  /** Runs one test in the tab. When it failed, or left something, the next test gets another context. */
  async lend(test: Outcome, use: (page: Page) => Promise<void>): Promise<void> {
    const context = this.#context ?? (await this.#start());
    this.#context = undefined;
    try {
      const [page] = context.pages();
      if (!page) throw new Error("the context has no tab");
      await use(page);
      if (test.status === test.expectedStatus) {
        await reset(context, page);
        this.#context = context;
      }
    } finally {
      if (this.#context !== context) await this.#discard(context);
    }
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close();
  }

  /** A native dialog that a test that failed left open can keep its context open, too. */
  async #discard(context: BrowserContext): Promise<void> {
    const closed = context.close().then(() => true);
    if (await Promise.race([closed, pause(DISCARD_MS, false)])) return;
    const browser = await this.#browser;
    this.#browser = undefined;
    await Promise.race([browser?.close(), pause(DISCARD_MS)]);
  }

  async #start(): Promise<BrowserContext> {
    this.#browser ??= chromium.launch({
      executablePath: findChromium() ?? "",
      // Frames of other sites are in the process of their page: one session of the protocol reaches all.
      args: [
        `--disable-features=${[...FEATURES, "IsolateOrigins", "site-per-process"].join(",")}`,
        "--disable-site-isolation-trials",
        ...TEST_FLAGS,
      ],
    });
    const context = await (await this.#browser).newContext();
    guard(context);
    await context.newPage();
    return context;
  }
}

/** Takes a context back to what it was at first: one tab without a history, and nothing stored. */
async function reset(context: BrowserContext, page: Page): Promise<void> {
  const left = listening(context);
  const others = context.pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  await page.goto("about:blank", { timeout: GONE_WITHIN_MS });
  const tab = await context.newCDPSession(page);
  await Promise.all([
    tab.send("Page.resetNavigationHistory"),
    tab.send("Storage.clearDataForOrigin", { origin: "*", storageTypes: "all" }),
    context.clearCookies(),
    context.clearPermissions(),
  ]);
  await tab.detach();
  if (left.length > 0) throw new Error(`this test left in the browser: ${left.join("; ")}`);
}

/** Has the methods of a context whose effect cannot be taken back throw, and say what to do instead. */
function guard(context: BrowserContext): void {
  for (const method of FOR_EVER) {
    context[method] = () => {
      throw new Error(`context.${method} would change the browser for the tests to come; use ownBrowser`);
    };
  }
}

/** What still listens to a context, in words. */
function listening(context: BrowserContext): string[] {
  return EVENTS.flatMap((event) => {
    // It is there, but for the public type.
    const count = (context as unknown as { listenerCount(event: string): number }).listenerCount(event);
    return count > 0 ? [`${count} listeners of the context for ${event}`] : [];
  });
}
