import { expect, sameWithAndWithout, test } from "./support/fixture.ts";

const bodies = { config: { bodies: true, bodyLimit: 1000 } };

test("the promise settles natively: unhandled rejections are neither swallowed nor invented, streams work", async ({
  context,
  server,
}) => {
  const result = await sameWithAndWithout(context, server.page("x"), async (origin) => {
    const seen: string[] = [];
    addEventListener("unhandledrejection", (event) => {
      seen.push("unhandled " + (event.reason as Error).message + " " + (event.promise instanceof Promise));
      event.preventDefault();
    });
    void fetch(origin + "/refused"); // nobody looks: it must stay unhandled
    await fetch(origin + "/refused").catch((error: Error) => seen.push("caught " + error.name));
    await fetch(origin + "/json").then((response) => seen.push("unread " + response.bodyUsed));
    const half = await fetch(origin + "/text?size=200000");
    const reader = half.body!.getReader();
    await reader.read();
    await reader.cancel();
    seen.push("cancelled " + half.bodyUsed);
    const byob = (await fetch(origin + "/text")).body!.getReader({ mode: "byob" });
    const { value } = await byob.read(new Uint8Array(100));
    seen.push("byob " + new TextDecoder().decode(value));
    const copy = await fetch(origin + "/text");
    seen.push("clone " + (await copy.clone().text()) + (await copy.text()));
    await copy.text().catch((error: Error) => seen.push("twice " + error.name));
    const promise = fetch(origin + "/text");
    seen.push("type " + promise.constructor.name + (promise instanceof Promise) + Object.keys(promise).length);
    seen.push(
      "streamed " +
        (await new Response(
          (await promise).body!.pipeThrough(new TextDecoderStream()).pipeThrough(new TextEncoderStream()),
        ).text()),
    );
    await fetch.call({}, "/x").catch((error: Error) => seen.push("receiver " + error.message));
    await (fetch as unknown as () => Promise<void>)().catch((error: Error) =>
      seen.push("no argument " + error.message),
    );
    await new Promise((wait) => setTimeout(wait, 100));
    return seen.sort();
  });
  expect(result).toContain("unhandled Failed to fetch true");
  expect(result.filter((line) => line.startsWith("unhandled"))).toHaveLength(1);
});

test("URL, method and headers of every form of call, without making a Request or running getters", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(bodies);
  await page.goto(server.page("<base href='/echo/'>"));
  const ran = await page.evaluate(async (origin) => {
    let ran = 0;
    await fetch("../echo?a=string");
    await fetch(new URL("/echo?a=url", origin), {
      method: "post",
      headers: { "X-One": "1" },
      body: "hi",
    });
    await fetch(new Request("/echo?a=request", { method: "PUT", headers: [["X-Two", "2"]], body: "upload" }));
    await fetch(new Request("/echo?a=override", { method: "PUT" }), { method: "DELETE" });
    await fetch({ toString: () => "/echo?a=object" } as never);
    await fetch("/echo?a=patch", { method: "patch" }).catch(() => {});
    await fetch("/echo?a=getter", {
      get method() {
        ran++;
        return "POST";
      },
      headers: new Headers({ Authorization: "Bearer abcdef", Cookie: "x" }),
    });
    return ran;
  }, server.origin);
  expect(ran).toBe(1); // the native's own read
  // A request is told when its body was read; that of a later one may have been read before.
  const calls = await Promise.all(
    ["string", "url", "request", "override", "object", "patch", "getter"].map((name) =>
      records.one("network", (x) => x.url.endsWith(`a=${name}`)),
    ),
  );
  expect(records.all("network")).toHaveLength(calls.length);
  expect(
    calls.map((x) => [
      x.method,
      x.url.slice(server.origin.length),
      x.request_body ?? "",
      x.request_body_note ?? "",
      x.request_size,
    ]),
  ).toEqual([
    ["GET", "/echo?a=string", "", "", 0],
    ["POST", "/echo?a=url", "hi", "", 2],
    ["PUT", "/echo?a=request", "upload", "", 6],
    ["DELETE", "/echo?a=override", "", "", 0],
    ["GET", "/echo?a=object", "", "", 0],
    ["patch", "/echo?a=patch", "", "", 0],
    ["POST", "/echo?a=getter", "", "", 0],
  ]);
  const [, url, , , , , auth] = calls;
  expect(url!.request_headers).toEqual([{ name: "x-one", value: "1" }]);
  expect(auth!.has_auth).toBe(true);
  expect(auth!.request_headers!.find((field) => field.name === "authorization")!.value).toMatch(
    /^Bearer <authorization:[0-9a-f]{8}>$/,
  );
});

test("bodies are read to the limit, with the true size, and only when the user wants them", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture({ ...bodies, handle: true });
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    for (const path of [
      "/json",
      "/text?size=999",
      "/text?size=1000",
      "/text?size=5000000",
      "/gzip?size=900",
      "/binary?size=77",
      "/empty",
      "/latin1",
      "/status?code=500",
      "/redirect",
    ]) {
      await fetch(path).then((response) => response.arrayBuffer());
    }
    (window as never as { capture: { captures: { configure(c: object): void }[] } }).capture.captures[0]!.configure({
      bodies: false,
    });
    await fetch("/text?off");
  });
  await records.one("network", (x) => x.url.endsWith("?off"));
  const at = (path: string) => records.all("network").find((x) => x.url.endsWith(path))!;
  expect(at("/json").response_body).toMatch(/^\{"items":\[1,2\],"password":"<password:[0-9a-f]{8}>"\}$/);
  expect(at("=999")).toMatchObject({ response_size: 999, outcome: "ok", status: 200 });
  expect(at("=1000").response_body).toHaveLength(1000);
  expect(at("=1000").response_body_note).toBeUndefined();
  expect(at("=5000000")).toMatchObject({
    response_size: 5_000_000,
    response_body_note: "truncated",
    flags: ["truncated"],
  });
  expect(at("=5000000").response_body).toHaveLength(1000);
  expect(at("/gzip?size=900")).toMatchObject({
    response_size: 900,
    response_body: "z".repeat(900),
  });
  expect(at("/binary?size=77")).toMatchObject({ response_size: 77, response_body_note: "binary" });
  expect(at("/binary?size=77").response_body).toBeUndefined();
  expect(at("/empty")).toMatchObject({ status: 204, response_size: 0 });
  expect(at("/latin1").response_body).toBe("café");
  expect(at("=500")).toMatchObject({
    outcome: "http_error",
    response_body: "no luck",
    status_text: "Internal Server Error",
  });
  expect(records.all("network").find((x) => x.redirects)).toMatchObject({
    url: server.origin + "/json",
    redirects: [server.origin + "/redirect"],
  });
  expect(at("?off")).toMatchObject({ response_body_note: "off", response_size: 5 });
  expect(at("?off").response_body).toBeUndefined();
});

test("opaque answers are not touched", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(
    (origin) => fetch(origin.replace("127.0.0.1", "localhost") + "/text", { mode: "no-cors" }).then(() => {}),
    server.origin,
  );
  expect(await records.one("network")).toMatchObject({
    response_body_note: "opaque",
    outcome: "ok",
    status: 0,
  });
});

test("when the page cancels, the connection closes and the server stops sending", async ({ page, capture, server }) => {
  await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const reader = (await fetch("/endless?name=cancelled")).body!.getReader();
    await reader.read();
    await reader.cancel();
  });
  await expect.poll(() => server.streams.get("cancelled")?.closed).toBe(true);
  expect(server.streams.get("cancelled")!.sent).toBeLessThan(20_000_000);
});

test("a stream that a page stops ends soon, however it drips", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  for (const type of ["text/event-stream", "application/x-ndjson", "text/plain"]) {
    await page.evaluate(async (url) => {
      const reader = (await fetch(url)).body!.getReader();
      for (let i = 0; i < 3; i++) await reader.read();
      await reader.cancel();
    }, `/dictated?name=${type}&type=${type}`);
    await expect.poll(() => server.streams.get(type)?.closed, { timeout: 4000 }).toBe(true);
    expect(server.streams.get(type)!.sent, type).toBeLessThan(type === "text/plain" ? 60 : 35);
    const exchange = await records.one("network", (x) => x.url.endsWith(`type=${type}`) && x.outcome === "aborted");
    expect(exchange.response_body).toContain("data: word 2");
  }
});

test("streaming types give their head and leave the stream to the page", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  const read = await page.evaluate(async () => {
    const controller = new AbortController();
    const reader = (
      await fetch("/endless?name=ndjson&type=application/x-ndjson", { signal: controller.signal })
    ).body!.getReader();
    let bytes = 0;
    while (bytes < 3_000_000) bytes += (await reader.read()).value!.length;
    controller.abort();
    return bytes;
  });
  expect(read).toBeGreaterThanOrEqual(3_000_000);
  const exchange = await records.one("network", (x) => x.outcome === "aborted");
  expect(exchange).toMatchObject({ response_body_note: "truncated", status: 200 });
  expect(exchange.response_body).toHaveLength(1000);
  await expect.poll(() => server.streams.get("ndjson")?.closed).toBe(true);
});

test("request bodies are described without being consumed", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  const echoed = await page.evaluate(async () => {
    const form = new FormData();
    form.append("name", "Ada");
    form.append("password", "hunter2&tail#end");
    form.append("file", new File(["12345"], "a.txt"));
    const streamed = new ReadableStream({
      start: (c) => (c.enqueue(new TextEncoder().encode("s")), c.close()),
    });
    const sent: BodyInit[] = [
      "text",
      new URLSearchParams({ q: "1", token: "abc" }),
      form,
      new Blob(["blob!"]),
      new Uint8Array([65, 66]),
      new ArrayBuffer(3),
      JSON.stringify({ a: 1, apiKey: "k" }),
      "y".repeat(2000),
    ];
    const got: string[] = [];
    for (const body of sent)
      got.push(
        ((await (await fetch(`/echo?${got.length}`, { method: "POST", body })).json()) as { body: string }).body,
      );
    await fetch("/echo?stream", { method: "POST", body: streamed, duplex: "half" } as never).catch(() => {});
    return got;
  });
  expect(echoed[0]).toBe("text");
  expect(echoed[2]).toContain("12345");
  expect(echoed[3]).toBe("blob!");
  const told: unknown[][] = [];
  for (const name of [...echoed.keys(), "stream"]) {
    const x = await records.one("network", ({ url }) => url.endsWith(`?${name}`));
    told.push([x.request_body, x.request_size, x.request_body_note]);
  }
  expect(told[0]).toEqual(["text", 4, undefined]);
  expect(told[1]![0]).toMatch(/^q=1&token=<token:[0-9a-f]{8}>$/);
  expect(told[2]![0]).toMatch(/^name=Ada&password=<password:[0-9a-f]{8}>&file=\[file a.txt 5 bytes\]$/);
  expect(told[3]).toEqual(["blob!", 5, undefined]);
  expect(told[4]).toEqual(["AB", 2, undefined]);
  expect(told[5]).toEqual([undefined, 3, "binary"]);
  expect(told[6]![0]).toMatch(/^\{"a":1,"apiKey":"<api_key:[0-9a-f]{8}>"\}$/);
  expect(told[7]).toEqual(["y".repeat(1000), 2000, "truncated"]);
  expect(told[8]).toEqual([undefined, -1, "unread"]);
});

test("aborts, network failures, broken bodies and keepalive", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const controller = new AbortController();
    const hanging = fetch("/hang?plain", { signal: controller.signal }).catch(() => {});
    controller.abort();
    await hanging;
    const reasoned = new AbortController();
    const other = fetch("/hang?reason", { signal: reasoned.signal }).catch(() => {});
    reasoned.abort("changed my mind");
    await other;
    await fetch("/hang?timeout", { signal: AbortSignal.timeout(50) }).catch(() => {});
    await fetch("http://[bad", { signal: controller.signal }).catch(() => {});
    await fetch("/refused").catch(() => {});
    // It breaks once its first half was read: an error takes away what nobody read yet.
    const broken = (await fetch("/broken")).body!.getReader();
    await broken.read();
    await fetch("/break");
    await broken.read().catch(() => {});
    await fetch("/echo?keep", { method: "POST", keepalive: true, body: "k" });
    const late = new AbortController();
    const response = await fetch("/drip", { signal: late.signal });
    late.abort();
    await response.text().catch(() => {});
  });
  await records.one("network", (x) => x.url.endsWith("/drip"));
  const at = (path: string) =>
    records
      .all("network")
      .filter((x) => x.url.endsWith(path))
      .map((x) => x.outcome);
  expect(at("?plain")).toEqual(["aborted"]);
  expect(at("?reason")).toEqual(["aborted"]);
  expect(at("?timeout")).toEqual(["aborted"]);
  expect(at("[bad")).toEqual(["network_error"]);
  expect(at("/refused")).toEqual(["network_error"]);
  await expect.poll(() => at("/broken")).toEqual(["network_error"]);
  await expect.poll(() => at("?keep")).toEqual(["pending", "ok"]);
  expect(at("/drip")).toEqual(["aborted"]);
  const keep = records.all("network").filter((x) => x.url.endsWith("?keep"));
  expect(keep[0]!.request_id).toBe(keep[1]!.request_id);
  const broken = records.all("network").find((x) => x.url.endsWith("/broken"))!;
  expect(broken).toMatchObject({ status: 200, response_body: "half" });
});

test("a fetch that was given up before it began rejects at the moment of the native", async ({
  page,
  capture,
  server,
}) => {
  const order = () =>
    page.evaluate(async () => {
      const seen: string[] = [];
      const signal = AbortSignal.abort();
      const all = [
        fetch("/x?1", { signal }).catch(() => seen.push("fetch")),
        Promise.reject(new Error("mine")).catch(() => seen.push("mine")),
        fetch(new Request("/x?2", { signal })).catch(() => seen.push("request")),
        Promise.resolve().then(() => seen.push("then")),
        fetch("/x?3", { signal: AbortSignal.abort("words") }).catch((reason) => seen.push(String(reason))),
      ];
      await Promise.all(all);
      return seen;
    });
  await page.goto(server.page("x"));
  const native = await order();
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  expect(await order()).toEqual(native);
  await records.one("network", (x) => x.url.endsWith("?3"));
  expect(records.all("network").map((x) => [x.url.slice(-2), x.outcome, x.error])).toEqual([
    ["?1", "aborted", expect.stringContaining("AbortError")],
    ["?2", "aborted", expect.stringContaining("AbortError")],
    ["?3", "aborted", "words"],
  ]);
});

test("the initiator's stack is read only when the request failed", async ({ page, capture, server }) => {
  const records = await capture();
  const url = server.page(`<script>
let prepared = 0;
async function load(path) { await fetch(path).catch(() => {}); }
async function run() { Error.prepareStackTrace = (e, s) => { prepared++; return "Error\\n    at hijacked (" + location.href + ":1:1)"; };
  await load("/json"); const quiet = prepared; await load("/status?code=404"); const loud = prepared; Error.prepareStackTrace = () => ({}); await load("/status?code=410"); Error.prepareStackTrace = undefined; await load("/status?code=411"); return [quiet, loud > quiet]; }
window.done = run();
</script>`);
  await page.goto(url);
  const done = await page.evaluate(() => (window as never as { done: Promise<unknown> }).done);
  expect(done).toEqual([0, true]);
  await records.one("network", (x) => x.status === 411);
  const at = (status: number) => records.all("network").find((x) => x.status === status)!.initiator;
  expect(at(200)).toEqual({ type: "fetch" });
  expect(at(404).stack![0]!.function).toBe("hijacked");
  expect(at(410).stack).toBeUndefined();
  expect(at(411).stack!.map((frame) => frame.function)).toContain("load");
  expect(at(411).stack![0]!.url).toBe(url);
});

test("arguments are read as often, in the order and with the hint that the native reads them", async ({
  context,
  server,
}) => {
  const calls = await sameWithAndWithout(context, server.page("x"), async () => {
    const calls: string[] = [];
    const text = (name: string, value: string): never =>
      ({
        [Symbol.toPrimitive](hint: string) {
          calls.push(name + " " + hint);
          return value;
        },
      }) as never;
    const watched = (name: string, target: object): never =>
      new Proxy(
        target,
        new Proxy({} as ProxyHandler<object>, {
          get:
            (_, trap: keyof typeof Reflect) =>
            (...args: unknown[]) => {
              calls.push(
                name +
                  " " +
                  trap +
                  " " +
                  (typeof args[1] === "string" || typeof args[1] === "symbol" ? String(args[1]) : ""),
              );
              return (Reflect[trap] as (...all: unknown[]) => unknown)(...args);
            },
        }),
      ) as never;
    class Init {
      #method = "POST";
      get method() {
        calls.push("method");
        return this.#method;
      }
      get body() {
        calls.push("body");
        return "a=1";
      }
    }
    const echo = async (...args: Parameters<typeof fetch>): Promise<string> => {
      const { method, body } = (await (await fetch(...args)).json()) as { method: string; body: string };
      return method + body;
    };
    calls.push(await echo(text("url", "/echo")));
    calls.push(await echo("/echo", new Init() as never));
    calls.push(await echo("/echo", watched("init", { method: "PUT", body: "b=2" })));
    calls.push(await echo("/echo", Object.freeze({ method: "PUT", body: "c=3" })));
    await fetch(watched("request", new Request("/json"))).catch((error: Error) => calls.push(error.message));
    await fetch.call({} as never, text("never", "/")).catch((error: Error) => calls.push(error.message));
    const xhr = new XMLHttpRequest();
    xhr.open(text("verb", "GET"), text("url", "/json"), false);
    xhr.setRequestHeader(text("name", "x-a"), text("value", "1"));
    xhr.send();
    calls.push(String(navigator.sendBeacon(text("beacon", "/echo"), watched("data", {}))));
    const worker = new Worker(text("worker", "/worker.js"));
    worker.terminate();
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws");
    await new Promise((open) => (socket.onopen = open));
    socket.send(text("message", "hello"));
    socket.close();
    const stream = new EventSource("/sse");
    stream.addEventListener(text("type", "tick"), () => {});
    stream.close();
    return calls;
  });
  expect(calls.filter((call) => call === "url string")).toHaveLength(2);
});

test("method and body that are accessors of a class are told as they were sent", async ({ page, capture, server }) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    class Init {
      get method() {
        return "post";
      }
      get body() {
        return "a=1";
      }
      get headers() {
        return { "x-one": "1" };
      }
    }
    await fetch("/echo", new Init() as never);
    await fetch(new Request("/echo", { method: "PUT" }), { method: undefined });
  });
  await records.one("network", (x) => x.method === "PUT");
  expect(await records.one("network", (x) => x.method === "POST")).toMatchObject({
    request_body: "a=1",
    request_headers: [{ name: "x-one", value: "1" }],
  });
});

test("bodies are told apart below a deep stack, and a view that lost its buffer is no failure", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(bodies);
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const buffer = new ArrayBuffer(8);
    const lost = new DataView(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    const sent = { view: new DataView(new ArrayBuffer(9), 2), shared: new Uint16Array(4), lost, form: new FormData() };
    const deep = (depth: number, call: () => unknown): unknown => (depth > 0 ? deep(depth - 1, call) : call());
    for (const [name, body] of Object.entries(sent))
      await (deep(100, () => fetch("/echo?" + name, { method: "POST", body })) as Promise<unknown>).catch(() => {});
  });
  const told = async (name: string) => {
    const { request_size, request_body_note } = await records.one("network", (x) => x.url.endsWith("?" + name));
    return [request_size, request_body_note];
  };
  expect(await told("view")).toEqual([7, "binary"]);
  expect(await told("shared")).toEqual([8, "binary"]);
  expect(await told("lost")).toEqual([-1, "unread"]);
  expect(await told("form")).toEqual([0, undefined]);
});

test("an address that comes again is resolved against the base of the moment", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    await fetch("again?1");
    await fetch("again?1");
    const base = document.head.appendChild(document.createElement("base"));
    base.href = "/below/";
    await fetch("again?1");
    base.remove();
    await fetch("again?1");
    for (let i = 0; i < 300; i++) await fetch("/echo?" + i);
    await fetch("again?1");
  });
  await records.one("network", (x) => x.url.endsWith("/echo?299"));
  await expect.poll(() => records.all("network").filter((x) => x.url.endsWith("again?1")).length).toBe(5);
  const paths = records.all("network").filter((x) => x.url.endsWith("again?1"));
  expect(paths.map((x) => new URL(x.url).pathname)).toEqual([
    "/page/again",
    "/page/again",
    "/below/again",
    "/page/again",
    "/page/again",
  ]);
});

test("the size of a body beyond a million characters is not counted", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    await fetch("/echo?small", { method: "POST", body: "é".repeat(1 << 20) });
    await fetch("/echo?large", { method: "POST", body: "é".repeat((1 << 20) + 1) });
  });
  expect((await records.one("network", (x) => x.url.endsWith("?small"))).request_size).toBe(2 << 20);
  expect((await records.one("network", (x) => x.url.endsWith("?large"))).request_size).toBe(-1);
});
