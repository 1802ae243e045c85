import { attack, language, platform } from "./support/attack.ts";
import { expect, sameWithAndWithout, test } from "./support/fixture.ts";

test("a page that replaces every global and prototype method neither breaks nor reads the capture", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture({
    config: { bodies: true },
    native: true,
    entry: "./page-entry.ts",
  });
  await page.goto(
    server.page(`<script>
${attack(platform)}window.act = () => {
  save.console.log("after %s", "attack", { secret: "s3cr3t", list: [1, { two: 2 }], map: save.map });
  save.console.error("loud", new save.TypeError("inner"));
  (0, save.fetch)("/json");
  const xhr = new save.XHR(); save.apply(save.open, xhr, ["POST", "/echo"]); save.apply(save.send, xhr, ["posted"]);
  (0, save.setTimeout)(() => { throw new save.TypeError("thrown") });
};
save.map = new Map([["k", 1]]); save.TypeError = TypeError;
</script>`),
  );
  // In a task of the page, since Playwright's own scripts in the page do not survive it.
  await page.evaluate("void setTimeout(() => { attack(); act() })");
  const log = await records.one("logs", (x) => x.message.startsWith("after attack"));
  expect(log.args).toEqual([
    "after %s",
    "attack",
    {
      secret: expect.stringMatching(/^<secret:/),
      list: [1, { two: 2 }],
      map: { "[class]": "Map", size: 1, entries: [["k", 1]] },
    },
  ]);
  expect((await records.one("logs", (x) => x.level === "error")).message).toBe("loud TypeError: inner");
  const exchange = await records.one("network", (x) => x.url.endsWith("/json"));
  expect(exchange).toMatchObject({ method: "GET", status: 200, outcome: "ok" });
  expect(exchange.response_body).toContain('"items":[1,2]');
  expect(await records.one("network", (x) => x.url.endsWith("/echo"))).toMatchObject({
    method: "POST",
    status: 200,
    request_body: "posted",
  });
  expect(await records.one("exceptions", (x) => x.message === "thrown")).toMatchObject({
    type: "TypeError",
    mechanism: "onerror",
  });
  const session = await page.context().newCDPSession(page);
  const read = async (expression: string) =>
    (await session.send("Runtime.evaluate", { expression, returnByValue: true })).result.value as unknown;
  const stolen = String(await read("stolen")).split("|");
  // Natives that we pass a call to run the page's code as ever (console.error reads an error's toString): what counts
  // is who called the spy, the third line from the top.
  const callers = stolen.map(
    (where) => where.split("\n").filter((line) => line.includes(" at ") && !line.includes("/page/"))[0] ?? "",
  );
  expect(callers.filter((line) => line.includes("gasoline-capture.js"))).toEqual([]);
});

test("the document half in the page's own realm lets no replacement run and is not broken by any", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture({ page: false, document: true, native: true, entry: "./document-entry.ts" });
  await page.goto(
    server.page(`<script>${attack(language)}</script><label>Name <input id=name></label>
<button onclick="document.querySelector('#note').hidden = false">Buy</button><p id=note role=alert hidden>Out of stock</p>
<label>Size <select><option>Small<option>Large</select></label><input type=password aria-label=Secret>`),
  );
  const session = await page.context().newCDPSession(page);
  const read = async (expression: string) =>
    (await session.send("Runtime.evaluate", { expression, returnByValue: true })).result.value as unknown;
  const place = async (selector: string) => {
    const [x, y] = String(
      await read(
        `(() => { const b = document.querySelector("${selector}").getBoundingClientRect(); return (b.x + b.width / 2) + " " + (b.y + b.height / 2) })()`,
      ),
    ).split(" ");
    return [Number(x), Number(y)] as const;
  };
  const places = { name: await place("#name"), buy: await place("button"), secret: await place("[type=password]") };
  // In a task of the page, since Playwright's own scripts in the page do not survive it; from there on by the protocol only.
  await read("void setTimeout(attack)");
  await page.mouse.click(...places.name);
  await session.send("Input.insertText", { text: "Ada" });
  await page.mouse.click(...places.secret);
  await session.send("Input.insertText", { text: "hunter2" });
  await page.mouse.click(...places.buy);
  const input = await records.one("actions", (x) => x.type === "input" && x.name === "Name");
  expect(input).toMatchObject({ value: "Ada", role: "textbox", by: "user" });
  expect(input.locators?.map(({ kind, matches }) => [kind, matches])).toContainEqual(["role", 1]);
  const secret = await records.one("actions", (x) => x.type === "input" && x.name === "Secret");
  expect(secret.value).toMatch(/^<password:/);
  expect(await records.one("actions", (x) => x.type === "click" && x.name === "Buy")).toMatchObject({ role: "button" });
  expect(await records.one("dom", (x) => x.type === "transient")).toMatchObject({ text: "Out of stock" });
  const told = await records.one("performance", (x) => x.inp !== undefined);
  expect(told.inp?.value).toBeGreaterThanOrEqual(0);
  const stolen = String(await read("stolen")).split("|");
  const callers = stolen.map(
    (where) => where.split("\n").filter((line) => line.includes(" at ") && !line.includes("/page/"))[0] ?? "",
  );
  expect(callers.filter((line) => line.includes("gasoline-capture.js"))).toEqual([]);
  // What it had replaced is the page's as before.
  expect(await read("[].map()")).toBe("prototype 1 map");
  expect(await read("capture.failures()")).toBe(0);
});

test("what values of the page throw is no failure: every source goes on", async ({ page, capture, server }) => {
  const records = await capture({ handle: true, document: true });
  await page.goto(server.page("<my-form id=form></my-form>"));
  const told = await page.evaluate(async () => {
    const { captures } = (
      window as never as { capture: { captures: { health(): { source: string; failures: number }[] }[] } }
    ).capture;
    const fail = (): never => {
      throw new Error("the page's");
    };
    const bad = { toString: fail } as never;
    const traps = { getPrototypeOf: fail, getOwnPropertyDescriptor: fail, ownKeys: fail, get: fail, has: fail };
    const proxy = new Proxy({}, traps) as never;
    const proxyError = new Proxy(new Error("x"), { ...traps, getPrototypeOf: Reflect.getPrototypeOf } as never);
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws");
    await new Promise((open) => (socket.onopen = open));
    const stream = new EventSource("/sse");
    const worker = new Worker("/worker.js");
    const answers = new Set<string>();
    const attempt = (what: () => unknown): void => {
      try {
        void (what() as Promise<unknown> | undefined)?.catch?.((error: Error) => answers.add(error.message));
      } catch (error) {
        answers.add((error as Error).message);
      }
    };
    const custom = (type: string): Event => {
      const event = document.createEvent("Event");
      event.initEvent(type, false, true);
      return event;
    };
    const xhr = new XMLHttpRequest();
    for (let i = 0; i < 25; i++) {
      window.dispatchEvent(custom("error"));
      window.dispatchEvent(custom("unhandledrejection"));
      window.dispatchEvent(Object.assign(custom("unhandledrejection"), { reason: proxyError }));
      window.dispatchEvent(new ErrorEvent("error", { error: proxyError, message: "proxied" }));
      document.dispatchEvent(custom("securitypolicyviolation"));
      document.querySelector("#form")!.dispatchEvent(new CustomEvent("error"));
      for (const value of [bad, proxy, revoked as never, Symbol("s") as never, proxyError as never]) {
        attempt(() => fetch(value));
        attempt(() => fetch("/json", value).then((response) => response.text()));
        attempt(() => fetch("/json", { headers: value }).then((response) => response.text()));
        attempt(() => xhr.open("GET", value));
        attempt(() => xhr.open(value, "/json"));
        xhr.open("GET", "/json");
        attempt(() => xhr.setRequestHeader(value, value));
        attempt(() => navigator.sendBeacon(value));
        attempt(() => new Worker(value));
        attempt(() => new WebSocket(value));
        attempt(() => new EventSource(value));
        attempt(() => socket.send(value));
        attempt(() => stream.addEventListener(value, () => {}));
        attempt(() => console.log(value, "%s", value, new Proxy(() => {}, traps)));
        attempt(() => console.error("%o %s %d", value, value, value));
        attempt(() => document.write(value));
      }
      attempt(() => XMLHttpRequest.prototype.open.call({} as never, "GET", "/", true));
      attempt(() => XMLHttpRequest.prototype.open.call(proxy, "GET", "/", true));
      attempt(() => fetch.call({} as never, "/"));
      attempt(() => navigator.sendBeacon.call({} as never, "/"));
      for (const type of ["message", "error", "close", "open"]) {
        for (const target of [socket, stream, worker, xhr]) target.dispatchEvent(custom(type));
      }
      for (const type of ["abort", "error", "timeout", "readystatechange"]) xhr.dispatchEvent(custom(type));
    }
    const failed = captures.flatMap((capture) => capture.health()).filter((source) => source.failures > 0);
    return { failed, answers: [...answers].filter((answer) => answer === "the page's") };
  });
  expect(told).toEqual({ failed: [], answers: ["the page's"] });
  await page.evaluate(() => {
    console.log("goes on");
    void fetch("/text?real").then((response) => response.text());
    const xhr = new XMLHttpRequest();
    xhr.open("GET", "/text?xhr");
    xhr.send();
    navigator.sendBeacon("/echo?beacon");
    setTimeout(() => {
      throw new Error("real");
    });
  });
  await records.one("logs", (x) => x.message === "goes on");
  await records.one("exceptions", (x) => x.message === "real");
  for (const query of ["?real", "?xhr", "?beacon"]) await records.one("network", (x) => x.url.endsWith(query));
  expect(records.all("exceptions").filter((x) => x.mechanism === "resource" || x.mechanism === "csp")).toEqual([]);
});

test("no object of the page gets at the capture", async ({ context, server }) => {
  const asked = await sameWithAndWithout(context, server.page("x"), () => {
    const told: unknown[] = [];
    const receiver = { gasoline: "who runs this realm?" };
    for (const name of Object.getOwnPropertyNames(Document.prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(Document.prototype, name)!;
      if (typeof value !== "function" || name === "constructor") continue;
      try {
        told.push(name, String(value.call(receiver, receiver, receiver)));
      } catch (error) {
        told.push(name, (error as Error).message);
      }
    }
    return [...told, Object.keys(receiver)];
  });
  expect(asked).toContainEqual(["gasoline"]);
});

test("somebody who wraps on top stays on top; stop gives back only what is ours", async ({ page, capture, server }) => {
  const records = await capture({ handle: true });
  await page.goto(server.page(""));
  const result = await page.evaluate(async () => {
    const w = window as never as { capture: { captures: { stop(): void }[] } };
    const ours = { fetch: window.fetch, log: console.log, open: XMLHttpRequest.prototype.open };
    let wrapped = 0;
    const on = window.fetch;
    window.fetch = function (...args) {
      wrapped++;
      return on.apply(this as never, args as never);
    };
    const theirs = window.fetch;
    await fetch("/json?before");
    w.capture.captures[0]!.stop();
    await fetch("/json?after");
    console.log("after stop");
    return [
      window.fetch === theirs,
      wrapped,
      console.log === ours.log,
      XMLHttpRequest.prototype.open === ours.open,
      String(console.log),
    ];
  });
  expect(result).toEqual([true, 2, false, false, "function log() { [native code] }"]);
  expect(records.all("network").map((x) => x.url.split("?")[1])).not.toContain("after");
  expect(records.all("logs")).toEqual([]);
});

test("nothing about the patched functions tells: text, name, length, descriptors, keys", async ({
  context,
  server,
}) => {
  const seen = await sameWithAndWithout(context, server.page("x"), () => {
    const owners: [string, object, string[]][] = [
      ["window", window, ["fetch", "WebSocket", "EventSource", "Worker", "XMLHttpRequest"]],
      [
        "console",
        console,
        [
          "log",
          "info",
          "warn",
          "error",
          "debug",
          "trace",
          "assert",
          "dir",
          "table",
          "group",
          "groupCollapsed",
          "groupEnd",
          "count",
        ],
      ],
      ["xhr", XMLHttpRequest.prototype, ["open", "send", "setRequestHeader", "abort", "constructor"]],
      ["ws", WebSocket.prototype, ["send", "close", "constructor"]],
      ["navigator", Navigator.prototype, ["sendBeacon"]],
      ["document", Document.prototype, ["open", "write", "writeln", "close"]],
      ["target", EventTarget.prototype, ["addEventListener"]],
      ["function", Function.prototype, ["toString"]],
    ];
    const told: unknown[] = [];
    for (const [where, owner, names] of owners) {
      told.push(
        where,
        Object.keys(owner).length,
        Object.getOwnPropertyNames(owner).sort().join().slice(0, 5000),
        Object.getOwnPropertySymbols(owner).map(String),
      );
      for (const name of names) {
        const own = Object.getOwnPropertyDescriptor(owner, name)!;
        const fn = own.value as Function;
        told.push(
          name,
          fn.name,
          fn.length,
          String(fn),
          Function.prototype.toString.call(fn),
          fn + "",
          own.writable,
          own.enumerable,
          own.configurable,
          typeof fn,
          Object.getOwnPropertyNames(fn).sort(),
          "prototype" in fn,
          Object.prototype.toString.call(fn),
        );
        if (name !== "toString") {
          try {
            told.push(new (fn as never as new (...args: unknown[]) => object)("x:") instanceof Object);
          } catch (error) {
            told.push((error as Error).constructor.name);
          }
        }
      }
    }
    return told;
  });
  expect(JSON.stringify(seen)).toContain("function fetch() { [native code] }");
});

test("RegExp.$1 and the other statics of the page are left alone", async ({ page, capture, server }) => {
  const records = await capture({ config: { bodies: true } });
  await page.goto(server.page(""));
  const after = await page.evaluate(() => {
    /(k)(e)y/.exec("a key");
    console.log("x %s", { password: "p", url: "http://a/?token=b" }, new Error("e"));
    console.error("y", new Error("z"));
    void fetch("/echo?token=1", {
      method: "POST",
      body: '{"password":"a"}',
      headers: { authorization: "Bearer x" },
    });
    const xhr = new XMLHttpRequest();
    xhr.open("GET", "/json?key=1", false);
    xhr.send();
    return [RegExp.$1, RegExp.$2, RegExp.lastMatch, RegExp.leftContext];
  });
  expect(after).toEqual(["k", "e", "key", "a "]);
  await records.one("network");
});

test("the capture never records itself, and the page's errors stay the page's", async ({ page, capture, server }) => {
  const records = await capture({ config: { bodies: true } });
  await page.goto(server.page(""));
  const thrown = await page.evaluate(() => {
    const log = console.log;
    console.log = (...args: unknown[]) => {
      log.apply(console, args);
      log.apply(console, ["wrapped", ...args]);
    };
    console.log("one");
    try {
      JSON.parse("{");
    } catch (error) {
      return (error as Error).stack!.includes("eval");
    }
    return false;
  });
  expect(thrown).toBeDefined();
  await records.one("logs", (x) => x.message === "wrapped one");
  expect(records.all("logs").map((x) => x.message)).toEqual(["one", "wrapped one"]);
});
