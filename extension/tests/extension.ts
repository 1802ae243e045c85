import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, type Page, type Worker, test as base } from "@playwright/test";
import { Chromium, SharedChromium } from "./chromium.ts";
import { FakeDaemon } from "./daemon.ts";
import { Site } from "./site.ts";

export const LAUNCH = { height: 807 };

const DIST = fileURLToPath(new URL("../dist", import.meta.url));

/** The browser with the extension, as a test uses it. */
export interface Browser {
  context: BrowserContext;
  /** A tab. */
  page: Page;
  /** The extension's id. */
  id: string;
  worker(): Promise<Worker>;
  /** Opens popup.html or options.html in a tab. */
  open(file: string): Promise<Page>;
  /** The extension's number for a page's tab. */
  tab(page: Page): Promise<number>;
  /** Switches settings on as the popup would. */
  set(values: Record<string, unknown>): Promise<void>;
  /** What the extension keeps in storage.session. */
  stored(): Promise<Record<string, unknown>>;
  /** Stops the worker as Chrome does when it is idle. */
  killWorker(): Promise<void>;
}

interface Options {
  /** Whether the daemon runs when the browser starts. */
  daemonUp: boolean;
  /** Whether the browser finds the native messaging host, as after "gasoline setup browser". */
  native: boolean;
  /** Chrome shows the extension every request, as after the switch in the options and a new start of the browser. */
  networkDetail: boolean;
  /** Chrome tells the extension of downloads, as after the switch in the options. */
  downloads: boolean;
  /** Every site is granted, as after the popup's button; a prompt cannot be answered headless. */
  allSites: boolean;
  /** The test changes the browser in ways that are not taken back. Others share one, with the extension installed anew. */
  ownBrowser: boolean;
  /** Flags of the browser that are left out: it is as a user's is there, and the test's own. */
  without: string[];
}

interface Fixtures {
  daemon: FakeDaemon;
  site: Site;
  browserWithExtension: Browser;
}

export const test = base.extend<Options & Fixtures, { shared: SharedChromium }>({
  daemonUp: [true, { option: true }],
  native: [true, { option: true }],
  allSites: [false, { option: true }],
  networkDetail: [false, { option: true }],
  downloads: [false, { option: true }],
  ownBrowser: [false, { option: true }],
  without: [[], { option: true }],

  daemon: async ({ daemonUp }, use) => {
    const daemon = new FakeDaemon();
    await daemon.start(0);
    if (!daemonUp) await daemon.stop();
    await use(daemon);
    await daemon.stop();
  },

  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
  site: async ({}, use) => {
    const site = new Site();
    await site.start();
    await use(site);
    await site.stop();
  },

  shared: [
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const shared = new SharedChromium(LAUNCH);
      await use(shared);
      await shared.close();
    },
    { scope: "worker" },
  ],

  browserWithExtension: async (
    { daemon, daemonUp, native, allSites, networkDetail, downloads, ownBrowser, without, shared },
    use,
    testInfo,
  ) => {
    const { home, extension } = await unpack(daemon.port);
    if (allSites) await grantAll(join(extension, "manifest.json"));
    if (networkDetail) await permit(join(extension, "manifest.json"), "webRequest");
    if (downloads) await permit(join(extension, "manifest.json"), "downloads");
    const serve = async (chromium: Chromium): Promise<void> => {
      if (native) await installHost(chromium.profile, daemon);
      const { id } = await chromium.install(extension);
      // It speaks to the daemon only after its listeners are registered; what a page did before would not be seen.
      if (daemonUp && native) await daemon.until("the worker is up", () => daemon.settings);
      await use(browserOf(chromium, id));
    };
    if (ownBrowser || without.length > 0) {
      const chromium = await Chromium.launch({ ...LAUNCH, without });
      try {
        await serve(chromium);
      } finally {
        await chromium.close();
      }
    } else await shared.lend(testInfo, serve);
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  },
});

export function browserOf(chromium: Chromium, id: string): Browser {
  const { context, page } = chromium;
  const worker = (): Promise<Worker> => chromium.worker();
  return {
    context,
    page,
    id,
    worker,
    open: async (file) => {
      const opened = await context.newPage();
      await opened.goto(`chrome-extension://${id}/${file}`);
      return opened;
    },
    tab: async (of) => {
      const url = of.url();
      return (await worker()).evaluate(
        async (wanted) => (await chrome.tabs.query({})).find((tab) => tab.url === wanted)?.id ?? 0,
        url,
      );
    },
    set: async (values) => {
      await (await worker()).evaluate((given) => chrome.storage.local.set(given), values);
    },
    stored: async () => (await worker()).evaluate(() => chrome.storage.session.get(null)),
    killWorker: async () => {
      const helper = await context.newPage();
      await helper.goto(`chrome-extension://${id}/config.json`);
      const session = await context.newCDPSession(helper);
      await session.send("ServiceWorker.enable");
      await session.send("ServiceWorker.stopAllWorkers");
      await session.detach();
      await helper.close();
    },
  };
}

export { expect } from "@playwright/test";

/** A copy of the built extension that looks for its daemon on a port, in a folder of its own that is to be removed. */
export async function unpack(port: number): Promise<{ home: string; extension: string }> {
  const home = await mkdtemp(join(tmpdir(), "gasoline-ext-"));
  const extension = join(home, "extension");
  await cp(DIST, extension, { recursive: true });
  await writeFile(join(extension, "config.json"), JSON.stringify({ port }));
  return { home, extension };
}

/** Puts a native messaging host into a profile that hands over a key of the daemon, each time the same. */
export async function installHost(profile: string, daemon: FakeDaemon): Promise<void> {
  const hosts = join(profile, "NativeMessagingHosts");
  await mkdir(hosts, { recursive: true });
  const answer = new TextEncoder().encode(JSON.stringify(daemon.native()));
  const framed = new Uint8Array(4 + answer.length);
  new DataView(framed.buffer).setUint32(0, answer.length, true);
  framed.set(answer, 4);
  await writeFile(join(hosts, "answer"), framed);
  await writeFile(join(hosts, "host"), `#!/bin/sh\nexec cat '${join(hosts, "answer")}'\n`, { mode: 0o700 });
  const { id } = JSON.parse(await readFile(new URL("../id.json", import.meta.url), "utf8")) as { id: string };
  const manifest = {
    name: "com.brennhill.gasoline",
    description: "The host of a test.",
    path: join(hosts, "host"),
    type: "stdio",
    allowed_origins: [`chrome-extension://${id}/`],
  };
  await writeFile(join(hosts, `${manifest.name}.json`), JSON.stringify(manifest));
}

async function permit(path: string, permission: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path, "utf8")) as { permissions: string[] };
  manifest.permissions.push(permission);
  await writeFile(path, JSON.stringify(manifest));
}

/** Makes a manifest grant every site. */
export async function grantAll(path: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
  manifest["host_permissions"] = ["<all_urls>"];
  manifest["optional_host_permissions"] = [];
  await writeFile(path, JSON.stringify(manifest));
}
