import { expect, test } from "./support/fixture.ts";

test("uncaught errors and unhandled rejections, whatever the page does with onerror", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  const url = server.page(`<script>
window.onerror = () => true; window.onunhandledrejection = (e) => e.preventDefault();
function boom() { null.x }
setTimeout(boom);
Promise.reject(new RangeError("far"));
setTimeout(() => { throw "a string" });
setTimeout(() => { throw { code: 7 } });
setTimeout(() => { throw new DOMException("stop", "AbortError") });
setTimeout(() => { throw undefined });
class Mine extends Error {}
setTimeout(() => { throw new Mine("own") });
</script>`);
  await page.goto(url);
  await records.one("exceptions", (x) => x.type === "Mine");
  const told = records.all("exceptions").map((x) => [x.mechanism, x.type, x.message]);
  expect(told).toContainEqual(["onerror", "TypeError", "Cannot read properties of null (reading 'x')"]);
  expect(told).toContainEqual(["unhandledrejection", "RangeError", "far"]);
  expect(told).toContainEqual(["onerror", "Thrown", "a string"]);
  expect(told).toContainEqual(["onerror", "Thrown", '{"code":7}']);
  expect(told).toContainEqual(["onerror", "AbortError", "stop"]);
  expect(told).toContainEqual(["onerror", "Error", "Uncaught undefined"]);
  expect(told).toContainEqual(["onerror", "Mine", "own"]);
  const boom = records.all("exceptions").find((x) => x.type === "TypeError")!;
  expect(boom).toMatchObject({ url, line: 3, handled: false });
  expect(boom.stack![0]).toMatchObject({ function: "boom", url, line: 3 });
  expect(boom.raw_stack).toContain("at boom");
});

test("resources that do not load are another mechanism", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(
    server.page(
      `<img id=pic src="/missing.png?token=abc"><script src="/missing.js"></script><link rel=stylesheet href="/missing.css">`,
    ),
  );
  await records.one("exceptions", (x) => x.element === "<link>");
  const script = await records.one("exceptions", (x) => x.element === "<script>");
  expect(script).toMatchObject({
    mechanism: "resource",
    type: "ResourceError",
    url: server.origin + "/missing.js",
  });
  const image = await records.one("exceptions", (x) => x.element === "<img#pic>");
  expect(image.url).toMatch(/missing\.png\?token=<token:[0-9a-f]{8}>$/);
});

test("cause chains, AggregateError, and what another origin hides", async ({ page, capture, server }) => {
  const records = await capture();
  const other = server.origin.replace("127.0.0.1", "localhost");
  await page.goto(
    server.page(`<script>
let error = new Error("root"); for (let i = 1; i < 9; i++) error = new Error("level " + i, { cause: error });
setTimeout(() => { throw error });
setTimeout(() => { throw new AggregateError(Array.from({ length: 20 }, (_, i) => new TypeError("part " + i)), "all of them") });
const loop = new Error("loop"); loop.cause = loop; setTimeout(() => { throw loop });
setTimeout(() => { throw new Error("odd cause", { cause: "text" }) });
</script><script src="${other}/error.js"></script>`),
  );
  const deep = await records.one("exceptions", (x) => x.message === "level 8");
  expect(deep.cause!.map((cause) => cause.message)).toEqual(["level 7", "level 6", "level 5", "level 4", "level 3"]);
  expect(deep.cause![0]!.stack!.length).toBeGreaterThan(0);
  const all = await records.one("exceptions", (x) => x.type === "AggregateError");
  expect(all.cause).toHaveLength(10);
  expect(all.cause![9]).toMatchObject({ type: "TypeError", message: "part 9" });
  expect((await records.one("exceptions", (x) => x.message === "loop")).cause).toBeUndefined();
  expect((await records.one("exceptions", (x) => x.message === "odd cause")).cause).toEqual([
    { type: "Thrown", message: "text" },
  ]);
  expect(await records.one("exceptions", (x) => x.message === "Script error.")).toMatchObject({
    type: "CrossOriginError",
    mechanism: "onerror",
  });
});

test("equal errors are told once and then counted", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(
    server.page(
      `<script>function again() { throw new Error("same") } for (let i = 0; i < 50; i++) setTimeout(again)</script>`,
    ),
  );
  const counted = await records.one("exceptions", (x) => x.count !== undefined);
  expect(counted).toMatchObject({ message: "same", count: 49 });
  expect(records.all("exceptions")).toHaveLength(2);
});

test("the error of a dedicated worker is told once, though it arrives twice", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page(""));
  const native = await page.evaluate(
    () =>
      new Promise<unknown[]>((done) => {
        const worker = new Worker("/worker.js");
        worker.onmessage = () => worker.postMessage(1);
        let heard = 0;
        const twice = (event: ErrorEvent): void => {
          if (++heard === 2) done([worker.constructor === Worker, worker instanceof Worker, event.message]);
        };
        worker.addEventListener("error", twice);
        addEventListener("error", twice);
      }),
  );
  expect(native).toEqual([true, true, "Uncaught TypeError: inside the worker"]);
  await page.evaluate(() =>
    setTimeout(() => {
      throw new Error("end");
    }),
  );
  await records.one("exceptions", (x) => x.message === "end");
  expect(records.all("exceptions").map((x) => [x.mechanism, x.type, x.message, x.url])).toEqual([
    ["worker", "TypeError", "inside the worker", server.origin + "/worker.js"],
    ["onerror", "Error", "end", expect.anything()],
  ]);
});

test("rejections of promises that are polyfills are recorded", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    // As core-js tells of them.
    const event = document.createEvent("Event");
    event.initEvent("unhandledrejection", false, true);
    window.dispatchEvent(Object.assign(event, { promise: Promise.resolve(), reason: new RangeError("of core-js") }));
    // As bluebird does.
    const detail = { promise: Promise.resolve(), reason: new RangeError("of bluebird") };
    window.dispatchEvent(new CustomEvent("unhandledrejection", { detail, cancelable: true }));
    void Promise.reject(new RangeError("native"));
  });
  await records.one("exceptions", (x) => x.message === "native");
  expect(records.all("exceptions").map((x) => [x.mechanism, x.type, x.message])).toEqual([
    ["unhandledrejection", "RangeError", "of core-js"],
    ["unhandledrejection", "RangeError", "of bluebird"],
    ["unhandledrejection", "RangeError", "native"],
  ]);
});

test("an element's own event named error is no resource", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("<my-form id=form></my-form><img id=image>"));
  await page.evaluate(() => {
    document.querySelector("#form")!.dispatchEvent(new CustomEvent("error", { detail: "validation" }));
    document.querySelector("#image")!.dispatchEvent(new Event("error"));
    (document.querySelector("#image") as HTMLImageElement).src = "/missing.png";
  });
  await records.one("exceptions", (x) => x.element === "<img#image>");
  expect(records.all("exceptions").map((x) => x.url)).toEqual([server.origin + "/missing.png"]);
});

test("errors that pass through a patch are told where the page is, each on its own", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  const url = server.page(`<script>
function a() { fetch("/refused") }
function b() { fetch("/refused") }
function c() { new XMLHttpRequest().send() }
function d() { new WebSocket("http://[bad") }
function e() { throw new Error("outer", { cause: caught(c) }) }
function caught(run) { try { run() } catch (error) { return error } }
for (const run of [a, b, c, d, e]) setTimeout(run);
</script>`);
  await page.goto(url);
  await records.one("exceptions", (x) => x.message === "outer");
  await records.one("exceptions", (x) => x.line === 3);
  const told = records.all("exceptions").sort((x, y) => x.line! - y.line!);
  expect(told.map((x) => [x.mechanism, x.url, x.line, x.count, x.stack?.[0]?.function])).toEqual([
    ["unhandledrejection", url, 2, undefined, "a"],
    ["unhandledrejection", url, 3, undefined, "b"],
    ["onerror", url, 4, undefined, "c"],
    ["onerror", url, 5, undefined, "d"],
    ["onerror", url, 6, undefined, "e"],
  ]);
  expect(told[4]!.cause![0]!.stack![0]).toMatchObject({ function: "c", url, line: 4 });
  expect(told[2]!.raw_stack).toContain("at c");
  expect(JSON.stringify(told)).not.toContain("gasoline-capture.js");
});
