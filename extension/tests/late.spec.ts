import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Page, chromium } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";
import { test as base, expect, grantAll, installHost, unpack } from "./extension.ts";

interface Browser {
  page: Page;
  /** Installs the extension into the browser that runs. */
  install(): Promise<void>;
}

const test = base.extend<{ browserWithout: Browser }>({
  browserWithout: async ({ daemon, allSites }, use) => {
    const { home, extension } = await unpack(daemon.port);
    if (allSites) await grantAll(join(extension, "manifest.json"));
    const profile = join(home, "profile");
    await installHost(profile, daemon);
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium() ?? "",
      headless: true,
      ignoreDefaultArgs: ["--disable-extensions"],
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--enable-unsafe-extension-debugging",
        "--host-resolver-rules=MAP app.test 127.0.0.1",
      ],
    });
    const session = await context.browser()?.newBrowserCDPSession();
    await use({
      page: context.pages()[0] ?? (await context.newPage()),
      install: async () => {
        // The protocol has it; the types of the runner do not yet.
        const send = session?.send.bind(session) as unknown as (method: string, params: object) => Promise<unknown>;
        await send("Extensions.loadUnpacked", { path: extension });
        await daemon.until("the worker is up", () => daemon.settings);
      },
    });
    await context.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
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
});
