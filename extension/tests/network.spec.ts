import { type BrowserContext, chromium } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { holdPort } from "../../scripts/port.mjs";
import { invoke, open } from "./acting.ts";
import { expect, test } from "./extension.ts";

for (const networkDetail of [false, true]) {
  test.describe(`network detail ${networkDetail ? "on" : "off"}`, () => {
    test.use({ networkDetail });

    test("a request has what is seen of it, without secrets", async ({
      daemon,
      site,
      browserWithExtension: { page },
    }) => {
      site.page("/api", {
        body: '{"ok":true}',
        type: "application/json",
        status: 503,
        headers: { "X-Request-Id": "abc", "Set-Cookie": "session_id=verysecret", "Server-Timing": "db;dur=5" },
      });
      await page.goto(
        site.page(
          "/",
          `<script>fetch("/api?token=topsecret&a=1", { headers: { Authorization: "Bearer hunter2hunter2" } })</script>`,
        ),
      );
      const exchange = await daemon.until("the exchange", () =>
        daemon.events("network").find((at) => at.url.includes("/api")),
      );
      expect(exchange).toMatchObject({
        method: "GET",
        status: 503,
        outcome: "http_error",
        ...(networkDetail ? { remote_address: "127.0.0.1" } : {}),
        initiator: { type: "fetch" },
        content_type: "application/json",
        has_auth: true,
      });
      expect(exchange.flags ?? []).not.toContain("partial");
      const header = (name: string) => exchange.response_headers?.find((at) => at.name === name)?.value;
      expect(header("x-request-id")).toBe("abc");
      expect(exchange.server_timing).toContain("db");
      const all = JSON.stringify(daemon.syncs);
      for (const secret of ["topsecret", "verysecret", "hunter2hunter2"]) expect(all).not.toContain(secret);
      expect(exchange.url).toMatch(/token=<token:[0-9a-f]{8}>&a=1$/);
    });

    test("requests that differ only in what they ask for keep their own answers, also over a redirect that changes the method", async ({
      daemon,
      site,
      browserWithExtension: { page },
    }) => {
      site.page("/api", { body: "{}", type: "application/json", headers: { "X-Answer": "here" } });
      site.page("/form", { body: "", status: 303, headers: { Location: "/api?after" } });
      await page.goto(site.page("/", "x"));
      await page.evaluate(async () => {
        const gone = new AbortController();
        gone.abort();
        await Promise.allSettled([
          fetch("/api?q=ok"),
          fetch("http://127.0.0.1:9/api?q=refused"),
          fetch("/api?q=never", { signal: gone.signal }),
          fetch("/form", { method: "POST", body: "a=1" }),
        ]);
      });
      const find = (end: string) =>
        daemon.until(end, () => daemon.events("network").find((at) => at.url.endsWith(end)));
      const own = expect.arrayContaining([{ name: "x-answer", value: "here" }]);
      const ok = await find("?q=ok");
      expect(ok).toMatchObject({ status: 200, outcome: "ok", response_headers: own });
      expect(ok.flags).toBeUndefined();
      expect(await find("?q=refused")).toMatchObject(
        networkDetail
          ? { status: 0, error: expect.stringMatching(/net::ERR_/) }
          : { status: 0, outcome: "network_error", error: "TypeError: Failed to fetch" },
      );
      expect(await find("?q=never")).toMatchObject({ status: 0, outcome: "aborted" });
      const form = await find("?after");
      expect(form).toMatchObject({
        method: "POST",
        status: 200,
        redirects: [site.url("/form")],
        ...(networkDetail ? { remote_address: "127.0.0.1" } : {}),
      });
      expect(form.flags).toBeUndefined();
    });
  });
}

test.describe("with network detail", () => {
  test.use({ networkDetail: true });

  test("what is taken from the cache to tell the lines of styles is no request of the page", async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    site.page("/kept.css", { body: ".a { color: red }", type: "text/css" });
    site.page("/lost.css", { body: ".a { top: 0 }", type: "text/css", headers: { "cache-control": "no-store" } });
    const links = "<link rel=stylesheet href=/kept.css><link rel=stylesheet href=/lost.css>";
    const { page, run } = await open(browserWithExtension, site, daemon, `${links}<p class=a>x</p>`);
    const { result } = await run("computed_styles", { selector: ".a", properties: ["color", "top"] });
    expect(result.documents[0]!.answer.lines_unknown).toHaveLength(1);
    expect(result.documents[0]!.answer.elements[0]!.computed_styles[0]!.wins!.line).toBe(1);
    // What no page record claims is told some seconds later: a worker's request is told after the sheets would be.
    site.page("/worker.js", { body: `fetch("/from-worker")`, type: "text/javascript" });
    await page.evaluate("void new Worker('/worker.js')");
    await daemon.until("the last", () => daemon.events("network").find((at) => at.url.endsWith("/from-worker")));
    expect(daemon.events("network").filter((at) => at.url.endsWith(".css"))).toEqual([]);
  });
});

test("navigations and failed resources are exchanges by the document's own timing", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  site.page("/worker.js", { body: `fetch("/from-worker").then(() => postMessage(1))`, type: "text/javascript" });
  site.page("/from-worker", { body: "w", type: "text/plain" });
  site.page("/new", {
    body: `<img src="/missing.png"><iframe src="/sub?token=topsecret"></iframe><script>
      new Worker("/worker.js").onmessage = () => fetch("/after-worker");
      fetch("http://127.0.0.1:9/refused").catch(() => {}); fetch("/missing.json")</script>`,
    status: 500,
    headers: { "Server-Timing": 'db;dur=5;desc="the \\"first\\""' },
  });
  site.page("/sub", "sub");
  await page.goto(site.url("/new"));
  const find = (path: string) => daemon.until(path, () => daemon.events("network").find((at) => at.url.endsWith(path)));
  expect(await find("/new")).toMatchObject({
    initiator: { type: "navigation" },
    method: "GET",
    status: 500,
    outcome: "http_error",
    content_type: "text/html",
    protocol: "http/1.1",
    server_timing: 'db;dur=5;desc="the \\"first\\""',
    flags: ["inferred"],
  });
  const sub = await daemon.until("the frame", () => daemon.events("network").find((at) => at.url.includes("/sub")));
  expect(sub).toMatchObject({ initiator: { type: "navigation" }, status: 200, outcome: "ok" });
  expect(sub.url).not.toContain("topsecret");
  expect(await find("/missing.png")).toMatchObject({
    initiator: { type: "image" },
    status: 404,
    outcome: "http_error",
  });
  expect(await find(":9/refused")).toMatchObject({ outcome: "network_error", status: 0 });
  await find("/after-worker");
  expect(daemon.events("lifecycle").find((at) => at.state === "worker_started")).toMatchObject({
    to_url: site.url("/worker.js"),
  });
  await page.goto(site.url("/sub"));
  await find("/sub");
  const seen = daemon.events("network").map((at) => at.url.replace(/\?.*/, ""));
  expect(seen.filter((url) => url.endsWith("/missing.json"))).toHaveLength(1); // the page's own record, and no second one
  expect(seen.filter((url) => url.endsWith("/new"))).toHaveLength(1);
  expect(seen.some((url) => url.endsWith("/from-worker"))).toBe(false);
  expect(daemon.settings?.network_detail ?? false).toBe(false);
});

test("of a page's policy its meta elements are known", async ({ daemon, site, browserWithExtension: { page } }) => {
  site.page("/header", { body: "x", headers: { "Content-Security-Policy": "script-src 'self'" } });
  site.page("/meta", `<meta http-equiv="Content-Security-Policy" content="default-src 'self'">x`);
  for (const [path, csp] of [
    ["/meta", "script_exec"],
    ["/header", undefined],
  ] as const) {
    await page.goto(site.url(path));
    await daemon.until(`${path} is ${csp}`, () =>
      daemon.tabs.some(
        (tab) => tab.url === site.url(path) && tab.csp === csp && tab.granted && tab.status === "complete",
      ),
    );
  }
});

test("network detail is switched on in the options, and shows the requests of workers when the browser was started anew", async ({
  daemon,
  site,
  folder,
  profile,
}) => {
  site.page("/worker.js", { body: `fetch("/from-worker")`, type: "text/javascript" });
  site.page("/from-worker", { body: "w", type: "text/plain" });
  site.page("/", `<script>new Worker("/worker.js")</script>`);
  const start = async (): Promise<{ context: BrowserContext; id: string }> => {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium() ?? "",
      headless: true,
      args: [...TEST_FLAGS, `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
    });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    return { context, id: new URL(worker.url()).host };
  };
  const options = async ({ context, id }: { context: BrowserContext; id: string }) => {
    const page = await context.newPage();
    await page.goto(`chrome-extension://${id}/options.html`);
    return page;
  };

  let browser = await start();
  let page = await options(browser);
  await expect(page.locator("#network-detail")).toHaveText("Off.");
  await page.getByRole("button", { name: "Switch network detail on" }).click();
  await expect(page.locator("#network-detail")).toHaveText("On as soon as the browser is started anew.");
  await browser.context.close();

  browser = await start();
  await daemon.until("the worker is up", () => daemon.settings);
  const shop = await browser.context.newPage();
  await shop.goto(site.url("/"));
  await daemon.until("the worker's request", () =>
    daemon.events("network").find((at) => at.url.endsWith("/from-worker") && at.initiator.type === "worker"),
  );
  await daemon.until("the setting", () => daemon.settings?.network_detail === true);
  page = await options(browser);
  await expect(page.locator("#network-detail")).toHaveText("On.");
  await page.getByRole("button", { name: "Switch network detail off" }).click();
  await expect(page.locator("#network-detail")).toHaveText("Off.");
  await browser.context.close();
});

test.describe("with network detail", () => {
  test.use({ networkDetail: true });

  test("navigations, failed resources, worker requests and refused connections are exchanges", async ({
    daemon,
    site,
    browserWithExtension: { page },
  }) => {
    site.page("/worker.js", { body: `fetch("/from-worker").then(() => postMessage(1))`, type: "text/javascript" });
    site.page("/from-worker", { body: "w", type: "text/plain" });
    site.page("/old", { body: "", status: 302, headers: { Location: "/new" } });
    site.page(
      "/new",
      `<img src="/missing.png"><iframe src="/sub"></iframe><script>new Worker("/worker.js"); fetch("http://127.0.0.1:9/refused").catch(() => {})</script>`,
    );
    site.page("/sub", "sub");
    await page.goto(site.url("/old"));
    const find = (path: string) =>
      daemon.until(path, () => daemon.events("network").find((at) => at.url.endsWith(path)));
    expect(await find("/new")).toMatchObject({
      initiator: { type: "navigation" },
      status: 200,
      outcome: "ok",
      redirects: [site.url("/old")],
    });
    expect(await find("/sub")).toMatchObject({ initiator: { type: "navigation" }, status: 200 });
    expect(await find("/missing.png")).toMatchObject({
      initiator: { type: "image" },
      status: 404,
      outcome: "http_error",
    });
    expect(await find("/from-worker")).toMatchObject({ initiator: { type: "worker" }, status: 200 });
    expect(await find(":9/refused")).toMatchObject({
      outcome: "network_error",
      error: expect.stringMatching(/net::ERR_/),
      status: 0,
    });
  });

  test("requests of a site that was not granted are not told with the popup open over it", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page } = browser;
    await page.route("http://bank.test/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<img src=/gone.png>", status: 404 }),
    );
    await page.goto("http://bank.test/account/42");
    await page.bringToFront();
    await invoke(browser, page);
    await page.reload();
    // A page of this machine leads there.
    const away = site.page("/away", { body: "", status: 302, headers: { Location: "http://bank.test/account/43" } });
    await page.goto(away).catch(() => undefined);
    await expect(page).toHaveURL(/^chrome-error:/);
    await page.goto(site.page("/here", "here"));
    const told = () => daemon.events("network").map(({ url }) => url);
    await daemon.until("the page's own", () => told().includes(site.url("/here")));
    expect(told().filter((url) => url.includes("bank.test"))).toEqual([]);
  });

  test("a request that got nothing says why: what another origin's answer or its preflight lacks, or that nobody is there", async ({
    daemon,
    site,
    browserWithExtension: { page },
  }) => {
    const any = { "Access-Control-Allow-Origin": "*" };
    site.page("/none", { body: "{}" });
    site.page("/any", { body: "{}", headers: any });
    site.page("/refuses", { body: "no", status: 403 });
    site.page("/away", { body: "", status: 302, headers: { Location: site.url("/none", "localhost") } });
    const { port, release } = await holdPort();
    await page.goto(site.page("/", "x"));
    await page.evaluate(
      async ([other, own, dead]) => {
        const ask = (url: string, init?: RequestInit) => fetch(url, init).catch(() => undefined);
        const put = { method: "PUT", headers: { "x-a": "1" } };
        await ask(other + "/none?cors");
        await ask(other + "/any?credentials", { credentials: "include" });
        await ask(own + "/away?redirect");
        await ask(other + "/none?preflight", put);
        await ask(other + "/any?method", put);
        await ask(other + "/refuses?status", put);
        await ask(dead + "/?dead");
        await ask(other + "/any?allowed");
      },
      [site.url("", "localhost"), site.url(""), `http://127.0.0.1:${port}`] as const,
    );
    const error = async (name: string): Promise<string | undefined> =>
      (
        await daemon.until(name, () =>
          daemon.events("network").find((at) => at.url.endsWith(`?${name}`) && at.method !== "OPTIONS"),
        )
      ).error;
    expect(await error("cors")).toBe("net::ERR_FAILED (CORS: the answer (200) has no access-control-allow-origin)");
    expect(await error("credentials")).toBe("net::ERR_FAILED (CORS: the answer (200) does not allow its credentials)");
    expect(await error("redirect")).toBe("net::ERR_FAILED (CORS: the answer (200) has no access-control-allow-origin)");
    expect(await error("preflight")).toBe(
      "net::ERR_FAILED (CORS: the preflight's answer (OPTIONS, 200) has no access-control-allow-origin)",
    );
    expect(await error("method")).toBe(
      "net::ERR_FAILED (CORS: the preflight's answer (OPTIONS, 200) does not allow its method, headers or credentials)",
    );
    expect(await error("status")).toBe("net::ERR_FAILED (CORS: the preflight's answer (OPTIONS, 403) is not 2xx)");
    expect(await error("dead")).toBe("net::ERR_CONNECTION_REFUSED");
    expect(await error("allowed")).toBeUndefined();
    const preflights = daemon.events("network").filter((at) => at.method === "OPTIONS");
    expect(preflights.map((at) => at.initiator.type)).toEqual(preflights.map(() => "preflight"));
    expect(preflights.length).toBeGreaterThanOrEqual(3);
    release();
  });

  test("the policy of a page is told from its headers and meta elements, also after the worker died", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    const { page } = browser;
    site.page("/header", { body: "x", headers: { "Content-Security-Policy": "script-src 'self'" } });
    site.page("/meta", `<meta http-equiv="Content-Security-Policy" content="default-src 'self'">x`);
    site.page("/none", "x");
    for (const [path, csp] of [
      ["/header", "script_exec"],
      ["/none", "none"],
      ["/meta", "script_exec"],
    ] as const) {
      await page.goto(site.url(path));
      await daemon.until(`${path} is ${csp}`, () =>
        daemon.tabs.some((tab) => tab.url === site.url(path) && tab.csp === csp && tab.granted),
      );
      await browser.killWorker();
      daemon.tabs = [];
      await page.evaluate(() => console.log("wake up"));
      await daemon.until(`${path} is known to the next worker`, () =>
        daemon.tabs.some((tab) => tab.url === site.url(path) && tab.csp === csp),
      );
    }
  });
});
