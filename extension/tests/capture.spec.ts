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

test("a map that says it is of a thousand million lines holds nobody back", async ({
  daemon,
  site,
  browserWithExtension: { context, page },
}) => {
  const section = { version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" };
  site.page("/evil.js", {
    body: `setInterval(() => { throw new Error("evil one"); }, 200);\n//# sourceMappingURL=evil.js.map`,
    type: "text/javascript",
  });
  site.page("/evil.js.map", {
    body: JSON.stringify({ version: 3, sections: [{ offset: { line: 1e9, column: 0 }, map: section }] }),
  });
  const other = await context.newPage();
  await other.goto(site.page("/other", `<script>setInterval(() => console.warn("at", Date.now()), 100)</script>`));
  const newest = () =>
    Math.max(0, ...daemon.events("logs").map((log) => Number(/^at (\d+)$/.exec(log.message)?.[1] ?? 0)));
  await daemon.until("its first line", () => newest());
  /** How far behind its page the newest line is at most, of so many ms. */
  const behind = async (ms: number): Promise<number> => {
    let most = 0;
    for (const end = Date.now() + ms; Date.now() < end; await new Promise((done) => setTimeout(done, 50)))
      most = Math.max(most, Date.now() - newest());
    return most;
  };
  const before = await behind(2000);
  await page.goto(site.page("/", `<script src="/evil.js"></script>`));
  expect(await behind(8000)).toBeLessThan(2500 + 5 * before);
  await other.close();
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
  // It calls on and on: were each line to wait for its request, the words would come later and later.
  await page.evaluate(() => {
    let words = 0;
    setInterval(() => {
      void fetch(`https://telemetry.example/${words}`, { mode: "no-cors" }).catch(() => {});
      console.log("word", words++);
    }, 150);
  });
  await daemon.until("the twentieth word", () => daemon.events("logs").some(({ message }) => message === "word 19"));
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
