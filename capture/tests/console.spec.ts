import { fileURLToPath } from "node:url";
import { expect, test } from "./support/fixture.ts";

test("every console method is recorded once, with its level, and the native still prints once", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  const printed: string[] = [];
  page.on("console", (message) => printed.push(message.type() + ":" + message.text()));
  await page.goto(server.page("<title>console</title>"));
  await page.evaluate(() => {
    console.log("a");
    console.info("b");
    console.warn("c");
    console.error("d");
    console.debug("e");
    console.trace("f");
    console.assert(true, "never");
    console.assert(false, "g %s", "h");
    console.dir({ i: 1 });
    console.table([{ j: 1 }]);
    console.group("k");
    console.groupCollapsed("l");
    console.groupEnd();
    console.log();
  });
  await records.one("logs", (log) => log.message === "l");
  const logs = records.all("logs").map((log) => [log.logger ?? "", log.level, log.message]);
  expect(logs).toEqual([
    ["", "log", "a"],
    ["", "info", "b"],
    ["", "warn", "c"],
    ["", "error", "d"],
    ["", "debug", "e"],
    ["trace", "debug", "f"],
    ["assert", "error", "Assertion failed: g h"],
    ["dir", "log", '{"i":1}'],
    ["table", "log", '[{"j":1}]'],
    ["group", "log", "k"],
    ["group", "log", "l"],
    ["", "log", ""],
  ]);
  expect(printed.filter((line) => line === "log:a")).toHaveLength(1);
  expect(printed.filter((line) => line.startsWith("assert:"))).toHaveLength(1);
});

test("counters and timers are recorded as the browser prints them", async ({ page, capture, server }) => {
  const records = await capture();
  const printed: string[] = [];
  page.on("console", (message) => printed.push(message.type() + ":" + message.text()));
  await page.goto(server.page("<title>console</title>"));
  const asked = await page.evaluate(() => {
    let asked = 0;
    const label = { toString: () => (asked++, console.log("in toString"), "row") };
    console.count();
    console.count("default");
    console.count(label as never);
    console.count("100%s");
    console.countReset("default");
    console.count(undefined);
    console.countReset("nobody");
    console.time("load");
    console.time("load");
    console.timeLog("load", { step: 1 }, "two %d", 2);
    console.timeEnd("load");
    console.timeEnd("load");
    console.dirxml(document.head);
    console.clear();
    console.log("end");
    return asked;
  });
  await records.one("logs", (log) => log.message === "end");
  expect(asked).toBe(1);
  const steady = (text: string): string => text.replace(/\d+(\.\d+)? ms/, "N ms");
  const logs = records.all("logs").map((log) => [log.logger ?? "", log.level, steady(log.message)]);
  expect(logs).toEqual([
    ["count", "log", "default: 1"],
    ["count", "log", "default: 2"],
    ["", "log", "in toString"],
    ["count", "log", "row: 1"],
    ["count", "log", "100%s: 1"],
    ["count", "log", "default: 1"],
    ["countReset", "warn", "Count for 'nobody' does not exist"],
    ["time", "warn", "Timer 'load' already exists"],
    ["timeLog", "log", 'load: N ms {"step":1} two %d 2'],
    ["timeEnd", "log", "load: N ms"],
    ["timeEnd", "warn", "Timer 'load' does not exist"],
    ["dirxml", "log", "<head>"],
    ["clear", "log", "The console was cleared"],
    ["", "log", "end"],
  ]);
  expect(records.all("logs")[8]!.args).toEqual([{ step: 1 }, "two %d", 2]);
  // Each line of the browser's that is not about an object is one of ours, word for word.
  const ours = logs.map((log) => log[2]);
  for (const line of printed.map((text) => steady(text.slice(text.indexOf(":") + 1))))
    if (/nobody|Timer|row|default|100/.test(line)) expect(ours).toContain(line);
});

test("a thousand labels are counted; what is beyond says so", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("<title>console</title>"));
  await page.evaluate(() => {
    for (let i = 0; i < 1001; i++) console.count("k" + i);
    console.count("k1");
    console.countReset("k1000");
    console.countReset("k2");
    console.count("more");
    console.count("more");
    console.log("end");
  });
  await records.one("logs", (log) => log.message === "end");
  const last = records
    .all("logs")
    .slice(-6)
    .map((log) => log.message);
  expect(last).toEqual([
    "k999: 1",
    "k1000: (counted by the browser alone: there are more than 1,000 counters)",
    "k1: 2",
    "more: 1",
    "more: 2",
    "end",
  ]);
});

test("%s %d %i %f %o %O %c %% make the text that the console prints", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    console.log("%s is %d years, %i, %f, 100%%", "Ada", 36.9, "12px", 1.5);
    console.log("%cstyled%c plain", "color: red", "");
    console.log("object %o and %O", { a: 1 }, [2], "extra", 3);
    console.log("%d %d %d", 10n, "x", { valueOf: () => 5 });
    console.log("%s %s", "one");
    console.log("%z %");
    console.log("100%", "sure");
    console.log(Symbol("s"), -0, null, undefined, 7n);
  });
  await records.one("logs", (log) => log.message.startsWith("Symbol"));
  expect(records.all("logs").map((log) => log.message)).toEqual([
    "Ada is 36 years, 12, 1.5, 100%",
    "styled plain",
    'object {"a":1} and [2] extra 3',
    "10n NaN NaN",
    "one %s",
    "%z %",
    "100% sure",
    "Symbol(s) -0 null undefined 7n",
  ]);
});

test("only warn, error, trace and assert carry a stack, and it begins at the page's call", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  const url = server.page(`<script>
function shout() { console.error("loud") }
shout();
console.log("quiet"); console.warn("w"); console.trace("t"); console.assert(0, "as");
</script>`);
  await page.goto(url);
  await records.one("logs", (log) => log.message.includes("as"));
  const [loud, quiet, ...rest] = records.all("logs");
  expect(loud!.stack!.map((frame) => [frame.function, frame.url, frame.line])).toEqual([
    ["shout", url, 2],
    ["", url, 3],
  ]);
  expect([loud!.url, loud!.line, loud!.column]).toEqual([url, 2, 28]);
  expect(quiet!.stack).toBeUndefined();
  for (const log of rest) expect(log.stack![0]!.line).toBe(4);
});

test("values are taken when they are logged", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    const cart = { items: [{ price: 1 }] };
    console.log("cart", cart);
    cart.items[0]!.price = 99;
    cart.items.push({ price: 5 });
  });
  const log = await records.one("logs");
  expect(log.args).toEqual(["cart", { items: [{ price: 1 }] }]);
});

test("depth, width, nodes and size are bounded, and say so", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    console.log("big", "x".repeat(1_000_000));
    let deep: unknown = "bottom";
    for (let i = 0; i < 10; i++) deep = { deep };
    console.log("deep", deep);
    console.log("wide", Object.fromEntries(Array.from({ length: 500 }, (_, i) => ["k" + i, i])));
    console.log(
      "long",
      Array.from({ length: 1000 }, (_, i) => i),
    );
    console.log(
      "many",
      Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => ({ a: {} }))),
    );
    console.log("sparse", [1, , 3]); // oxlint-disable-line no-sparse-arrays
  });
  await records.one("logs", (log) => log.message.startsWith("sparse"));
  for (const log of records.all("logs")) expect(JSON.stringify(log).length).toBeLessThan(35_000);
  const find = (name: string) => records.all("logs").find((log) => log.message.startsWith(name))!;
  expect(find("big").message.length).toBeLessThanOrEqual(10_000);
  expect(find("big").flags).toEqual(["truncated"]);
  expect(JSON.stringify(find("deep").args)).toContain(
    '{"deep":{"deep":{"deep":{"deep":{"deep":{"deep":"[object]"}}}}}}',
  );
  const wide = (find("wide").args as Record<string, unknown>[])[1]!;
  expect(Object.keys(wide)).toHaveLength(101);
  expect(wide["…"]).toBe("400 more");
  expect((find("long").args as unknown[][])[1]!.at(-1)).toBe("… 900 more");
  expect(find("many").flags).toEqual(["truncated"]);
  expect((find("sparse").args as unknown[])[1]).toEqual([1, "[empty]", 3]);
});

test("no getter, toJSON, toString or valueOf of the page runs; platform objects are told in a word", async ({
  page,
  capture,
  server,
}) => {
  const url = server.page("<div id=app class='a b'></div>");
  const look = () => {
    const ran: string[] = [];
    const note = (name: string) => () => (ran.push(name), name);
    class Cart {
      total = 3;
      get tax() {
        return note("tax")();
      }
    }
    class Odd extends Error {
      override get message() {
        return note("message")();
      }
      get [Symbol.toStringTag]() {
        return note("tag")();
      }
    }
    console.log("values", {
      get loud() {
        return note("getter")();
      },
      toJSON: note("toJSON"),
      toString: note("toString"),
      valueOf: note("valueOf"),
      [Symbol.toPrimitive]: note("toPrimitive"),
    });
    console.log("class", new Cart(), Object.create(null), Object.create(Map.prototype), new (class {})());
    console.log("errors", new Odd(), new TypeError("bad"), new DOMException("no", "AbortError"));
    console.log("maps", new Map<unknown, unknown>([["a", { b: 1 }]]), new Set([1, "2"]), new WeakMap(), new WeakSet());
    console.log(
      "bytes",
      new Uint8Array([1, 2, 3]),
      new ArrayBuffer(8),
      new DataView(new ArrayBuffer(4)),
      new Float64Array(20),
    );
    console.log("time", new Date(0), new Date(NaN), /a+/gi, new URL("http://x/y"), Promise.resolve(1));
    console.log(
      "dom",
      document.getElementById("app"),
      document,
      window,
      new MouseEvent("click"),
      document.createTextNode("t"),
    );
    console.log(
      "net",
      new Response("x", { status: 201 }),
      new Request("/r", { method: "PUT" }),
      new Headers(),
      new FormData(),
      new Blob(["abc"], { type: "text/x" }),
      new File(["abc"], "f.txt"),
    );
    console.log(
      "plain",
      function named() {},
      () => {},
      class Named {},
      Symbol("s"),
      new String("boxed"),
    );
    return ran;
  };
  // V8 itself reads an overridden message while the error is made: what runs without us may run with us.
  await page.goto(url);
  const native = await page.evaluate(look);
  const records = await capture();
  await page.goto(url);
  expect(await page.evaluate(look)).toEqual(native);
  expect(new Set(native)).toEqual(new Set(["message"]));
  await records.one("logs", (log) => log.message.startsWith("plain"));
  const args = (name: string): unknown[] =>
    (records.all("logs").find((log) => log.message.startsWith(name))!.args as unknown[]).slice(1);
  expect(args("values")[0]).toEqual({
    loud: "[getter]",
    toJSON: "[function anonymous]",
    toString: "[function anonymous]",
    valueOf: "[function anonymous]",
  });
  expect(args("class")).toEqual([{ "[class]": "Cart", total: 3 }, {}, { "[class]": "Map" }, {}]);
  expect(args("errors")).toEqual(["Odd", "TypeError: bad", "AbortError: no"]);
  expect(args("maps")).toEqual([
    { "[class]": "Map", size: 1, entries: [["a", { b: 1 }]] },
    { "[class]": "Set", size: 2, values: [1, "2"] },
    "[WeakMap]",
    "[WeakSet]",
  ]);
  expect(args("bytes")).toEqual([
    "[Uint8Array 3: 1, 2, 3]",
    "[ArrayBuffer 8 bytes]",
    "[DataView 4 bytes]",
    "[Float64Array 20: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, …]",
  ]);
  expect(args("time")).toEqual(["1970-01-01T00:00:00.000Z", "Invalid Date", "/a+/gi", "http://x/y", "[Promise]"]);
  expect(args("dom")).toEqual([
    "<div#app.a.b>",
    "#document",
    "[Window]",
    { "[class]": "MouseEvent", type: "click", button: 0, clientX: 0, clientY: 0 },
    "#text t",
  ]);
  expect(args("net")).toEqual([
    { "[class]": "Response", status: 201, type: "default", bodyUsed: false, headers: expect.anything() },
    {
      "[class]": "Request",
      method: "PUT",
      url: `${server.origin}/r`,
      mode: "cors",
      headers: "[Headers]",
    },
    "[Headers]",
    "[FormData]",
    "[Blob 3 bytes text/x]",
    "[File f.txt 3 bytes]",
  ]);
  expect(args("plain")).toEqual([
    "[function named]",
    "[function anonymous]",
    "[function Named]",
    "Symbol(s)",
    "[String boxed]",
  ]);
});

test("cycles are told from repeats; odd numbers, bigint and lone surrogates survive", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    const shared = { s: 1 };
    const loop: Record<string, unknown> = { a: shared, b: shared };
    loop["self"] = loop;
    console.log("x", loop, [-0, NaN, Infinity, 9007199254740993n, undefined, null, "\ud800", 1e21]);
    console.log("lone \udfff");
  });
  await records.one("logs", (log) => log.message.startsWith("lone"));
  const [first, second] = records.all("logs");
  expect(first!.args).toEqual([
    "x",
    { a: { s: 1 }, b: { s: 1 }, self: "[circular]" },
    ["-0", "NaN", "Infinity", "9007199254740993n", "[undefined]", null, "\ud800", 1e21],
  ]);
  expect(second!.message).toBe("lone \udfff");
});

test("an effect of Vue that logs its state does not run again at a new key", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.addScriptTag({ path: fileURLToPath(import.meta.resolve("@vue/reactivity/dist/reactivity.global.js")) });
  const runs = await page.evaluate(() => {
    const { effect, reactive } = (
      window as never as { VueReactivity: { effect: (run: () => void) => void; reactive: <T>(state: T) => T } }
    ).VueReactivity;
    class Cart {
      kept = 1;
    }
    const state = reactive({
      list: { a: 1 } as Record<string, number>,
      cart: new Cart() as never as { extra?: number },
    });
    let count = 0;
    effect(() => {
      count++;
      console.log("cart", state.list, state.cart);
    });
    for (let i = 0; i < 5; i++) state.list["k" + i] = i;
    state.cart.extra = 1;
    return count;
  });
  expect(runs).toBe(1);
  const log = await records.one("logs", (x) => x.message.startsWith("cart"));
  expect(log.args).toEqual(["cart", { a: 1 }, { "[class]": "Cart", kept: 1 }]);
});

test("throwing proxies and a proxy that logs neither break nor feed the capture", async ({ page, capture, server }) => {
  const records = await capture();
  const printed: string[] = [];
  page.on("console", (message) => printed.push(message.text()));
  await page.goto(server.page(""));
  await page.evaluate(() => {
    const angry = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
        getPrototypeOf: () => {
          throw new Error("no");
        },
      },
    );
    const chatty = new Proxy(
      { a: 1 },
      {
        ownKeys: (t) => (console.log("from the trap"), void fetch("/from-trap").catch(() => {}), Reflect.ownKeys(t)),
      },
    );
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    console.log("proxies", angry, chatty, proxy);
    console.log("end");
  });
  await records.one("logs", (log) => log.message === "end");
  expect(records.all("logs").map((log) => log.args ?? log.message)).toEqual([
    ["proxies", "[unreadable]", { a: 1 }, "[unreadable]"],
    "end",
  ]);
  expect(records.all("network")).toEqual([]);
  // Chromium's own console never runs traps, so the page's line was printed for our walk alone: it must stay uncaptured.
  expect(printed.filter((text) => text === "from the trap").length).toBeLessThanOrEqual(1);
});

test("React elements, components and Vue internals are cut", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    console.log("x", {
      element: { $$typeof: Symbol.for("react.element"), props: { a: 1 } },
      component: { _reactInternals: {}, state: 1 },
      vue: { __v_skip: true, big: {} },
    });
  });
  const log = await records.one("logs");
  expect(log.args).toEqual([
    "x",
    { element: "[React element]", component: "[React component]", vue: "[Vue internal]" },
  ]);
});

test("redaction: members with secret names are masked by stable pseudonyms that depend on the salt", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture({ config: { salt: "s1" } });
  await page.goto(server.page(""));
  await page.evaluate(() => {
    console.log("login", {
      user: "ada",
      password: "hunter2",
      accessToken: "abc",
      passwordHint: "dog",
      nested: new Map([["api_key", "hunter2"]]),
    });
    console.log("again", { password: "hunter2" });
  });
  await records.one("logs", (log) => log.message.startsWith("again"));
  const [a, b] = records.all("logs").map((log) => (log.args as Record<string, unknown>[])[1]!);
  expect(a!["password"]).toMatch(/^<password:[0-9a-f]{8}>$/);
  expect(a!["accessToken"]).toMatch(/^<access_token:[0-9a-f]{8}>$/);
  expect(a!["passwordHint"]).toBe("dog");
  expect(b!["password"]).toBe(a!["password"]);
  expect(JSON.stringify(records.batches)).not.toContain("hunter2");
});
