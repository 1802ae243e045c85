import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { connect, expect, test } from "./support/fixtures.ts";
import { ALL, sees } from "./support/sees.ts";

test("errors of every kind come with their stacks, causes and elements", async ({ site, tab, agent }) => {
  site.page("/lib.js", { body: "export {}", type: "text/javascript" });
  await tab.goto(
    site.page("/", {
      headers: { "content-security-policy": "script-src 'self' 'unsafe-inline'; img-src 'self'" },
      body: `<script>
      console.error("console says", { code: 7 });
      setTimeout(function later() { throw new TypeError("thrown late") });
      (async function rejects() { throw new RangeError("rejected", { cause: new Error("the middle", { cause: new Error("the root") }) }) })();
    </script>
    <img id="logo" src="/missing.png"><script src="/missing.js"></script><img src="http://localhost:1/blocked.png">`,
    }),
  );
  const text = await sees(agent, "errors", [
    /console says.*code.*7.*\[console\]/,
    /TypeError: thrown late/,
    /at later /,
    /RangeError: rejected/,
    /caused by Error: the middle/,
    /caused by Error: the root/,
    /missing\.png/,
    /missing\.js/,
    /img-src|Content.Security.Policy|csp/i,
  ]);
  const { errors } = await agent.json<{ errors: { source: string; message: string }[] }>("observe", {
    what: "errors",
    ...ALL,
  });
  expect(new Set(errors.map((e) => e.source))).toEqual(
    new Set(["console", "onerror", "unhandledrejection", "resource", "csp"]),
  );
  expect(text).toContain("<page-data ");
});

test("a request that fails tells status, and its body only when the user allowed bodies", async ({
  site,
  tab,
  profile,
  agent,
}) => {
  site.json("/api/pay", { error: "no currency", detail: { item: 3 } }, { status: 500 });
  await tab.goto(site.page("/", "<title>pay</title>"));
  const post = (way: string) =>
    tab.evaluate(async (how) => {
      if (how === "fetch")
        return (
          await fetch("/api/pay?by=fetch", {
            method: "POST",
            body: '{"cart":[3]}',
            headers: { "content-type": "application/json" },
          })
        ).text();
      return new Promise<string>((done) => {
        const request = new XMLHttpRequest();
        request.open("POST", `/api/pay?by=${how}`);
        request.onload = () => done(request.responseText);
        request.send("x=1");
      });
    }, way);
  await post("fetch");
  await post("xhr");
  const off = await sees(agent, "network_bodies", ["by=fetch", "by=xhr", "500"]);
  expect(off).not.toContain("no currency");
  expect(off).toMatch(/bodies/i); // the note says that they are off

  await profile.set("Capture bodies", true);
  await tab.bringToFront();
  await post("again");
  await post("fetch");
  const on = await sees(agent, "network_bodies", ["by=again", "no currency"]);
  expect(on).toContain("500");
  const handle = /(r\d+)[^\n]*by=again/.exec(on)?.[1];
  const one = await agent.ask("observe", { what: "network_bodies", id: handle });
  expect(one).toContain("x=1");
  expect(one).toContain("no currency");
});

test.describe("with bodies", () => {
  test.use({ bodies: true });

  test("a body is exact up to its limit; of a large one head and true size are kept", async ({ site, tab, agent }) => {
    const exact = "é".repeat(500) + "end";
    site.page("/exact", { body: exact, type: "text/plain" });
    const whole = 5 * 1024 * 1024;
    site.page("/large", {
      body: `start${"x".repeat(whole - 5)}`,
      type: "text/plain",
      headers: { "content-length": String(whole) },
    });
    site.page("/none", { status: 204 });
    await tab.goto(site.page("/", "<title>sizes</title>"));
    await tab.evaluate(async () => {
      for (const path of ["/exact", "/large", "/none"]) await (await fetch(path)).text();
    });
    await sees(agent, "network_bodies", ["/exact", "/large", "/none"]);
    const { entries } = await agent.json<{
      entries: { url: string; status: number; response_body?: string; sizes?: unknown; id: string }[];
    }>("observe", { what: "network_bodies", ...ALL });
    const find = async (path: string) => {
      const id = entries.find((e) => e.url.endsWith(path))?.id;
      return JSON.stringify(await agent.json("observe", { what: "network_bodies", id }));
    };
    expect(await find("/exact")).toContain(exact);
    const large = await find("/large");
    expect(large).toContain("truncated");
    expect(large).toContain(String(whole));
    expect(await find("/none")).toContain("204");
  });
});

test("requests that never get an answer are told apart: aborted, refused, beacon", async ({ site, tab, agent }) => {
  site.page("/slow", { body: "late", delay: 20_000 });
  site.page("/beacon", { status: 204 });
  await tab.goto(site.page("/", "<title>ends</title>"));
  await tab.evaluate(async () => {
    const control = new AbortController();
    setTimeout(() => control.abort(), 50);
    await fetch("/slow", { signal: control.signal }).catch(() => {});
    await fetch("http://127.0.0.1:9/refused").catch(() => {});
    navigator.sendBeacon("/beacon", "data");
  });
  const text = await sees(agent, "network_bodies", ["/slow", "/refused", "/beacon"]);
  const line = (part: string) => text.split("\n").find((l) => l.includes(part)) ?? "";
  expect(line("/slow")).toContain("aborted");
  expect(line("/refused")).toMatch(/net::ERR_|network_error|refused/i);
  expect(line("/beacon")).toMatch(/beacon/);
});

test("WebSockets and EventSources keep order, direction and the reason of their end", async ({ site, tab, agent }) => {
  site.sockets("/live", (socket) => {
    let n = 0;
    socket.onText = (text) => {
      socket.send(`echo ${text}`);
      if (++n === 5) socket.close(4001, "enough");
    };
  });
  site.page("/events", (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: price\ndata: 42\n\ndata: plain\n\n");
  });
  await tab.goto(
    site.page(
      "/",
      `<script>
    const socket = new WebSocket("ws://" + location.host + "/live");
    socket.onopen = () => socket.send("1");
    socket.onmessage = ({ data }) => { const n = Number(data.slice(5)); if (n < 5) socket.send(String(n + 1)); };
    const source = new EventSource("/events"); source.addEventListener("price", () => {});
  </script>`,
    ),
  );
  await sees(agent, "websocket_events", ["4001", "enough", "echo 5", "42", "plain"]);
  type Frame = { connection: string; direction?: string; data?: string; event: string };
  const { entries } = await agent.json<{ entries: Frame[] }>("observe", { what: "websocket_events", ...ALL });
  const socket = entries.find((e) => e.data === "1")?.connection;
  const messages = entries.filter((e) => e.connection === socket && e.event === "message");
  expect(messages.map((m) => m.data)).toEqual([
    "1",
    "echo 1",
    "2",
    "echo 2",
    "3",
    "echo 3",
    "4",
    "echo 4",
    "5",
    "echo 5",
  ]);
  expect(new Set(messages.map((m) => m.direction)).size).toBe(2);
});

test("what the user does is kept with ways to find the element again; a password never", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(
    site.page(
      "/",
      `<title>login</title><label>User <input name="user"></label><label>Password <input name="pw" type="password"></label>
    <button data-testid="go" onclick="history.pushState({}, '', '/inside?tab=2'); toast()">Sign in</button>
    <script>function toast() { const n = document.createElement("div"); n.className = "toast"; n.setAttribute("role", "status"); n.textContent = "Welcome back"; document.body.append(n); setTimeout(() => n.remove(), 700) }</script>`,
    ),
  );
  await tab.getByLabel("User").fill("ada");
  await tab.getByLabel("Password").fill("correct-horse-battery");
  await tab.getByTestId("go").click();
  const text = await sees(agent, "actions", [/click/, /input/, "Sign in", "ada", "/inside"]);
  expect(text).not.toContain("correct-horse");
  const click = /(a\d+)[^\n]*click[^\n]*Sign in/.exec(text)?.[1];
  const one = await agent.ask("observe", { what: "actions", id: click });
  expect(one).toContain("testid");
  expect(one).toMatch(/role/);
  await sees(agent, "transients", ["Welcome back"]);
});

test("the agent that attaches six seconds after the load gets everything from the first script", async ({
  site,
  tab,
  place,
}) => {
  test.slow();
  const say = (name: string) =>
    `<script>console.warn("first in ${name}"); setTimeout(() => { throw new Error("late in ${name}") })</script>`;
  site.page("/same", say("same"));
  site.page("/cross", say("cross"));
  site.page("/worker.js", {
    body: `fetch("/from-worker"); setTimeout(() => { throw new Error("thrown in worker") }, 50)`,
    type: "text/javascript",
  });
  site.json("/from-worker", 1);
  site.json("/early", { n: 1 }, { status: 503 });
  site.sockets("/live", (socket) => socket.send("hello socket"));
  await tab.goto(
    site.page(
      "/",
      `${say("main")}
    <iframe src="/same"></iframe><iframe src="${site.url("/cross", "localhost")}"></iframe>
    <iframe srcdoc='${say("srcdoc")}'></iframe><iframe sandbox="allow-scripts" src="/same?sandboxed"></iframe>
    <iframe sandbox="allow-scripts" srcdoc='${say("sandboxed srcdoc")}'></iframe>
    <script>
      fetch("/early"); new WebSocket("ws://" + location.host + "/live"); new Worker("/worker.js");
      document.body.appendChild(document.createElement("iframe")).contentWindow.console.warn("first in blank");
      const blob = document.createElement("iframe");
      blob.src = URL.createObjectURL(new Blob(["<script>console.warn('first in blob')</" + "script>"], { type: "text/html" }));
      document.body.append(blob);
    </script>`,
    ),
  );
  // The time that passes before anybody asks is the subject of this test.
  await new Promise((done) => setTimeout(done, 6000));
  const late = await connect(place, "latecomer");
  try {
    await sees(
      late,
      "logs",
      ["main", "same", "cross", "srcdoc", "sandboxed srcdoc", "blank", "blob"].map((n) => `first in ${n}`),
    );
    await sees(late, "errors", [
      "late in main",
      "late in same",
      "late in cross",
      "late in srcdoc",
      "late in sandboxed srcdoc",
      "thrown in worker",
    ]);
    await sees(late, "network_bodies", ["/early", "503"]);
    await sees(late, "errors", [/not seen of this tab's workers: console, rejections and requests/], {
      scope: "tab",
      limit: undefined,
    });
    await sees(late, "websocket_events", ["hello socket"]);
    const { errors } = await late.json<{ errors: { message: string }[] }>("observe", { what: "errors", ...ALL });
    expect(errors.filter((e) => e.message.includes("thrown in worker"))).toHaveLength(1);
  } finally {
    await late.close();
  }
});

test("what happened is kept over navigations, reloads and routes of the page", async ({ site, tab, agent }) => {
  site.json("/api/one", {}, { status: 500 });
  site.page("/b", `<script>console.error("error on b")</script>`);
  await tab.goto(site.page("/a", `<script>console.error("error on a"); fetch("/api/one")</script>`));
  await sees(agent, "network_bodies", ["/api/one"]);
  await tab.goto(site.url("/b"));
  await tab.reload();
  await tab.evaluate(() => {
    history.pushState({}, "", "/b/route");
    console.error("error on route");
  });
  const text = await sees(agent, "errors", ["error on a", "error on b", "error on route"]);
  expect(text.indexOf("error on a")).toBeLessThan(text.indexOf("error on route"));
  await sees(agent, "network_bodies", ["/api/one", "500"], { scope: "tab" });
  const all = await sees(agent, "timeline", ["error on a", "/api/one", "error on b", "/b/route", "error on route"]);
  expect(all.indexOf("error on a")).toBeLessThan(all.indexOf("error on b"));
});

test("stacks of a bundle are told in the words of its sources", async ({ site, tab, agent }) => {
  const dir = mkdtempSync(join(tmpdir(), "gasoline-bundle-"));
  try {
    writeFileSync(
      join(dir, "price.ts"),
      `export function price(item: { cents?: { value: number } }): number {\n  // a comment that the bundle loses\n  return item.cents!.value;\n}\n`,
    );
    writeFileSync(join(dir, "app.ts"), `import { price } from "./price";\nsetInterval(() => price({}), 500);\n`);
    const built = await build({
      entryPoints: [join(dir, "app.ts")],
      bundle: true,
      minify: true,
      sourcemap: true,
      write: false,
      outdir: dir,
      logLevel: "silent",
    });
    for (const file of built.outputFiles)
      site.page(`/${file.path.endsWith(".map") ? "app.js.map" : "app.js"}`, {
        body: file.text,
        type: "text/javascript",
      });
  } finally {
    rmSync(dir, { recursive: true });
  }
  await tab.goto(site.page("/", `<script src="/app.js"></script>`));
  await sees(agent, "errors", [/TypeError/, /price\.ts:3/, /app\.ts:2/]);
});

test("an iframe that cannot be captured and a worker's console are named", async ({ site, tab, agent }) => {
  site.page("/pay", "<script>console.log('in the iframe')</script>");
  site.page("/data", "data");
  site.page("/worker.js", { body: "console.log('in the worker'); fetch('/data')", type: "text/javascript" });
  site.page(
    "/",
    `<title>Shop</title><iframe src="${site.url("/pay", "pay.test")}"></iframe><script>new Worker("/worker.js")</script>`,
  );
  await tab.goto(site.url("/"));
  const text = await sees(
    agent,
    "errors",
    [/not captured: iframes of http:\/\/pay\.test/, /not seen of this tab's workers: console, rejections and requests/],
    {
      scope: "tab",
      limit: undefined,
    },
  );
  expect(text).not.toContain("no errors were seen");
});
