// Every test has its own daemon, state directory, site and MCP client, and all of them are gone when it ends, however
// it ends. Tests share a browser, where each has the extension installed anew and leaves nothing behind.
import { test as base, type Page } from "@playwright/test";
import { type Chromium, SharedChromium } from "../../../extension/tests/chromium.ts";
import { LOCAL_NAMES } from "../../../scripts/chromium.mjs";
import { type Agent, agent as connect, Browser, extensionCopy, Place, until } from "../../harness.ts";
import { Site } from "./site.ts";

export { expect, type Page } from "@playwright/test";
export { brief } from "../../../extension/tests/brief.ts";
export { type Agent, agent as connect, Browser, Place, PROGRAM, until } from "../../harness.ts";
export { Site } from "./site.ts";

/** Names of sites of tests lead to this machine. */
const FLAGS = [`--host-resolver-rules=MAP *.test 127.0.0.1, ${LOCAL_NAMES}`];

interface Options {
  /** "AI Web Pilot" is on. */
  pilot: boolean;
  /** "Capture bodies" is on. */
  bodies: boolean;
  /** Sites beyond loopback that are granted, as match patterns. */
  hosts: string[];
  /** "Network detail" is on. */
  networkDetail: boolean;
  /** The test ends the browser, or changes it in ways that are not taken back. */
  ownBrowser: boolean;
  /** Flags of Playwright's own that are left out, in a browser of the test's own. */
  without: string[];
  /** Further flags of Chromium, in a browser of the test's own. */
  flags: string[];
}

interface Fixtures {
  /** A running daemon. */
  place: Place;
  site: Site;
  /** A browser profile with the extension, paired with the place's daemon. */
  profile: Browser;
  /** Its first tab. */
  tab: Page;
  /** An MCP client on stdio. */
  agent: Agent;
}

export const test = base.extend<Options & Fixtures, { shared: SharedChromium }>({
  pilot: [false, { option: true }],
  bodies: [false, { option: true }],
  hosts: [[], { option: true }],
  networkDetail: [false, { option: true }],
  ownBrowser: [false, { option: true }],
  without: [[], { option: true }],
  flags: [[], { option: true }],

  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
  place: async ({}, use) => {
    const place = await Place.make();
    try {
      await place.serve();
      await use(place);
    } finally {
      await place.remove();
    }
  },

  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
  site: async ({}, use) => {
    const site = await Site.start();
    await use(site);
    await site.stop();
  },

  shared: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
    async ({}, use) => {
      const shared = new SharedChromium({ height: 887, flags: FLAGS });
      await use(shared);
      await shared.close();
    },
    { scope: "worker" },
  ],

  profile: async (
    { place, pilot, bodies, hosts, networkDetail, ownBrowser, without, flags, shared },
    use,
    testInfo,
  ) => {
    const serve = async (browser: Browser): Promise<void> => {
      await connected(place);
      await settings(browser, { pilot, bodies });
      await use(browser);
    };
    if (ownBrowser || without.length + flags.length > 0) {
      const args = [...FLAGS, ...flags];
      const browser = await Browser.launch(place, { hosts, networkDetail, args, ignoreDefaultArgs: without });
      try {
        await serve(browser);
      } finally {
        await browser.close();
      }
      return;
    }
    const install = async (chromium: Chromium): Promise<void> => {
      await place.setUp(chromium.profile);
      const { worker } = await chromium.install(extensionCopy(place, hosts, networkDetail));
      await serve(new Browser(chromium.context, worker, chromium.profile));
    };
    await shared.lend(testInfo, install);
  },

  tab: async ({ profile }, use) => {
    await use(profile.context.pages()[0] ?? (await profile.page()));
  },

  agent: async ({ place }, use) => {
    const agent = await connect(place);
    await use(agent);
    await agent.close();
  },
});

/** Waits until the daemon has n browsers that can be asked. */
export async function connected(place: Place, n = 1): Promise<void> {
  await until(
    `${n} connected browsers`,
    () => health(place),
    (h) => h.browsers.length === n,
  );
}

interface Health {
  run: string;
  /** a line for each that is connected */
  browsers: string[];
}

/** What the daemon says of itself to the user's own programs. */
export async function health(place: Place): Promise<Health> {
  const full = (await place
    .fetch("/health")
    .then((r) => r.json())
    .catch(() => ({}))) as { server?: { run: string }; browsers?: string[] };
  return { run: full.server?.run ?? "", browsers: full.browsers ?? [] };
}

/** Sets the switches where the popup keeps them. */
export async function settings(browser: Browser, values: { pilot?: boolean; bodies?: boolean }): Promise<void> {
  await browser.worker.evaluate((given) => chrome.storage.local.set(given), values);
}

/** Waits until the daemon knows that browser control is on: it hears of the switch a moment after the user pressed it. */
export async function pilotOn(agent: Agent): Promise<void> {
  await until(
    "browser control is on",
    () => agent.ask("observe", { what: "pilot" }),
    (text) => text.startsWith("pilot: on"),
  );
}

/** Brings a page to the front and waits until the daemon knows its tab by this URL, which takes a moment after a load. Returns its id. */
export async function front(agent: Agent, page: Page): Promise<number> {
  await page.bringToFront();
  const url = page.url();
  const list = () => agent.json<{ tabs: { id: number; url: string; active: boolean }[] }>("observe", { what: "tabs" });
  const { tabs } = await until(`a tab with ${url} in front`, list, (l) =>
    l.tabs.some((t) => t.active && t.url === url),
  );
  return tabs.find((t) => t.active && t.url === url)!.id;
}
