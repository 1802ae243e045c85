import { expect, test, type Records } from "./support/fixture.ts";

/** What each line of a page says beside its first word. */
async function told(records: Records, name: string): Promise<unknown[]> {
  const log = await records.one("logs", (x) => x.message.startsWith(name));
  return (log.args as unknown[]).slice(1);
}

test("objects of the platform say what they carry, nobody's getter runs", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("<button id=save>Save</button>"));
  const ran = await page.evaluate(async (origin) => {
    const ran: string[] = [];
    const close = new CloseEvent("close", { code: 4001, reason: "session ended", wasClean: true });
    Object.defineProperty(close, "code", { get: () => (ran.push("code"), 1) });
    console.log("close", close);
    console.log("custom", new CustomEvent("oops", { detail: { why: "quota exceeded" } }));
    console.log("message", new MessageEvent("message", { data: { id: 7 }, origin }));
    console.log("progress", new ProgressEvent("error", { loaded: 3, total: 9 }));
    console.log(
      "failure",
      new ErrorEvent("error", { message: "boom", filename: origin + "/a.js", lineno: 3, error: 5 }),
    );
    console.log(
      "rejected",
      new PromiseRejectionEvent("unhandledrejection", { promise: Promise.resolve(), reason: "r" }),
    );
    console.log(
      "key",
      new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true }),
      new KeyboardEvent("keydown", { key: "q" }),
    );
    console.log(
      "storage",
      new StorageEvent("storage", { key: "access_token", oldValue: "hunter1", newValue: "hunter2" }),
      new StorageEvent("storage", { key: "theme", newValue: "dark" }),
    );
    const socket = new WebSocket("ws://127.0.0.1:1/nobody?token=hunter2");
    const event = await new Promise<Event>((done) => (socket.onclose = done));
    console.log("socket", event);
    const aborter = new AbortController();
    aborter.abort({ because: "left" });
    console.log("abort", aborter.signal);
    console.log(
      "net",
      new Headers({ "X-A": "1", Authorization: "Bearer hunter2" }),
      new URLSearchParams("a=1&token=hunter2"),
    );
    const form = new FormData();
    form.append("mail", "a@b");
    form.append("password", "hunter2");
    console.log("form", form);
    const xhr = new XMLHttpRequest();
    xhr.open("GET", "/json?x=1");
    const done = await new Promise<Event>((loaded) => {
      xhr.onload = loaded;
      xhr.send();
    });
    console.log("xhr", done);
    const field = document.createElement("input");
    field.required = true;
    console.log("valid", field.validity, new DOMRect(1, 2, 3, 4), document.body.classList);
    document.getElementById("save")!.addEventListener("click", (e) => console.log("click", e));
    document.getElementById("save")!.click();
    return ran;
  }, server.origin);
  expect(ran).toEqual([]);
  expect(await told(records, "close")).toEqual([
    { "[class]": "CloseEvent", type: "close", code: 4001, reason: "session ended", wasClean: true },
  ]);
  expect(await told(records, "custom")).toEqual([
    { "[class]": "CustomEvent", type: "oops", detail: { why: "quota exceeded" } },
  ]);
  expect(await told(records, "message")).toEqual([
    { "[class]": "MessageEvent", type: "message", data: { id: 7 }, origin: server.origin },
  ]);
  expect(await told(records, "progress")).toEqual([{ "[class]": "ProgressEvent", type: "error", loaded: 3, total: 9 }]);
  expect(await told(records, "failure")).toEqual([
    {
      "[class]": "ErrorEvent",
      type: "error",
      message: "boom",
      filename: server.origin + "/a.js",
      lineno: 3,
      colno: 0,
      error: 5,
    },
  ]);
  expect(await told(records, "rejected")).toEqual([
    { "[class]": "PromiseRejectionEvent", type: "unhandledrejection", reason: "r" },
  ]);
  expect(await told(records, "key")).toEqual([
    { "[class]": "KeyboardEvent", type: "keydown", key: "Enter", ctrlKey: true },
    { "[class]": "KeyboardEvent", type: "keydown", key: "a character" },
  ]);
  expect(await told(records, "storage")).toEqual([
    {
      "[class]": "StorageEvent",
      type: "storage",
      key: "access_token",
      oldValue: expect.stringMatching(/^<access_token/),
      newValue: expect.stringMatching(/^<access_token/),
    },
    { "[class]": "StorageEvent", type: "storage", key: "theme", newValue: "dark" },
  ]);
  expect(await told(records, "socket")).toEqual([
    {
      "[class]": "CloseEvent",
      type: "close",
      target: {
        "[class]": "WebSocket",
        url: expect.stringContaining("/nobody?token="),
        readyState: 3,
        bufferedAmount: 0,
      },
      code: 1006,
      wasClean: false,
    },
  ]);
  expect(await told(records, "abort")).toEqual([
    { "[class]": "AbortSignal", aborted: true, reason: { because: "left" } },
  ]);
  const [headers, search] = await told(records, "net");
  expect(headers).toEqual({ "[class]": "Headers", authorization: expect.any(String), "x-a": "1" });
  expect(search).toMatch(/^\[URLSearchParams \?a=1&token=/);
  expect(await told(records, "form")).toEqual([
    { "[class]": "FormData", mail: "a@b", password: expect.stringMatching(/^<password/) },
  ]);
  expect(await told(records, "xhr")).toEqual([
    expect.objectContaining({
      type: "load",
      target: expect.objectContaining({
        "[class]": "XMLHttpRequest",
        readyState: 4,
        status: 200,
        responseURL: server.origin + "/json?x=1",
      }),
    }),
  ]);
  expect(await told(records, "valid")).toEqual([
    { "[class]": "ValidityState", valid: false, valueMissing: true },
    { "[class]": "DOMRect", x: 1, y: 2, width: 3, height: 4 },
    "[DOMTokenList]",
  ]);
  expect(await told(records, "click")).toEqual([expect.objectContaining({ type: "click", target: "<button#save>" })]);
  expect(JSON.stringify(records.batches)).not.toContain("hunter");
});

test("errors tell what they carry: causes, several errors, members of their own, within bounds", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    const cause = new TypeError("no row", { cause: "disk" });
    console.log("cause", new Error("save failed", { cause }));
    console.log("all", new AggregateError([new Error("a"), "b", new RangeError("c")], "none worked"));
    class HttpError extends Error {
      status = 422;
      body = { error: "No rows for 2026" };
      token = "hunter2";
    }
    console.log("members", new HttpError("refused"));
    console.log("huge", Object.assign(new Error("big"), { request: { text: "x".repeat(100_000) } }), "after");
    const ring = new Error("ring") as Error & { self?: unknown };
    ring.self = ring;
    ring.cause = ring;
    console.log("ring", ring);
    class Mine extends DOMException {}
    console.log("dom", new Mine("too much", "QuotaExceededError"), new DOMException("gone", "AbortError"));
    console.log(
      "angry",
      Object.defineProperty(new Error("getter"), "extra", {
        enumerable: true,
        get() {
          throw new Error("never");
        },
      }),
    );
  });
  const message = async (name: string): Promise<string> =>
    (await records.one("logs", (x) => x.message.startsWith(name))).message;
  expect(await message("cause")).toBe("cause Error: save failed [cause: TypeError: no row, Thrown: disk]");
  expect(await told(records, "cause")).toEqual([
    { "[error]": "Error: save failed", cause: { "[error]": "TypeError: no row", cause: "disk" } },
  ]);
  expect(await told(records, "all")).toEqual([
    { "[error]": "AggregateError: none worked", errors: ["Error: a", "b", "RangeError: c"] },
  ]);
  expect(await told(records, "members")).toEqual([
    {
      "[error]": "HttpError: refused",
      status: 422,
      body: { error: "No rows for 2026" },
      token: expect.stringMatching(/^<token/),
    },
  ]);
  const huge = await records.one("logs", (x) => x.message.startsWith("huge"));
  expect(JSON.stringify(huge.args).length).toBeLessThan(2000);
  expect((huge.args as unknown[])[2]).toBe("after");
  expect(huge.flags).toEqual(["truncated"]);
  expect(await told(records, "ring")).toEqual([{ "[error]": "Error: ring", cause: "[circular]", self: "[circular]" }]);
  const [mine, gone] = await told(records, "dom");
  expect(mine).toBe("QuotaExceededError: too much");
  expect(gone).toBe("AbortError: gone");
  expect(await told(records, "angry")).toEqual([{ "[error]": "Error: getter", extra: "[getter]" }]);
});

test("objects of another realm, of a closed window, impostors and replaced classes", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  await page.goto(server.page("<iframe></iframe>"));
  await page.evaluate(() => {
    const frame = document.querySelector("iframe")!;
    const other = frame.contentWindow as never as typeof globalThis;
    const foreign = new other.CloseEvent("close", { code: 4002 });
    const map = new other.Map([["a", 1]]);
    console.log("other", foreign, map, new other.Date(0));
    frame.remove();
    console.log("closed", foreign);
    class CloseEvent {
      code = 1;
    }
    console.log("impostor", new CloseEvent(), Object.create(globalThis.CloseEvent.prototype));
    const real = new globalThis.CloseEvent("close", { code: 4003 });
    let ran = 0;
    Object.defineProperty(globalThis.CloseEvent.prototype, "code", { get: () => ++ran });
    Object.defineProperty(Event.prototype, "type", { get: () => ++ran });
    globalThis.CloseEvent = class {} as never;
    console.log("replaced", real);
    console.log("ran", ran);
  });
  await records.one("logs", (x) => x.message === "ran 0");
  const foreign = { "[class]": "CloseEvent", type: "close", code: 4002, wasClean: false };
  expect(await told(records, "other")).toEqual([
    foreign,
    { "[class]": "Map", size: 1, entries: [["a", 1]] },
    "1970-01-01T00:00:00.000Z",
  ]);
  expect(await told(records, "closed")).toEqual([foreign]);
  expect(await told(records, "impostor")).toEqual([{ "[class]": "CloseEvent", code: 1 }, { "[class]": "CloseEvent" }]);
  expect(await told(records, "replaced")).toEqual([
    { "[class]": "CloseEvent", type: "close", code: 4003, wasClean: false },
  ]);
});

test("what a promise is rejected with is told", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page(""));
  await page.evaluate(() => {
    void Promise.reject(new CustomEvent("oops", { detail: { why: "quota exceeded" } }));
    void Promise.reject(new Response("x", { status: 503 }));
    void Promise.reject({ code: 7, message: "plain" });
    void Promise.reject(undefined);
  });
  await records.one("exceptions", (x) => x.message === '"[undefined]"' || x.message === "[undefined]");
  const messages = records.all("exceptions").map((x) => x.message);
  expect(messages[0]).toBe('{"[class]":"CustomEvent","type":"oops","detail":{"why":"quota exceeded"}}');
  expect(messages[1]).toContain('"[class]":"Response","status":503');
  expect(messages[2]).toBe('{"code":7,"message":"plain"}');
});
