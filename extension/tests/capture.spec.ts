import { expect, test } from "./extension.ts";

const SAY = (name: string) => `<script>console.warn("first in ${name}")</script>`;

test("every kind of frame is captured from its first script", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  site.page("/same", SAY("same"));
  site.page("/cross", SAY("cross"));
  await page.goto(
    site.page(
      "/frames",
      `${SAY("main")}
       <iframe src="/same"></iframe><iframe src="${site.url("/cross", "localhost")}"></iframe>
       <iframe srcdoc='${SAY("srcdoc")}'></iframe>
       <iframe sandbox="allow-scripts" src="/same?sandboxed"></iframe>
       <iframe sandbox="allow-scripts" srcdoc='${SAY("sandboxed srcdoc")}'></iframe>
       <script>
         const blank = document.body.appendChild(document.createElement("iframe"));
         blank.contentWindow.console.warn("first in blank");
         const blob = document.createElement("iframe");
         blob.src = URL.createObjectURL(new Blob(['<script>console.warn("first in blob")</' + 'script>'], { type: "text/html" }));
         document.body.append(blob);
       </script>`,
    ),
  );
  for (const name of ["main", "same", "cross", "srcdoc", "sandboxed srcdoc", "blank", "blob"]) {
    await daemon.until(name, () => daemon.events("logs").find((log) => log.message === `first in ${name}`));
  }
  const groups = daemon.groups.filter((group) => group.logs?.length);
  expect(new Set(groups.map((group) => group.document)).size).toBe(groups.length);
  expect(groups.every((group) => group.since === "document_start" && group.tab === groups[0]?.tab)).toBe(true);
  expect(groups.filter((group) => group.frame === 0)).toHaveLength(1);
});

test("developer tools are told to skip our script, so that a line of the console leads to who wrote it", async ({
  site,
  browserWithExtension: { context, page },
}) => {
  const session = await context.newCDPSession(page);
  const maps: string[] = [];
  session.on("Debugger.scriptParsed", ({ url, sourceMapURL }) => {
    if (url.endsWith("/page.js")) maps.push(sourceMapURL ?? "");
  });
  await session.send("Debugger.enable");
  await page.goto(site.page("/", "x"));
  await expect.poll(() => maps).toHaveLength(1);
  const map = (await (await fetch(maps[0] ?? "")).json()) as {
    sources: string[];
    mappings: string;
    ignoreList: number[];
  };
  expect(map).toMatchObject({ mappings: "AAAA", ignoreList: [0] });
  expect(map.sources).toHaveLength(1);
});

test("numbers of a document begin at 1 and have no gap", async ({ daemon, site, browserWithExtension: { page } }) => {
  await page.goto(
    site.page(
      "/",
      `<script>for (let i = 0; i < 50; i++) console.log("n" + i); fetch("/x"); setTimeout(() => { throw new Error("e") })</script>`,
    ),
  );
  await daemon.until(
    "the last",
    () => daemon.events("logs").some((log) => log.message === "n49") && daemon.events("exceptions").length > 0,
  );
  await page.evaluate(() => console.log("end"));
  const group = await daemon.until("end", () =>
    daemon.groups.find((at) => at.logs?.some((log) => log.message === "end")),
  );
  const seqs = Object.values(group).flatMap((list) =>
    Array.isArray(list) ? (list as { seq: number }[]).map((event) => event.seq) : [],
  );
  expect(seqs.sort((a, b) => a - b)).toEqual(seqs.map((_, i) => i + 1));
});

test("a request has what the page saw and what the network stack saw, without secrets", async ({
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
    remote_address: "127.0.0.1",
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
  const find = (end: string) => daemon.until(end, () => daemon.events("network").find((at) => at.url.endsWith(end)));
  const own = expect.arrayContaining([{ name: "x-answer", value: "here" }]);
  const ok = await find("?q=ok");
  expect(ok).toMatchObject({ status: 200, outcome: "ok", response_headers: own });
  expect(ok.flags).toBeUndefined();
  expect(await find("?q=refused")).toMatchObject({ status: 0, error: expect.stringMatching(/net::ERR_/) });
  expect(await find("?q=never")).toMatchObject({ status: 0, outcome: "aborted" });
  const form = await find("?after");
  expect(form).toMatchObject({
    method: "POST",
    status: 200,
    redirects: [site.url("/form")],
    remote_address: "127.0.0.1",
  });
  expect(form.flags).toBeUndefined();
});

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
  const find = (path: string) => daemon.until(path, () => daemon.events("network").find((at) => at.url.endsWith(path)));
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

test("stacks are mapped to their sources, and kept raw", async ({ daemon, site, browserWithExtension: { page } }) => {
  // Line 1, column 0 of the bundle is line 3, column 2 of app.ts: "AAEE" in the map's alphabet.
  const map = { version: 3, sources: ["app.ts"], names: [], mappings: "AAEE" };
  // Again and again, because an event does not wait for its map for long. The header alone says where the map is.
  site.page("/bundle.js", {
    body: `setInterval(() => { throw new Error("mapped one"); }, 200);`,
    type: "text/javascript",
    headers: { SourceMap: "maps/bundle.js.map" },
  });
  site.page("/maps/bundle.js.map", { body: JSON.stringify(map), type: "application/json" });
  site.page("/slow.js", {
    body: `throw new Error("slow one");\n/*# sourceMappingURL=slow.js.map */`,
    type: "text/javascript",
  });
  site.page("/slow.js.map", { body: JSON.stringify(map), delay: 3000 });
  await page.goto(site.page("/", `<script src="/bundle.js"></script><script src="/slow.js"></script>`));
  const mapped = await daemon.until("mapped", () => daemon.events("exceptions").find((at) => at.stack?.[0]?.source));
  expect(mapped.stack?.[0]).toMatchObject({
    url: site.url("/bundle.js"),
    line: 1,
    source: site.url("/maps/app.ts"),
    source_line: 3,
    source_column: 3,
    in_app: true,
  });
  const slow = await daemon.until("slow", () =>
    daemon.events("exceptions").find((at) => at.message.includes("slow one")),
  );
  expect(slow.flags).toContain("unmapped");
  expect(slow.stack?.[0]).toMatchObject({ url: site.url("/slow.js"), line: 1 });
});

test("a stack that names what the page did not load as a script makes nobody fetch it", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  site.page("/account/delete", { body: "deleted", headers: { "Access-Control-Allow-Origin": "*" } });
  site.page("/own.js", { body: "f();", type: "text/javascript" });
  await page.goto(site.page("/", `<script src="/own.js"></script>`));
  await page.evaluate(
    ([forged, own]) => {
      const error = new Error("forged");
      error.stack = `Error: forged\n    at f (${forged}:1:1)\n    at g (${own}:1:1)`;
      setTimeout(() => {
        throw error;
      });
    },
    [site.url("/account/delete"), site.url("/own.js")],
  );
  const log = await daemon.until("the error", () =>
    daemon.events("exceptions").find((at) => at.message.includes("forged")),
  );
  expect(log.stack?.map((frame) => frame.url)).toEqual([site.url("/account/delete"), site.url("/own.js")]);
  expect(log.flags).toContain("unmapped");
  expect(log.stack?.[1]?.in_app).toBe(true);
  expect(site.hits.filter((path) => path.startsWith("/account"))).toEqual([]);
});

test("two thousand lines in one task all arrive, in order", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  await page.goto(site.page("/", "burst"));
  await page.evaluate(() => {
    for (let i = 0; i < 2000; i++) console.log("burst", i);
  });
  const lines = () => daemon.events("logs").filter((at) => at.message.startsWith("burst "));
  await daemon.until("all of them", () => lines().length >= 2000 || undefined);
  expect(lines().map((at) => at.message)).toEqual(Array.from({ length: 2000 }, (_, i) => `burst ${i}`));
});

test("a page that calls an origin which was not granted does not fall behind", async ({
  daemon,
  site,
  browserWithExtension: { page },
}) => {
  await page.goto(site.page("/", "telemetry"));
  await page.evaluate(async () => {
    for (let i = 0; i < 20; i++) {
      void fetch(`https://telemetry.example/${i}`, { mode: "no-cors" }).catch(() => {});
      await new Promise((done) => setTimeout(done, 150));
    }
    console.log("the last word", Date.now());
  });
  const last = await daemon.until("the last word", () =>
    daemon.events("logs").find((at) => at.message.startsWith("the last word")),
  );
  const said = Number(last.message.split(" ").pop());
  expect(Date.now() - said).toBeLessThan(2000);
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

test("what an agent does is told apart from what the user does", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(site.page("/", "<button>One</button>"));
  const tab = await browser.tab(browser.page);
  await daemon.command("click", { selector: "text=One" }, { tab });
  const agent = await daemon.until("the agent's", () =>
    daemon.events("actions").find((at) => at.type === "click" && at.by === "agent"),
  );
  expect(agent.client).toBe("test");
  await browser.page.click("button");
  await daemon.until("the user's", () =>
    daemon.events("actions").find((at) => at.type === "click" && at.by === "user"),
  );
});

test("a hostile page cannot break capture, the agent, or the extension's hold on its data", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(
    site.page(
      "/",
      `<button id=b onclick="document.title='clicked'">Press</button><script>
        Object.prototype.toJSON = () => "poisoned"; Array.prototype.push = () => { throw 1 }; JSON.stringify = () => "{}";
        EventTarget.prototype.dispatchEvent = () => { throw 2 }; window.CustomEvent = null; Promise.prototype.then = () => { throw 3 };
        Element.prototype.getBoundingClientRect = () => ({}); document.querySelectorAll = () => []; Element.prototype.matches = () => false;
        window.gasolineAgent = { run: () => ({ ok: true, value: "fake" }) };
        console.error("still here", { a: 1 });
        addEventListener("load", () => setTimeout(() => {
          document.open(); document.write("<button id=b onclick=\\"document.title='clicked'\\">Press</button>"); document.close();
          console.error("after open");
        }));
      </script>`,
    ),
  );
  await daemon.until("first", () => daemon.events("logs").find((at) => at.message.includes("still here")));
  await daemon.until("second", () => daemon.events("logs").find((at) => at.message.includes("after open")));
  expect(JSON.stringify(daemon.syncs)).not.toContain("poisoned");
  const tab = await browser.tab(browser.page);
  expect((await daemon.command("click", { selector: "text=Press" }, { tab })).result).toMatchObject({ match_count: 1 });
  await expect.poll(() => browser.page.title()).toBe("clicked");
});

test.describe("with every site granted", () => {
  test.use({ allSites: true });
  test("a screenshot is taken without the debugger, twice a second at most", async ({
    daemon,
    site,
    browserWithExtension: browser,
  }) => {
    await browser.page.goto(site.page("/", "<title>V</title><h1>Visible</h1><input type=password value=secret>"));
    const tab = await browser.tab(browser.page);
    const shots = await Promise.all([1, 2, 3, 4].map(() => daemon.command("screenshot", {}, { tab })));
    for (const shot of shots) expect(shot.result).toMatchObject({ route: "visible", width: 1280, redacted: 1 });
  });
});
