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
const save = { Error, setTimeout, console: { log: console.log, error: console.error }, fetch, XHR: XMLHttpRequest, open: XMLHttpRequest.prototype.open, send: XMLHttpRequest.prototype.send, apply: Reflect.apply };
window.stolen = "";
// Whoever comes here: Playwright's own scripts in the page do, ours must not. A text, because it breaks the arrays too.
const caught = (where) => { window.stolen += where + " " + new save.Error().stack + "|" };
const spy = (where) => function () { caught(where); return where };
const setPrototypeOf = Object.setPrototypeOf, own = Reflect.ownKeys, define = Reflect.defineProperty, get = Reflect.getOwnPropertyDescriptor;
const Array_prototype = Array.prototype, Object_prototype = Object.prototype, species = Symbol.species;
const names = ["toJSON", "get", "set", "value", "apply", "construct", "gasoline", "kind", "event", "records"];
const classes = [String, Array, Map, WeakMap, Set, Promise, Function, RegExp, Error, Response, Headers, Request, EventTarget, Event, CustomEvent, ErrorEvent, ReadableStream, ReadableStreamDefaultReader, TextDecoder, TextEncoder, URL, URLSearchParams, Number, BigInt, Symbol, XMLHttpRequest, MessageEvent];
const statics = [Object, Reflect, JSON, Math, Array, Date, Promise, Number, String, Symbol];
const globals = ["Map", "WeakMap", "Promise", "Proxy", "URL", "TextDecoder", "TextEncoder", "CustomEvent", "setTimeout", "clearTimeout", "queueMicrotask", "Uint8Array", "Error", "Response", "Request"];
window.attack = () => {
  // The attack breaks what it stands on: from here on only indexes and saved functions.
  const bare = (object) => setPrototypeOf(object, null);
  const replace = (owner, key, where) => {
    const d = get(owner, key);
    if (!d || !d.configurable || key === "constructor") return;
    if (typeof d.value === "function") define(owner, key, bare({ configurable: true, writable: true, value: spy(where) }));
    else if (d.get) define(owner, key, bare({ configurable: true, get: spy(where) }));
  };
  const text = (key) => (typeof key === "symbol" ? "symbol" : key);
  for (let i = 0; i < classes.length; i++) for (let k = 0, keys = own(classes[i].prototype); k < keys.length; k++) replace(classes[i].prototype, keys[k], "prototype " + i + " " + text(keys[k]));
  for (let i = 0; i < statics.length; i++) for (let k = 0, keys = own(statics[i]); k < keys.length; k++) if (keys[k] !== species) replace(statics[i], keys[k], "static " + i + " " + text(keys[k]));
  for (let i = 0; i < globals.length; i++) define(window, globals[i], bare({ configurable: true, writable: true, value: spy("global " + globals[i]) }));
  for (let i = 0; i < 3; i++) define(Array_prototype, "" + i, bare({ configurable: true, set(v) { caught('set ' + i) }, get() { return "hole" } }));
  for (let i = 0; i < names.length; i++) define(Object_prototype, names[i], bare({ configurable: true, get() { caught("get " + names[i]); return spy(names[i]) }, set(v) { caught('set ' + names[i]) } }));
};
window.act = () => {
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
