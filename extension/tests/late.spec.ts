import { type Page, chromium } from "@playwright/test";
import { findChromium, LOCAL_NAMES, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { test as base, expect } from "./extension.ts";

interface Browser {
  page: Page;
  /** Installs the extension into the browser that runs. */
  install(): Promise<void>;
  /** Switches settings on as the popup would. */
  set(values: Record<string, unknown>): Promise<void>;
  /** Stops the worker as Chrome does when it is idle. */
  killWorker(): Promise<void>;
}

const test = base.extend<{ browserWithout: Browser }>({
  browserWithout: async ({ daemon, folder, profile }, use) => {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium() ?? "",
      headless: true,
      ignoreDefaultArgs: ["--disable-extensions"],
      args: [
        ...TEST_FLAGS,
        "--enable-unsafe-extension-debugging",
        `--host-resolver-rules=MAP app.test 127.0.0.1, ${LOCAL_NAMES}`,
      ],
    });
    const session = await context.browser()?.newBrowserCDPSession();
    const worker = async () => context.serviceWorkers()[0] ?? context.waitForEvent("serviceworker");
    await use({
      set: async (values) => {
        await (await worker()).evaluate((given) => chrome.storage.local.set(given), values);
      },
      killWorker: async () => {
        const ours = await context.newPage();
        await ours.goto(new URL("config.json", (await worker()).url()).href);
        const line = await context.newCDPSession(ours);
        await line.send("ServiceWorker.enable");
        await line.send("ServiceWorker.stopAllWorkers");
        await ours.close();
      },
      page: context.pages()[0] ?? (await context.newPage()),
      install: async () => {
        // The protocol has it; the types of the runner do not yet.
        const send = session?.send.bind(session) as unknown as (method: string, params: object) => Promise<unknown>;
        await send("Extensions.loadUnpacked", { path: folder });
        await daemon.until("the worker is up", () => daemon.settings);
      },
    });
    await context.close();
  },
});

const TALK = `setInterval(() => console.log("said"), 50)`;

test("a page that was open before the extension is captured from then on, and says so", async ({
  daemon,
  site,
  browserWithout: browser,
}) => {
  await browser.page.goto(site.page("/", `<button>B</button><script>${TALK}</script>`));
  await browser.install();
  const group = await daemon.until("it", () =>
    daemon.groups.find((at) => at.logs?.some((log) => log.message === "said")),
  );
  expect(group.since).toBe("late");
  await browser.page.evaluate(() => fetch("/api?token=verysecret"));
  const exchange = await daemon.until("the request", () =>
    daemon.events("network").find((at) => at.url.includes("/api")),
  );
  expect(exchange.url).toMatch(/token=<token:[0-9a-f]{8}>$/);
  expect(exchange).toMatchObject({ status: 404, initiator: { type: "fetch" } });
  await browser.page.click("button");
  await daemon.until("the click", () => daemon.events("actions").find((at) => at.type === "click"));
});

test("a page that was there first and takes the place of our script learns no secret, and tells nothing but what pages tell", async ({
  daemon,
  site,
  browserWithout: browser,
}) => {
  await browser.page.goto(
    site.page(
      "/",
      `<script>
        heard = [];
        document.fonts.addEventListener("gasoline-channel", (event) => {
          const target = event.relatedTarget;
          if (!target) return;
          event.stopImmediatePropagation();
          target.addEventListener("down", ({ detail }) => heard.push(detail));
          target.dispatchEvent(new CustomEvent("taken"));
          const at = { t: Date.now(), mono: performance.now() };
          const records = [
            { kind: "actions", event: { ...at, type: "click", by: "user", name: "forged" } },
            { kind: "lifecycle", event: { ...at, state: "forged" } },
            { kind: "logs", event: { ...at, level: "log", message: "its own" } },
          ];
          target.dispatchEvent(new CustomEvent("up", { detail: JSON.stringify({ records }) }));
        }, true);
      </script>`,
    ),
  );
  await browser.install();
  await daemon.until("what it may say", () => daemon.events("logs").find((log) => log.message === "its own"));
  await expect.poll(() => browser.page.evaluate("heard.join()")).toContain("lateSince");
  expect(await browser.page.evaluate("heard.join()")).not.toContain("salt");
  await browser.page.click("body");
  await daemon.until("the click", () => daemon.events("actions").find((at) => at.type === "click"));
  expect(JSON.stringify(daemon.groups)).not.toContain("forged");
});

test.describe("with every site granted by the manifest", () => {
  test.use({ allSites: true });
  test("a page that is not of this machine and was open before the scripts were registered is captured, too", async ({
    daemon,
    site,
    browserWithout: browser,
  }) => {
    const url = site.page("/", `<button>B</button><script>${TALK}</script>`).replace("127.0.0.1", "app.test");
    await browser.page.goto(url);
    await browser.install();
    const group = await daemon.until("it", () =>
      daemon.groups.find((at) => at.logs?.some((log) => log.message === "said")),
    );
    expect(group).toMatchObject({ since: "late", page_url: url });
    await browser.page.reload();
    await daemon.until("it from its beginning", () =>
      daemon.groups.find((at) => at.since === "document_start" && at.logs?.some((log) => log.message === "said")),
    );
  });

  test("of a granted site nothing is lost and nothing comes twice while its worker dies and starts, and acts work each time", async ({
    daemon,
    site,
    browserWithout: browser,
  }) => {
    await browser.install();
    await browser.set({ pilot: true });
    const url = site
      .page(
        "/",
        `<title>Far</title><button onclick="console.log('press ' + ++p)">Press</button><script>
          n = p = 0; talk = setInterval(() => console.log("tick " + n++), 100)</script>`,
      )
      .replace("127.0.0.1", "app.test");
    await browser.page.goto(url);
    const said = (word: string) =>
      daemon
        .events("logs")
        .map(({ message }) => message)
        .filter((message) => message.startsWith(word));
    const { id: tab } = await daemon.until("the tab", () => daemon.tabs.find((at) => at.url === url));
    for (let life = 1; life <= 4; life++) {
      const before = said("tick").length;
      await daemon.until("it talks", () => said("tick").length > before + 5);
      const trusted = life % 2 ? "always" : "never";
      const press = await daemon.command("click", { selector: "text=Press", trusted }, { tab });
      expect(press.error, `life ${life}`).toBeUndefined();
      expect(said("press"), `life ${life}`).toHaveLength(life);
      await browser.killWorker();
      // What happens while no worker runs is there later, too.
      await browser.page.evaluate((life) => console.log(`between ${life}`), life);
    }
    const count = Number(await browser.page.evaluate("clearInterval(talk), console.log('over'), n"));
    await daemon.until("the last line", () => said("over").length > 0);
    expect(said("tick")).toEqual(Array.from({ length: count }, (_, i) => `tick ${i}`));
    expect(said("between")).toEqual([1, 2, 3, 4].map((life) => `between ${life}`));
    expect(said("press")).toEqual([1, 2, 3, 4].map((life) => `press ${life}`));
    const groups = daemon.groups.filter((group) => group.page_url === url);
    expect(groups.map(({ since }) => since)).toEqual(["document_start"]);
    const lost = daemon.syncs
      .flatMap((sync) => sync.groups ?? [])
      .flatMap(({ dropped = {} }) => Object.values(dropped));
    expect(lost).toEqual([]);
  });
});

test("a page that replaced what scripts use, before the extension came, is told as one without our script, goes on, and is read and operated", async ({
  daemon,
  site,
  browserWithout: browser,
}) => {
  await browser.page.goto(
    site.page(
      "/",
      `<!doctype html><title>Replaced</title><button onclick="this.textContent = 'Pressed'">Press</button><input><script>
        threw = [];
        addEventListener("error", (event) => threw.push(event.message));
        addEventListener("unhandledrejection", (event) => threw.push(String(event.reason)));
        setInterval(() => console.log("goes on"), 100);
        const no = () => { throw new Error("replaced") };
        for (const name of ["push", "map", "forEach", "filter", "slice", "join", "includes", "indexOf", "splice", "concat"])
          Array.prototype[name] = no;
        for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"]) EventTarget.prototype[name] = no;
        Element.prototype.getBoundingClientRect = Element.prototype.checkVisibility = Document.prototype.querySelectorAll = no;
        Promise = no; JSON.parse = JSON.stringify = no;
        Object.defineProperty = Object.getOwnPropertyDescriptor = Reflect.apply = no;
      </script>`,
    ),
  );
  await browser.install();
  await browser.set({ pilot: true });
  const { id: tab } = await daemon.until("the tab", () => daemon.tabs.find((at) => at.title === "Replaced"));
  const list = await daemon.command("list_interactive", {}, { tab });
  expect(list.result.elements.map(({ label, tag }) => label || tag)).toEqual(["Press", "input"]);
  for (const trusted of ["never", "always"] as const) {
    expect(
      (await daemon.command("type", { selector: "input", text: trusted, trusted }, { tab })).error,
    ).toBeUndefined();
    expect(
      (await daemon.command("click", { ref: list.result.elements[1]?.ref ?? "", trusted }, { tab })).error,
    ).toBeUndefined();
  }
  const press = await daemon.command("click", { selector: "text=Press" }, { tab });
  expect(press.result.receipt?.changes?.join()).toContain("in the page");
  expect((await daemon.command("get_text", { selector: "button" }, { tab })).result.value).toBe("Pressed");
  await daemon.command("flush", {}, { tab });
  const group = daemon.groups.find((at) => at.tab === tab);
  expect(group?.since).toBe("late");
  expect(group?.actions?.map(({ type, by }) => `${type} ${by}`)).toContain("click agent");
  // Nothing of ours can start in its own world: that its lines do not come is told.
  expect(group?.logs ?? []).toEqual([]);
  expect(daemon.tabs.find((at) => at.id === tab)?.no_page_script).toBe("page");
  const session = await browser.page.context().newCDPSession(browser.page);
  const { result } = await session.send("Runtime.evaluate", { expression: "threw.length + (threw[0] || '')" });
  expect(result.value).toBe("0");
});
