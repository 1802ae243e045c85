import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, type Page, type Worker, expect, test as base } from "@playwright/test";
import type { NativeAnswer } from "@gasoline/schema/wire";
import { Chromium, PlainChromium, SharedChromium } from "./chromium.ts";
import { FakeDaemon } from "./daemon.ts";
import { Door } from "./door.ts";
import { type Variant, Unpacked } from "./unpacked.ts";
import { NodeHost } from "./node/host.ts";
import { Site } from "./site.ts";

export const LAUNCH = { height: 807 };

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

interface Options extends Variant {
  /** Whether the daemon runs when the browser starts. */
  daemonUp: boolean;
  /** Whether the browser finds the native messaging host, as after "gasoline setup browser". */
  native: boolean;
  /** The test changes the browser in ways that are not taken back. Others share one, with the extension installed anew. */
  ownBrowser: boolean;
  /** Flags of the browser that are left out: it is as a user's is there, and the test's own. */
  without: string[];
  /**
   * Where the extension's worker runs. In Node it is the same bundle, and pages are those of a plain browser: for what is
   * not about the extension itself. A test tagged @extension or with a browser of its own, and every test where
   * HOST=extension is set, has the extension.
   */
  host: "extension" | "node";
}

interface Fixtures {
  daemon: FakeDaemon;
  /** The unpacked extension that the test uses. */
  folder: string;
  /** A folder for the profile of a browser that the test launches itself, with the native messaging host. */
  profile: string;
  site: Site;
  browserWithExtension: Browser;
}

interface WorkerFixtures {
  shared: SharedChromium;
  door: Door;
  unpacked: Unpacked;
  plain: PlainChromium;
}

export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  daemonUp: [true, { option: true }],
  native: [true, { option: true }],
  allSites: [false, { option: true }],
  networkDetail: [false, { option: true }],
  downloads: [false, { option: true }],
  ownBrowser: [false, { option: true }],
  without: [[], { option: true }],
  host: ["extension", { option: true }],

  daemon: async ({ daemonUp, door }, use) => {
    const daemon = new FakeDaemon(door);
    if (daemonUp) daemon.start();
    await use(daemon);
    daemon.stop();
  },

  folder: async ({ unpacked, allSites, networkDetail, downloads }, use) => {
    await use(await unpacked.folder({ allSites, networkDetail, downloads }));
  },

  profile: async ({ door }, use) => {
    const profile = await mkdtemp(join(tmpdir(), "gasoline-profile-"));
    await installHost(profile, door);
    await use(profile);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
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

  door: [
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const door = await Door.open();
      await use(door);
      await door.close();
    },
    { scope: "worker" },
  ],

  unpacked: [
    async ({ door }, use) => {
      const unpacked = await Unpacked.make(door.port);
      await use(unpacked);
      await unpacked.remove();
    },
    { scope: "worker" },
  ],

  plain: [
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const plain = new PlainChromium();
      await use(plain);
      await plain.close();
    },
    { scope: "worker" },
  ],

  browserWithExtension: async (
    { daemon, daemonUp, door, folder, native, ownBrowser, without, shared, host, plain },
    use,
    testInfo,
  ) => {
    const inNode = host === "node" && process.env["HOST"] !== "extension" && !testInfo.tags.includes("@extension");
    if (inNode && !ownBrowser) {
      await plain.lend(testInfo, async (page) => {
        const host = await NodeHost.start(page, door);
        await daemon.until("the worker is up", () => daemon.settings);
        await use(host.browser());
        await host.stop();
      });
      return;
    }
    const serve = async (chromium: Chromium): Promise<void> => {
      if (native) await installHost(chromium.profile, door);
      const { id } = await chromium.install(folder);
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
export { brief } from "./brief.ts";

/** Allows user scripts as the user does, in the options and on Chrome's own page: in a browser of the test's own, for Chrome keeps it. */
export async function allowUserScripts(browser: Browser): Promise<void> {
  const options = await browser.open("options.html");
  await options.getByRole("button", { name: "Run scripts without the debugger bar" }).click();
  await expect(options.locator("#user-scripts")).toContainText("Switch on “Allow user scripts”");
  const extensions = await browser.context.newPage();
  await extensions.goto("chrome://extensions");
  await extensions.evaluate(
    (id) =>
      (
        chrome as unknown as { developerPrivate: { updateExtensionConfiguration(c: object): Promise<void> } }
      ).developerPrivate.updateExtensionConfiguration({ extensionId: id, userScriptsAccess: true }),
    browser.id,
  );
}

/** Puts a native messaging host into a profile that hands over a door's key, each time the same. */
export async function installHost(profile: string, { key: { id: key_id, key } }: Door): Promise<void> {
  const hosts = join(profile, "NativeMessagingHosts");
  await mkdir(hosts, { recursive: true });
  const told: NativeAnswer = { key_id, key: key.toString("hex") };
  const answer = new TextEncoder().encode(JSON.stringify(told));
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
