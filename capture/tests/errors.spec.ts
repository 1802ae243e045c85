import { expect, sameWithAndWithout, test } from "./support/fixture.ts";

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

test("what did not load says why: status, type, integrity, what it imports", async ({ page, capture, server }) => {
  const records = await capture();
  const typed = (type: string, text: string): string =>
    `/typed?type=${encodeURIComponent(type)}&text=${encodeURIComponent(text)}`;
  const page1 = typed("text/html", "<!doctype html>");
  const middle = typed("text/javascript", `import "/gone.js?token=hunter2"; import "${page1}&mid"`);
  const main = typed("text/javascript", `import "${middle}"`);
  const bytes = "sha384-" + "A".repeat(64);
  await page.goto(
    server.page(`<!doctype html><script type=module id=m1 src="${main}"></script>
      <script type=module id=m2 src="${page1}&2"></script>
      <script id=s1 src="${typed("text/javascript", "1")}" integrity="${bytes}"></script>
      <script id=s2 src="/gone2.js"></script>
      <link id=l1 rel=stylesheet href="${page1}&3"><link id=l2 rel="preload stylesheet" as=style href="/gone.css">
      <link rel=prefetch href="${page1}&4">
      <img id=i1 src="${page1}&5"><script id=s3 src="http://127.0.0.1:1/x.js"></script>
      <script type=module id=m3 src="${typed("text/javascript", "import '/refused'")}"></script>`),
  );
  const said = async (id: string): Promise<string> => {
    const { message } = await records.one("exceptions", (x) => x.element?.endsWith("#" + id + ">") ?? false);
    return message.slice(message.indexOf(" did not load ") + 14).replace(/^\S+?(?=: |$)/, "");
  };
  // Which module asks for which file nobody is told.
  const meanwhile =
    /^: something that it imports; meanwhile (\S+gone\.js\?token=<token:\w+> was answered 404|\S+mid was answered 200 text\/html)/;
  expect(await said("m1")).toMatch(meanwhile);
  expect(await said("m2")).toBe(": it was answered 200 text/html");
  expect(await said("s1")).toBe(": its bytes do not match its integrity attribute");
  expect(await said("s2")).toBe(": it was answered 404");
  expect(await said("l1")).toBe(": it was answered 200 text/html");
  expect(await said("l2")).toBe(": it was answered 404");
  expect(await said("i1")).toBe(": it was answered 200 text/html");
  expect(await said("s3")).toBe("");
  expect(await said("m3")).toMatch(/^: something that it imports/);
  const elements = new Set(records.all("exceptions").map((x) => x.element));
  expect(elements.size).toBe(9);
  // Its own address has it as a text in a text, which no rule takes for a parameter.
  expect(await said("m1")).not.toContain("hunter2");
});

test("an import() that fails says why, and one that the page keeps to itself is told", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  const typed = (type: string, text: string, n: number): string =>
    `/typed?type=${encodeURIComponent(type)}&text=${encodeURIComponent(text)}&n=${n}`;
  const html = (n: number): string => typed("text/html", "<!doctype html>", n);
  const nested = typed("text/javascript", `import "/gone.js?nested"`, 1);
  await page.goto(server.page("<!doctype html>x"));
  const said = async (url: string, mechanism: string): Promise<string> => {
    const { message } = await records.one("exceptions", (x) => x.mechanism === mechanism && x.message.includes(url));
    return message.slice(message.indexOf(url) + url.length);
  };
  await page.evaluate((caught) => void import(caught).catch(() => {}), html(3));
  expect(await said("&n=3", "resource")).toBe(": it was answered 200 text/html");
  await page.evaluate(
    ([bare, around, script, gone]) => {
      void import(bare!);
      void import(gone!);
      void import(around!);
      const element = document.head.appendChild(document.createElement("script"));
      element.onerror = () => element.remove();
      element.type = "module";
      element.src = script!;
    },
    [html(2), nested, html(4), "/gone.js?bare"],
  );
  const causeOf = async (url: string): Promise<string | undefined> =>
    (await records.one("exceptions", (x) => x.mechanism === "unhandledrejection" && x.message.endsWith(url))).cause?.[0]
      ?.message;
  expect(await causeOf("&n=2")).toBe("it was answered 200 text/html");
  expect(await causeOf("gone.js?bare")).toBe("it was answered 404");
  expect(await causeOf("&n=1")).toBe(
    `something that it imports; meanwhile ${server.origin}/gone.js?nested was answered 404`,
  );
  await records.one("exceptions", (x) => x.message.includes("&n=4"));
  const told = records.all("exceptions").map(({ message }) => message);
  for (const n of [1, 2, 3, 4])
    expect(
      told.filter((text) => text.includes(`&n=${n}`)),
      `n=${n}`,
    ).toHaveLength(1);
});

test("a thousand loads later it is still known why, as far as it is new", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("<!doctype html>x"));
  await page.evaluate(async () => {
    for (let i = 0; i < 400; i++) {
      const image = new Image();
      image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
      const link = document.head.appendChild(document.createElement("link"));
      link.rel = "preload";
      link.as = "script";
      link.href = "/typed?type=text/javascript&n=" + i;
      await new Promise((done) => (link.onload = link.onerror = done));
    }
    const script = document.head.appendChild(document.createElement("script"));
    script.id = "late";
    script.src = "/gone.js";
  });
  const { message } = await records.one("exceptions", (x) => x.element === "<script#late>");
  expect(message).toMatch(/gone\.js: it was answered 404$/);
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

test("a body that is no JSON is an unhandled rejection where nobody handles it, with the place of its call", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  const url = server.page(`<iframe></iframe><script>
const html = () => new Response(new Blob(["<p>login</p>"]));
function load() { html().json() }
load();
(async function waits() { await new Request("/", { method: "POST", body: new Blob(["<q>"]) }).json() })();
new Response(new ReadableStream({ start(c) { setTimeout(() => { c.enqueue(new Uint8Array([60, 98])); c.close() }) } })).json().then(() => {});
new frames[0].Response(new Blob(["<i>"])).json().finally(() => {});
html().json().catch(() => {});
html().json().then(() => {}, () => {});
new Response(new Blob(['{"good":1}'])).json().then(({ good }) => Promise.reject(new Error("good " + good)));
</script>`);
  await page.goto(url);
  await expect.poll(() => records.all("exceptions").length).toBe(5);
  await page.evaluate(async () => {
    await new Response(new Blob(["<p>"])).json().catch(() => {}); // those that are handled came before
    setTimeout(() => void Promise.reject(new Error("the end")));
  });
  await records.one("exceptions", (x) => x.message === "the end");
  const told = records.all("exceptions").filter((x) => x.type === "SyntaxError");
  expect(told.map((x) => x.mechanism)).toEqual(told.map(() => "unhandledrejection"));
  const of = (text: string) => told.filter((x) => x.message.includes(text));
  expect(of('"<p>login</')).toHaveLength(1);
  expect(of('"<p>login</')[0]).toMatchObject({ url, line: 3 });
  expect(of('"<p>login</')[0]!.stack![0]).toMatchObject({ function: "load", url, line: 3 });
  expect(of('"<q>"')[0]!.stack![0]).toMatchObject({ function: "waits", url, line: 5 });
  expect(of('"<b"')).toHaveLength(1);
  expect(of('"<i>"')).toHaveLength(1);
  expect(told).toHaveLength(4);
  expect(records.all("exceptions").map((x) => x.message)).toContain("good 1");
});

test("the error of a body that is no JSON is the native's, as the page sees it", async ({ context, server }) => {
  await sameWithAndWithout(context, server.page("x"), async () => {
    const seen: unknown[] = [];
    const look = async (promise: Promise<unknown>): Promise<void> => {
      const error = (await promise.catch((reason: unknown) => reason)) as Error;
      seen.push([
        error instanceof SyntaxError,
        Object.getPrototypeOf(error) === SyntaxError.prototype,
        error.name,
        error.message,
        error.stack?.trim(),
        Reflect.ownKeys(error).map((key) => [key, Object.keys(Object.getOwnPropertyDescriptor(error, key) ?? {})]),
        Object.prototype.toString.call(error),
      ]);
    };
    const late = (text: string) => new Response(new Blob([text]));
    await look(late("<html>").json());
    await look(late("").json());
    await look(late("{").json());
    await look(new Request("/", { method: "POST", body: new Blob(["x"]) }).json());
    const twice = late("{}");
    seen.push(await twice.json());
    const used = (await twice.json().catch((reason: unknown) => reason)) as Error;
    seen.push(used.name, used.message, twice.bodyUsed);
    const strange = Response.prototype.json.call({} as Response).catch((reason: Error) => reason.message);
    seen.push(
      await strange,
      Response.prototype.json.name,
      Response.prototype.json.length,
      String(Response.prototype.json),
    );
    Error.prepareStackTrace = () => 7;
    const odd = (await late("<")
      .json()
      .catch((reason: unknown) => reason)) as Error;
    seen.push(odd.message, odd.stack);
    return seen;
  });
});

test("what is within the document and fails is no resource without a name", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(
    server.page(`<script type="speculationrules">{</script><script type="importmap">{</script>
<script type="module" id="inline">import "/missing.js?inline"</script>`),
  );
  const inline = await records.one("exceptions", (x) => x.element === "<script#inline>");
  expect(inline.message).toBe(
    `<script#inline> did not load: something that it imports; meanwhile ${server.origin}/missing.js?inline was answered 404`,
  );
  expect(records.all("exceptions").filter((x) => x.mechanism === "resource")).toHaveLength(1);
});

test("media and pictures say what their elements or their answers tell", async ({ page, capture, server }) => {
  const records = await capture();
  const bad = (type: string): string => `/typed?type=${encodeURIComponent(type)}&text=nonsense`;
  await page.goto(
    server.page(`<video id=film src="${bad("video/mp4")}"></video><img id=pic src="${bad("image/png")}">`),
  );
  const film = await records.one("exceptions", (x) => x.element === "<video#film>");
  expect(film.message).toMatch(/did not load http.*: its element says .*DEMUXER_ERROR/);
  const pic = await records.one("exceptions", (x) => x.element === "<img#pic>");
  expect(pic.message).toMatch(/: its bytes are no picture$/);
});

test("workers of every kind are told, and that a shared one did not load", async ({ page, capture, server }) => {
  const records = await capture();
  const url = server.page(`<script>
new Worker("/dedicated.js"); new SharedWorker("/shared.js"); navigator.serviceWorker.register("/service.js").catch(() => {});
new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule("/worklet.js").catch(() => {});
</script>`);
  await page.goto(url);
  await records.one("exceptions", (x) => x.message === "shared worker script did not load");
  await records.one("lifecycle", (x) => x.to_url === server.origin + "/worklet.js");
  const started = records.all("lifecycle").filter((x) => x.state === "worker_started");
  expect(started.map((x) => x.to_url)).toEqual(
    ["/dedicated.js", "/shared.js", "/service.js", "/worklet.js"].map((path) => server.origin + path),
  );
});
