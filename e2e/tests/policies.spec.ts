import { type Agent, expect, front, type Page, type Site, test, until } from "./support/fixtures.ts";

interface Policy {
  status: string;
  header: string;
  policy: string;
  directives: Record<string, string[]>;
  origins_observed: string[];
  coverage: { pages: string[]; asked: string[]; not_asked: string[]; unread?: string[]; loads: number };
  warnings: string[];
}

/** What each page does is told by name: did("…"). */
const HELP = `<script>
  window.seen = new Set(); window.blocked = [];
  window.did = (name) => seen.add(name);
  document.addEventListener("securitypolicyviolation", (e) => blocked.push(e.effectiveDirective + " " + e.blockedURI));
</script>`;

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const MODULE = "0,97,115,109,1,0,0,0";

interface Case {
  name: string;
  /** What has to happen. */
  does: string[];
  body: (other: (path: string) => string) => string;
  headers?: Record<string, string>;
}

const CASES: Case[] = [
  {
    name: "code in the document, in attributes and in addresses",
    does: ["inline", "handler", "address", "module", "load"],
    body: () => `<button id=b onclick="did('handler')">b</button><a id=a href="javascript:void did('address')">a</a>
      <img src="${PIXEL}" onload="did(&quot;load&quot;)">
      <script>did("inline"); b.click(); a.click()</script><script type=module>did("module")</script>
      <script type="application/json">{"not": "code"}</script>`,
  },
  {
    name: "styles in the document, in attributes and of scripts",
    does: ["sheet", "attribute", "rule", "set", "file"],
    body: () => `<style>#one { color: rgb(1, 2, 3) }</style><style id=made></style><link rel=stylesheet href=/own.css>
      <p id=one>1</p><p id=two style="color: rgb(4, 5, 6)">2</p><p id=three>3</p><p id=four>4</p><p id=five>5</p>
      <script type=module>
        made.sheet.insertRule("#three { color: rgb(7, 8, 9) }"); four.style.color = "rgb(1, 1, 1)";
        const is = (el, color) => getComputedStyle(el).color === color;
        if (is(one, "rgb(1, 2, 3)")) did("sheet"); if (is(two, "rgb(4, 5, 6)")) did("attribute");
        if (is(three, "rgb(7, 8, 9)")) did("rule"); if (is(four, "rgb(1, 1, 1)")) did("set");
        if (is(five, "rgb(9, 9, 9)")) did("file");
      </script>`,
  },
  {
    name: "code out of text, in a file",
    does: ["eval", "function", "timer"],
    body: () => `<script src=/eval.js></script>`,
  },
  {
    name: "code out of text, in the document",
    does: ["eval", "function"],
    body: () => `<script>eval("did('eval')"); new Function("n", "did(n)")("function")</script>`,
  },
  {
    name: "workers of an address and of a blob, and WebAssembly in one and in the page",
    does: ["file", "blob", "wasm"],
    body: () => `<script>
      new Worker("/worker.js").onmessage = () => did("file");
      const text = "WebAssembly.instantiate(new Uint8Array([${MODULE}])).then(() => postMessage(1))";
      new Worker(URL.createObjectURL(new Blob([text]))).onmessage = () => did("blob");
      WebAssembly.instantiate(new Uint8Array([${MODULE}])).then(() => did("wasm"));
    </script>`,
  },
  {
    name: "pictures and fonts of data, of blobs and of sheets",
    does: ["data", "blob", "made", "sheet", "font"],
    body: () => `<style>
        @font-face { font-family: own; src: url(data:font/woff2;base64,d09GMgABAAAAAA) } #f { font-family: own }
        #s { background: url("${PIXEL}") }
      </style><p id=f>f</p><p id=s>s</p>
      <img src="${PIXEL}" id=d><script type=module>
        if (d.naturalWidth === 1) did("data"); did("sheet");
        const blob = await (await fetch("/pixel.gif")).blob();
        const image = document.body.appendChild(new Image()); image.onload = () => did("blob"); image.src = URL.createObjectURL(blob);
        const made = new Image(); made.onload = () => did("made"); made.src = "${PIXEL}";
        document.fonts.load("12px own").catch(() => 0).finally(() => did("font"));
      </script>`,
  },
  {
    name: "scripts, styles, pictures, frames and media of another origin",
    does: ["script", "style", "picture", "frame", "media", "set"],
    body: (
      other,
    ) => `<script src="${other("/other.js")}"></script><link rel=stylesheet href="${other("/own.css")}"><p id=five>5</p>
      <script>addEventListener("message", (e) => did(e.data))</script>
      <img id=i><iframe src="${other("/frame")}"></iframe>
      <img srcset="${other("/set.gif")} 1x, ${other("/set.gif")} 2x" onload="did('set')">
      <audio id=m></audio><script type=module>
        if (getComputedStyle(five).color === "rgb(9, 9, 9)") did("style");
        i.onload = () => did("picture"); i.src = "${other("/pixel.gif")}";
        m.onerror = m.onloadeddata = () => did("media"); m.src = "${other("/sound.wav")}";
      </script>`,
  },
  {
    name: "requests and connections of every sort",
    does: ["fetch", "xhr", "cross", "redirect", "beacon", "socket", "events"],
    body: (other) => `<script>
      fetch("/data").then(() => did("fetch"));
      fetch("${other("/shared")}").then(() => did("cross"));
      fetch("/away").then(() => did("redirect"));
      const x = new XMLHttpRequest(); x.onload = () => did("xhr"); x.open("GET", "/data"); x.send();
      if (navigator.sendBeacon("/beacon", "b")) did("beacon");
      new WebSocket("${other("/socket").replace("http", "ws")}").onopen = () => did("socket");
      new EventSource("/events").onopen = () => did("events");
    </script>`,
  },
  {
    name: "a base, and a form that is sent",
    does: ["base", "form"],
    body: (
      other,
    ) => `<base href="${other("/")}"><iframe name=to></iframe><form id=f action=/take method=post target=to><input name=a></form>
      <script>
        if (new URL(document.links.length ? "" : "x", document.baseURI).hostname === "localhost") did("base");
        addEventListener("message", (e) => did(e.data)); f.submit();
      </script>`,
  },
  {
    name: "modules that are preloaded, mapped and loaded late, a manifest, objects",
    does: ["mapped", "late", "object"],
    body: () => `<script type=importmap>{"imports": {"mapped": "/mapped.js"}}</script><link rel=manifest href=/app.webmanifest>
      <link rel=modulepreload href=/late.js><link rel=icon href=/pixel.gif><object data=/pixel.gif type=image/gif onload="did('object')"></object>
      <script type=module>import "mapped"; setTimeout(() => import("/late.js"), 10)</script>`,
  },
  {
    name: "frames without an address",
    does: ["srcdoc", "blank"],
    body: () => `<iframe srcdoc="<script>parent.did('srcdoc')</script>"></iframe><iframe id=e></iframe><script>
      const script = e.contentDocument.createElement("script"); script.textContent = "parent.did('blank')";
      e.contentDocument.body.append(script);
    </script>`,
  },
  {
    name: "markup that scripts write",
    does: ["html", "write", "made"],
    body: () => `<p id=p></p><script>
      p.innerHTML = "<b onclick=\\"did('html')\\">b</b>"; p.firstChild.click();
      document.write("<i id=written>i</i>"); if (window.written) did("write");
      const s = document.createElement("script"); s.src = "/made.js"; document.head.append(s);
    </script>`,
  },
];

function serve(site: Site): (path: string) => string {
  const js = (path: string, body: string) => site.page(path, { body, type: "text/javascript" });
  js("/eval.js", `eval("did('eval')"); new Function("did('function')")(); setTimeout("did('timer')", 1)`);
  js("/worker.js", "postMessage(1)");
  js("/other.js", "did('script')");
  js("/mapped.js", "did('mapped')");
  js("/late.js", "did('late')");
  js("/made.js", "did('made')");
  site.page("/own.css", { body: "#five { color: rgb(9, 9, 9) }", type: "text/css" });
  const pixel = { body: Buffer.from(PIXEL.split(",")[1]!, "base64"), type: "image/gif" };
  site.page("/pixel.gif", pixel);
  site.page("/set.gif", pixel);
  site.page("/frame", "<script>parent.postMessage('frame', '*')</script>");
  site.page("/take", "<script>parent.postMessage('form', '*')</script>");
  site.page("/sound.wav", { body: "no sound", type: "audio/wav" });
  site.json("/data", {});
  site.json("/shared", {}, { headers: { "access-control-allow-origin": "*" } });
  site.page("/away", { status: 302, headers: { location: site.url("/shared", "localhost") } });
  site.page("/beacon", { status: 204 });
  site.json("/app.webmanifest", { name: "App" });
  site.sockets("/socket", () => undefined);
  site.page("/events", (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
  });
  return (path) => site.url(path, "localhost");
}

/** Waits until the page did all that it has to do, or had time for it. */
async function did(tab: Page, does: string[]): Promise<string[]> {
  const seen = () => tab.evaluate(() => [...(globalThis as never as { seen: Set<string> }).seen]);
  const names = await until("what the page does", seen, (s) => does.every((d) => s.includes(d)), 20_000);
  return names.toSorted();
}

const violations = (tab: Page) =>
  tab.evaluate(() => (globalThis as never as { blocked: string[] }).blocked as string[]);

/** Asks for a policy when the events of the page have come. */
async function policyOf(agent: Agent, tab: Page, more: Record<string, unknown>): Promise<Policy> {
  await front(agent, tab);
  return agent.json<Policy>("generate", { format: "csp", ...more });
}

for (const mode of ["moderate", "strict"])
  for (const { name, does, body } of CASES)
    test(`csp, ${mode}: ${name} works as before, and what was not there is blocked`, async ({ site, tab, agent }) => {
      const other = serve(site);
      const html = `<!doctype html><title>page</title>${HELP}${body(other)}`;
      await tab.goto(site.page("/page", html));
      const before = await did(tab, does);
      const made = await policyOf(agent, tab, { mode });
      expect(made.coverage.asked).toEqual([site.url("/page")]);

      const errors: string[] = [];
      tab.on("console", (message) => {
        if (message.type() === "error" && message.text().includes("Content Security Policy"))
          errors.push(message.text());
      });
      const served = { body: html, headers: { [made.header]: made.policy } };
      await tab.goto(site.page("/page", served));
      const after = await did(tab, does).catch(async (error: unknown) => {
        throw new Error(`${made.policy}\nblocked: ${(await violations(tab)).join(", ")}\n${errors.join("\n")}`, {
          cause: error,
        });
      });
      expect(await violations(tab), made.policy).toEqual([]);
      expect(errors, made.policy).toEqual([]);
      expect(after).toEqual(before);

      const injected = await tab.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.injected = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML(
          "beforeend",
          '<img src=x: onerror="window.injected = 2"><img src="https://evil.example/x">',
        );
        return new Promise<unknown>((done) =>
          setTimeout(() => done((globalThis as never as { injected?: number }).injected ?? "nothing"), 300),
        );
      });
      expect(injected).toBe("nothing");
      expect((await violations(tab)).join()).toContain("script-src");
      expect((await violations(tab)).join()).toContain("img-src https://evil.example/x");
    });

test("csp: what a policy only reported is in the next one, and a nonce is no nonce of a file", async ({
  site,
  tab,
  agent,
}) => {
  serve(site);
  const html = `${HELP}<script nonce=abc123>did("named")</script><script>window["ev" + "al"]("did('eval')")</script>`;
  await tab.goto(site.page("/page", html));
  await did(tab, ["named", "eval"]);
  const first = await policyOf(agent, tab, { mode: "report_only", include_report_uri: true });
  expect(first.header).toBe("Content-Security-Policy-Report-Only");
  expect(first.directives["script-src"]).toContain("'nonce-{NONCE}'");
  expect(JSON.stringify(first)).not.toContain("abc123");
  expect(first.directives["report-uri"]).toEqual(["/csp-reports"]);
  expect(first.policy).not.toContain("unsafe-eval");

  const headers = { [first.header]: first.policy.replace("{NONCE}", "abc123") };
  await tab.goto(site.page("/page", { body: html, headers }));
  await did(tab, ["named", "eval"]);
  const next = await until(
    "the report",
    () => policyOf(agent, tab, {}),
    ({ policy }) => policy.includes("'unsafe-eval'"),
  );
  expect(next.warnings.join("\n")).toContain("a report");
  await tab.goto(
    site.page("/page", { body: html, headers: { [next.header]: next.policy.replace("{NONCE}", "abc123") } }),
  );
  await did(tab, ["named", "eval"]);
  expect(await violations(tab)).toEqual([]);
});

test("csp: pages that were used and not asked are named, and left-out origins are left out", async ({
  site,
  tab,
  agent,
}) => {
  const other = serve(site);
  await tab.goto(site.page("/first", `${HELP}<img src="${other("/pixel.gif")}"><script>did("first")</script>`));
  await did(tab, ["first"]);
  await tab.goto(site.page("/second", `${HELP}<script>fetch("/data").then(() => did("second"))</script>`));
  await did(tab, ["second"]);
  const both = await until(
    "the loads of both pages",
    () => policyOf(agent, tab, {}),
    ({ origins_observed: seen }) => seen.includes(other("")),
  );
  expect(both.coverage).toMatchObject({ asked: [site.url("/second")], not_asked: [site.url("/first")] });
  expect(both.status).toBe("partial");
  expect(both.directives["img-src"]).toEqual(["'self'", other("")]);
  const without = await policyOf(agent, tab, { exclude_origins: [other("/x")] });
  expect(without.policy).not.toContain(other(""));
  const text = await agent.ask("generate", { format: "csp" });
  expect(text).toContain(`code in the documents not looked at, open them and ask again: ${site.url("/first")}`);
});

interface Integrity {
  resources: { url: string; type: string; hash: string; tag_template: string; warning?: string; immutable: boolean }[];
  import_map: string;
  summary: Record<string, number>;
}

test("sri: the tags load what was there, and browsers refuse a changed byte", async ({ site, tab, agent }) => {
  const shared = { "access-control-allow-origin": "*" };
  const js = (path: string, body: string, headers = {}) => site.page(path, { body, type: "text/javascript", headers });
  const files = {
    "/app.3f2a1b9c.js": "window.own = 1",
    "/lib@1.2.3/lib.js": "window.lib = 1",
    "/early-4d3c2b1a.js": "window.early = 1",
    "/late-9f8e7d6c.js": "window.late = 1",
  };
  for (const [path, body] of Object.entries(files)) js(path, body, shared);
  js("/closed@1.0.0.js", "window.closed = 1");
  js("/latest.js", "window.latest = 1", shared);
  site.page("/site.css", { body: "p { color: rgb(1, 2, 3) }", type: "text/css" });
  const other = (path: string) => site.url(path, "localhost");
  const lazy = `<script type=module>import("/late-9f8e7d6c.js")</script>`;
  await tab.goto(
    site.page(
      "/page",
      `<script src=/app.3f2a1b9c.js></script><script src="${other("/lib@1.2.3/lib.js")}"></script><link rel=stylesheet href=/site.css>
       <link rel=modulepreload href=/early-4d3c2b1a.js><script type=module src=/early-4d3c2b1a.js></script>
       <script src="${other("/closed@1.0.0.js")}"></script><script src="${other("/latest.js")}"></script>${lazy}<p>p</p>`,
    ),
  );
  site.page("/there", "there");
  await tab.waitForFunction(() => "late" in globalThis);
  // The daemon asks a server of this machine only where a page of it is open.
  const second = await tab.context().newPage();
  await second.goto(other("/there"));
  await front(agent, tab);
  const made = await until(
    "the imported module",
    () => agent.json<Integrity>("generate", { format: "sri" }),
    ({ import_map: map }) => map !== undefined,
  );
  const of = (path: string) => made.resources.filter(({ url }) => url.endsWith(path));
  expect(made.summary).toMatchObject({ total: 8, hashed: 8, tagged: 5, not_read: 0, imported: 1 });
  expect(of("/closed@1.0.0.js")[0]).toMatchObject({ warning: expect.stringContaining("Access-Control-Allow-Origin") });
  expect(of("/closed@1.0.0.js")[0]).not.toHaveProperty("tag_template");
  expect(of("/latest.js")[0]).toMatchObject({ immutable: false, warning: expect.stringContaining("no version") });
  expect(of("/latest.js")[0]).not.toHaveProperty("tag_template");
  expect(of("/lib@1.2.3/lib.js")[0]!.tag_template).toContain(' crossorigin="anonymous">');

  const tags = made.resources.flatMap(({ tag_template: tag }) => tag ?? []).join("\n");
  const html = `<script type=importmap>${made.import_map}</script>${tags}${lazy}<p>p</p>`;
  const state = async () => {
    await tab.goto(site.page("/page", html));
    return tab.evaluate(async () => {
      await new Promise((done) => setTimeout(done, 300));
      const page = globalThis as unknown as Record<string, unknown>;
      const color = getComputedStyle(document.querySelector("p")!).color;
      return [page["own"], page["lib"], page["early"], page["late"], color];
    });
  };
  expect(await state()).toEqual([1, 1, 1, 1, "rgb(1, 2, 3)"]);
  for (const [path, body] of Object.entries(files)) js(path, `${body} `, shared);
  site.page("/site.css", { body: "p { color: rgb(1, 2, 3)  }", type: "text/css" });
  expect(await state()).toEqual([undefined, undefined, undefined, undefined, "rgb(0, 0, 0)"]);
});
