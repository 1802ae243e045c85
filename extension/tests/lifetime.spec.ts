import { FakeDaemon } from "./daemon.ts";
import { type Browser, expect, test } from "./extension.ts";

/** Waits until the extension has put an event aside, because the daemon is away. */
async function putAside(browser: Browser, message: string): Promise<void> {
  const spilled = async () => Object.entries(await browser.stored()).filter(([key]) => key.startsWith("spill:"));
  await expect.poll(async () => JSON.stringify(await spilled()), { message }).toContain(message);
}

test("the worker is killed while a page talks: nothing is lost, nothing comes twice", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.page.goto(
    site.page("/", `<script>n = 0; talk = setInterval(() => console.log("tick " + n++), 50)</script>`),
  );
  const ticks = () =>
    daemon
      .events("logs")
      .map((log) => log.message)
      .filter((message) => message.startsWith("tick "));
  await daemon.until("it talks", () => ticks().length > 5);
  for (let i = 0; i < 3; i++) {
    const before = ticks().length;
    await browser.killWorker();
    await daemon.until(`it is heard after kill ${i + 1}`, () => ticks().length > before);
  }
  const said = await browser.page.evaluate("clearInterval(talk), n");
  await daemon.until("the last tick", () => ticks().includes(`tick ${Number(said) - 1}`));
  expect(ticks()).toEqual(Array.from({ length: Number(said) }, (_, i) => `tick ${i}`));
});

test("commands go on after the worker died", async ({ daemon, site, browserWithExtension: browser }) => {
  await browser.page.goto(site.page("/", "<h1>Alive</h1>"));
  const tab = await browser.tab(browser.page);
  expect((await daemon.command("get_text", {}, { tab })).result.value).toBe("Alive");
  await browser.killWorker();
  expect((await daemon.command("get_text", {}, { tab })).result.value).toBe("Alive");
});

test("a worker that died in a real click leaves no debugger behind", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(
    site.page("/", `<button onclick="const end = Date.now() + 2500; while (Date.now() < end);">Block</button>`),
  );
  const tab = await browser.tab(browser.page);
  const held = async (): Promise<boolean> =>
    (await browser.worker()).evaluate(
      // The test holds a debugger of its own; only the extension's takes its commands.
      (tabId) =>
        chrome.debugger.sendCommand({ tabId }, "Target.getTargetInfo").then(
          () => true,
          () => false,
        ),
      tab,
    );
  daemon.send("click", { selector: "button", trusted: "always" }, { tab });
  await expect.poll(held).toBe(true);
  await browser.killWorker();
  await daemon.until("the worker is up", () => daemon.settings);
  await expect.poll(held).toBe(false);
});

test("the daemon is away and comes back: what happened meanwhile arrives, also from pages that are gone", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.page.goto(site.page("/a", `<script>console.log("before")</script>`));
  await daemon.until("before", () => daemon.events("logs").some((log) => log.message === "before"));
  daemon.stop();
  await browser.page.evaluate(() => console.log("while away"));
  await putAside(browser, "while away");
  await browser.page.goto(site.page("/b", `<script>console.log("second page")</script>`));
  await putAside(browser, "second page");
  await browser.killWorker();
  await browser.page.evaluate(() => console.log("after the kill"));
  daemon.start();
  await daemon.until("all", () =>
    ["while away", "second page", "after the kill"].every((message) =>
      daemon.events("logs").some((log) => log.message === message),
    ),
  );
  expect(daemon.events("logs").filter((log) => log.message === "while away")).toHaveLength(1);
});

test.describe("the daemon starts later than the browser", () => {
  test.use({ daemonUp: false });
  test("what happened before is there", async ({ daemon, site, browserWithExtension: browser }) => {
    await browser.page.goto(site.page("/", `<script>console.log("early bird")</script>`));
    await putAside(browser, "early bird");
    daemon.start();
    await daemon.until("it", () => daemon.events("logs").some((log) => log.message === "early bird"));
  });
});

test("a daemon that forgot us gets nothing until the native host has brought a key that it knows", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.page.goto(site.page("/", "x"));
  await daemon.until("connected", () => daemon.settings);
  const known = new Map(daemon.keys);
  daemon.keys.clear();
  daemon.stop();
  daemon.start();
  await browser.page.evaluate(() => console.log("for the new one"));
  const before = daemon.requests.length;
  await daemon.until("challenges", () => daemon.requests.length > before + 1);
  expect(daemon.requests.slice(before).every(({ path }) => path === "/prove")).toBe(true);
  for (const [id, key] of known) daemon.keys.set(id, key);
  await daemon.until("it", () => daemon.events("logs").some((log) => log.message === "for the new one"));
});

test("a stranger that takes the port gets challenges and nothing else", async ({
  daemon,
  door,
  site,
  browserWithExtension: browser,
}) => {
  await browser.page.goto(site.page("/", "x"));
  await daemon.until("connected", () => daemon.settings);
  const stranger = new FakeDaemon(door);
  stranger.forges = true;
  daemon.stop();
  stranger.start();
  await browser.page.evaluate(() => console.log("not for strangers"));
  const popup = await browser.open("popup.html");
  await expect(popup.getByRole("status").first()).toContainText("Not paired yet"); // it says that it is Gasoline
  await stranger.until("challenges", () => stranger.requests.length >= 3);
  stranger.stop();
  expect(stranger.results.size).toBe(0); // what it answered was not carried out
  for (const { path, headers, body } of stranger.requests) {
    expect(path).toBe("/prove");
    expect(headers.authorization).toBeUndefined();
    expect(Object.keys(JSON.parse(body) as object).sort()).toEqual(["key_id", "nonce"]);
  }
  daemon.start();
  await daemon.until("it", () => daemon.events("logs").some((log) => log.message === "not for strangers"));
});

test("what the extension sends can be told from what a page sends", async ({
  daemon,
  browserWithExtension: browser,
}) => {
  await daemon.until("connected", () => daemon.settings);
  const sync = daemon.requests.find((at) => at.path === "/sync");
  expect(sync?.headers.origin).toBe(`chrome-extension://${browser.id}`);
  expect(sync?.headers.authorization).toMatch(/^Bearer /);
  const poll = daemon.requests.find((at) => at.path === "/pending-queries");
  expect(poll?.headers["sec-fetch-site"]).toBe("none");
});

test("a page in the back/forward cache comes back with its line", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  site.page("/other", "other");
  await page.goto(
    site.page("/cached", `<script>addEventListener("pageshow", (e) => console.log("shown " + e.persisted))</script>`),
  );
  await daemon.until("shown", () => daemon.events("logs").some((log) => log.message === "shown false"));
  await page.goto(site.url("/other"));
  await page.goBack();
  const persisted = await page.evaluate(
    () => (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming).type,
  );
  await page.evaluate(() => console.log("after the cache"));
  await daemon.until(`it (${persisted})`, () => daemon.events("logs").some((log) => log.message === "after the cache"));
});

test("a command that was begun and comes again is answered interrupted, not run twice", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(
    site.page("/", `<button onclick="document.title = 'n' + (window.n = (window.n ?? 0) + 1)">Count</button>`),
  );
  const tab = await browser.tab(browser.page);
  const command = {
    id: "run-1",
    correlation_id: "c1",
    kind: "click",
    params: { selector: "text=Count" },
    tab,
    timeout_ms: 8000,
  };
  daemon.leaseAgain(command);
  expect((await daemon.until("first", () => daemon.results.get("run-1"))).status).toBe("complete");
  // The first answer has to be home, or the second lease is taken for a repeat of what still runs.
  await expect.poll(async () => Object.keys(await browser.stored())).not.toContain("done:run-1");
  daemon.results.delete("run-1");
  daemon.leaseAgain(command);
  expect((await daemon.until("second", () => daemon.results.get("run-1"))).status).toBe("interrupted");
  expect(await browser.page.title()).toBe("n1");
});

test("commands in one tab wait for each other, and a dialog holds up only its own tab", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  site.page("/free", "<button onclick=\"document.title='free'\">Free</button>");
  await browser.page.goto(site.page("/", `<button onclick="setTimeout(() => alert('stop'))">Alert</button>`));
  browser.page.on("dialog", () => undefined);
  const free = await browser.context.newPage();
  await free.goto(site.url("/free"));
  const [tab, other] = [await browser.tab(browser.page), await browser.tab(free)];
  // The page answers nobody while its alert is open.
  await daemon.command("click", { selector: "text=Alert" }, { tab, timeoutMS: 1500 });
  const stuck = daemon.command("click", { selector: "text=Alert" }, { tab, timeoutMS: 1500 });
  expect((await daemon.command("click", { selector: "text=Free" }, { tab: other })).error).toBeUndefined();
  expect((await stuck).error?.code).toBe("dialog_open");
});

test("after a reload of the extension tabs are marked stale until their page is loaded again", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.page.goto(site.page("/", "<title>S</title>"));
  await daemon.until("the tab", () => daemon.tabs.some((tab) => tab.title === "S" && !tab.stale));
  await (await browser.worker()).evaluate(() => void setTimeout(() => chrome.runtime.reload(), 50));
  await daemon.until("stale", () => daemon.tabs.some((tab) => tab.title === "S" && tab.stale));
  await browser.page.reload();
  await daemon.until("fresh", () => daemon.tabs.some((tab) => tab.title === "S" && !tab.stale));
  await browser.page.evaluate(() => console.log("new version"));
  await daemon.until("its log", () => daemon.events("logs").some((log) => log.message === "new version"));
});

test("after a reload of the extension the page it left behind reads no body any more, and looks as before", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ bodies: true });
  await daemon.until("on", () => daemon.settings?.bodies);
  site.page("/api", { body: "{", type: "application/json", endless: true });
  await browser.page.goto(
    site.page("/", "<script>before = [fetch, console.log, XMLHttpRequest]</script><title>O</title>"),
  );
  const session = await browser.context.newCDPSession(browser.page);
  /** The streams that are there after a request, whose body the page itself does not look at. */
  const streams = async (): Promise<number> => {
    await browser.page.evaluate(async () => {
      const page = globalThis as { kept?: Response; ended?: AbortController };
      page.ended?.abort(); // Chrome opens only so many connections to one host
      page.ended = new AbortController();
      page.kept = await fetch("/api", { signal: page.ended.signal });
    });
    const { result: prototype } = await session.send("Runtime.evaluate", {
      expression: "ReadableStream.prototype",
      objectGroup: "asked",
    });
    const { objects } = await session.send("Runtime.queryObjects", {
      prototypeObjectId: prototype.objectId ?? "",
      objectGroup: "asked",
    });
    const own = await session.send("Runtime.getProperties", { objectId: objects.objectId ?? "", ownProperties: true });
    await session.send("Runtime.releaseObjectGroup", { objectGroup: "asked" });
    return own.result.filter(({ name }) => /^\d+$/.test(name)).length;
  };
  await expect.poll(streams).toBeGreaterThan(0);
  await (await browser.worker()).evaluate(() => void setTimeout(() => chrome.runtime.reload(), 50));
  await daemon.until("stale", () => daemon.tabs.some((tab) => tab.title === "O" && tab.stale));
  await expect.poll(streams).toBe(0);
  expect(await browser.page.evaluate("before.every((one, i) => one === [fetch, console.log, XMLHttpRequest][i])")).toBe(
    true,
  );
});
