import { readdir } from "node:fs/promises";
import { Chromium, SharedChromium } from "./chromium.ts";
import { type Browser, LAUNCH, browserOf, expect, installHost, test as base } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";
import type { Site } from "./site.ts";

// The tests of the browser that the other tests share: what one of them did is not there for the next.

const test = base.extend<{ chromium: Chromium; install: () => Promise<Browser> }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
  chromium: async ({}, use) => {
    const chromium = await Chromium.launch(LAUNCH);
    await use(chromium);
    await chromium.close();
  },

  install: async ({ chromium, daemon, door, folder }, use) => {
    await use(async () => {
      await installHost(chromium.profile, door);
      daemon.settings = undefined;
      const { id } = await chromium.install(folder);
      await daemon.until("the worker is up", () => daemon.settings);
      return browserOf(chromium, id);
    });
  },
});

/** What a test finds in its browser, without what is never the same twice: ids, keys and times. */
async function found(chromium: Chromium, browser: Browser, site: Site): Promise<object> {
  const worker = await browser.worker();
  await expect.poll(() => worker.evaluate(() => chrome.action.getTitle({}))).toContain("connected");
  const extension = await worker.evaluate(async () => {
    const { connection, ...session } = await chrome.storage.session.get<Record<string, { phase?: string }>>(null);
    const tabs = await chrome.tabs.query({});
    const [tab] = tabs;
    return {
      local: Object.keys(await chrome.storage.local.get(null)),
      phase: connection?.phase,
      session: Object.keys(session).sort(),
      permissions: await chrome.permissions.getAll(),
      alarms: (await chrome.alarms.getAll()).map(({ name, periodInMinutes }) => ({ name, periodInMinutes })),
      scripts: await chrome.scripting.getRegisteredContentScripts(),
      badge: [await chrome.action.getBadgeText({}), await chrome.action.getTitle({})],
      tabs: tabs.map(({ url, index, active, pinned, mutedInfo }) => ({ url, index, active, pinned, mutedInfo })),
      zoom: tab?.id === undefined ? 0 : await chrome.tabs.getZoom(tab.id),
      windows: (await chrome.windows.getAll()).map((window) => ({ ...window, id: 0 })),
      attached: (await chrome.debugger.getTargets()).filter(({ attached, extensionId }) => attached && extensionId),
    };
  });
  const { page } = browser;
  await page.goto(site.url("/"));
  const atSite = await page.evaluate(async () => ({
    cookies: document.cookie,
    local: Object.keys(localStorage),
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    permissions: await Promise.all(
      ["geolocation", "notifications", "clipboard-read"].map(
        async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state,
      ),
    ),
    window: [innerWidth, innerHeight, outerWidth, outerHeight, screenX, screenY, devicePixelRatio],
    history: history.length,
  }));
  await page.goto("about:blank");
  return { extension, atSite, hosts: await readdir(`${chromium.profile}/NativeMessagingHosts`) };
}

/** Changes everything that a test can change. */
async function use(browser: Browser, site: Site, daemon: FakeDaemon): Promise<void> {
  const { context, page } = browser;
  await browser.set({ pilot: true, bodies: true, scriptHosts: ["https://app.example"], port: daemon.port });
  await context.grantPermissions(["geolocation", "notifications", "clipboard-read"]);
  await page.goto(site.url("/"));
  await page.evaluate(async () => {
    document.cookie = "left=1; max-age=1000";
    localStorage.setItem("left", "1");
    sessionStorage.setItem("left", "1");
    await new Promise((done) => (indexedDB.open("left").onsuccess = done));
    await (await caches.open("left")).put("/x", new Response("x"));
    await navigator.serviceWorker.register("/worker.js");
    await navigator.serviceWorker.ready;
    new SharedWorker("/worker.js");
  });
  const opened = context.waitForEvent("page");
  await page.evaluate(() => void open("/", "_blank", "popup,width=300,height=300"));
  const popup = await opened;
  await browser.open("options.html");
  const tab = await browser.tab(page);
  await (
    await browser.worker()
  ).evaluate(async (tabId) => {
    await chrome.storage.local.set({ left: 1 });
    await chrome.storage.session.set({ left: 1 });
    await chrome.alarms.create("left", { periodInMinutes: 1 });
    await chrome.scripting.registerContentScripts([
      { id: "left", js: ["content.js"], matches: ["http://localhost/*"], persistAcrossSessions: true },
    ]);
    await chrome.permissions.request({ permissions: ["webRequest"] }).catch(() => false); // wants a gesture, outside of tests
    await chrome.action.setBadgeText({ text: "left" });
    await chrome.action.setTitle({ title: "left" });
    await chrome.tabs.update(tabId, { pinned: true, muted: true });
    const window = await chrome.windows.create({ url: "about:blank", width: 500, height: 400 });
    if (window?.id !== undefined) await chrome.windows.update(window.id, { state: "maximized" });
    await chrome.debugger.attach({ tabId }, "1.3");
  }, tab);
  await popup.evaluate(() => void setTimeout(() => alert("left")));
  await page.evaluate(() => {
    onbeforeunload = () => "stay";
    setTimeout(() => {
      for (;;); // the tab answers nobody any more
    });
  });
}

test("after a reset the browser is as it was at first, whatever a test did", async ({
  chromium,
  install,
  daemon,
  site,
}) => {
  site.page("/", "<title>Site</title>");
  site.page("/worker.js", { body: "onfetch = () => {}", type: "text/javascript" });
  const fresh = await install();
  const before = await found(chromium, fresh, site);
  await chromium.reset();
  const second = await install();
  expect(await found(chromium, second, site)).toEqual(before);
  await use(second, site, daemon);
  await chromium.reset();
  expect(await found(chromium, await install(), site)).toEqual(before);
});

test("what a test still waits for, or listens to, is named, and the next test gets another browser", async () => {
  const shared = new SharedChromium(LAUNCH);
  try {
    const contexts: unknown[] = [];
    const run = (then: (chromium: Chromium) => void, status: "passed" | "failed" = "passed"): Promise<void> =>
      shared.lend({ status, expectedStatus: "passed" }, async (chromium) => {
        contexts.push(chromium.context);
        then(chromium);
      });
    await run(() => {});
    await run(({ context }) => void context.on("request", () => {})).then(
      () => expect("it").toBe("refused"),
      (error: Error) =>
        expect(error.message).toBe("this test left in the browser: 1 listeners of the context for request"),
    );
    await run(() => {}, "failed");
    await run(({ context }) => {
      expect(() => context.addInitScript("")).toThrow("use ownBrowser");
      expect(() => context.route("**", () => {})).toThrow("use ownBrowser");
    });
    const [first, left, failed, last] = contexts;
    expect(first).toBe(left);
    expect(failed).not.toBe(left);
    expect(last).not.toBe(failed);
  } finally {
    await shared.close();
  }
});

test("the browser does without all that it does without for Playwright", async ({ chromium }) => {
  await chromium.page.goto("chrome://version");
  const line = (await chromium.page.locator("#command_line").textContent()) ?? "";
  const lists = [...line.matchAll(/--disable-features=(\S+)/g)].map(([, list = ""]) => list.split(","));
  expect(lists).toHaveLength(2);
  expect(lists[1]).toEqual(expect.arrayContaining(lists[0] ?? []));
});

test("a page of another context of the protocol is closed, too", async ({ chromium, site }) => {
  const url = site.page("/", "x");
  const session = await chromium.context.browser()?.newBrowserCDPSession();
  const apart = await session?.send("Target.createBrowserContext");
  await session?.send("Target.createTarget", { url, ...apart });
  await chromium.reset();
  const left = (await session?.send("Target.getTargets"))?.targetInfos.filter(({ type }) => type === "page");
  expect(left?.map((target) => target.url)).toEqual(["about:blank"]);
});

test("a frame of a test is not put into the process in which a frame of the test before hangs", async ({
  chromium,
  install,
  daemon,
  site,
}) => {
  const hangs = "setTimeout(() => { parent.postMessage('hangs', '*'); setTimeout(() => { for (;;); }) }, 500)";
  site.page("/hangs", `<script>${hangs}</script>`);
  site.page("/loads", "<script>parent.postMessage('loaded', '*')</script>");
  const around = (path: string): string =>
    site.page(
      "/",
      `<script>onmessage = ({ data }) => (document.title = data)</script><iframe src="${site.url(path, "localhost")}"></iframe>`,
    );
  for (let i = 0; i < 2; i++) {
    const browser = await install();
    await chromium.page.goto(around("/hangs"));
    await expect(chromium.page).toHaveTitle("hangs");
    await daemon.command("list_interactive", {}, { tab: await browser.tab(chromium.page), timeoutMS: 2000 });
    await chromium.reset();
    await install();
    await chromium.page.goto(around("/loads"), { waitUntil: "commit" });
    await expect(chromium.page).toHaveTitle("loaded");
    await chromium.reset();
  }
});
