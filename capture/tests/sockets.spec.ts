import { expect, sameWithAndWithout, test } from "./support/fixture.ts";

test("frames of a WebSocket in order, text by head, binary by size, close by code", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(
    (url) =>
      new Promise<void>((done) => {
        const socket = new WebSocket(url);
        socket.binaryType = "arraybuffer";
        let got = 0;
        socket.onopen = () => {
          socket.send("hello");
          socket.send(new Uint8Array([1, 2, 3]));
          socket.send(new Blob(["blob"]));
          socket.send("é".repeat(5000));
        };
        socket.onmessage = () => {
          if (++got === 4) socket.send("bye");
        };
        socket.onclose = () => done();
      }),
    server.origin.replace("http", "ws") + "/ws?token=abc",
  );
  await records.one("websocket", (frame) => frame.event === "close");
  const frames = records.all("websocket");
  expect(frames.map((frame) => frame.order)).toEqual(frames.map((_, i) => i + 1));
  expect(new Set(frames.map((frame) => frame.connection)).size).toBe(1);
  expect(frames[0]!.url).toMatch(/\/ws\?token=<token:[0-9a-f]{8}>$/);
  expect(frames.map((frame) => [frame.event, frame.direction, frame.type, frame.size])).toEqual([
    ["open", undefined, undefined, 0],
    ["message", "outgoing", "text", 5],
    ["message", "outgoing", "binary", 3],
    ["message", "outgoing", "binary", 4],
    ["message", "outgoing", "text", 10000],
    ["message", "incoming", "text", 5],
    ["message", "incoming", "binary", 3],
    ["message", "incoming", "binary", 4],
    ["message", "incoming", "text", 10000],
    ["message", "outgoing", "text", 3],
    ["close", undefined, undefined, 0],
  ]);
  expect(frames.at(-1)).toMatchObject({ code: 4000, reason: "enough" });
  expect(frames[4]!.flags).toEqual(["truncated"]);
});

test("above 20 messages a second they are counted, the last of each second is shown, order goes on", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(
    (url) =>
      new Promise<void>((done) => {
        const socket = new WebSocket(url);
        socket.onopen = () => socket.send("flood 500");
        socket.onmessage = (event) => {
          if (event.data === "m499") {
            socket.close();
            done();
          }
        };
      }),
    server.origin.replace("http", "ws") + "/ws",
  );
  await records.one("websocket", (frame) => frame.event === "close");
  const frames = records.all("websocket");
  const sampled = frames.filter((frame) => frame.flags?.includes("sampled"));
  const shown = frames.filter((frame) => frame.direction === "incoming" && !frame.flags).length;
  expect(shown).toBeLessThan(100);
  expect(shown + sampled.reduce((sum, frame) => sum + frame.skipped! + 1, 0)).toBe(500);
  // When a second begins shortly before the end, the last ones are few enough to be shown each.
  expect(frames.filter((frame) => frame.direction === "incoming").at(-1)).toMatchObject({ data: "m499", order: 502 });
  expect(sampled.at(-1)!.rate).toBeGreaterThan(20);
  expect(frames.at(-1)).toMatchObject({ event: "close", order: 503 });
});

test("WebSocket looks native: statics, constructor, subclass, handlers, errors", async ({ context, server }) => {
  const seen = await sameWithAndWithout(context, server.page("x"), async (origin) => {
    const told: unknown[] = [];
    const url = origin.replace("http", "ws") + "/ws";
    class Mine extends WebSocket {
      mine = true;
    }
    const mine = new Mine(url);
    const socket = new WebSocket(url, []);
    told.push(
      socket.constructor === WebSocket,
      socket instanceof WebSocket,
      WebSocket.prototype.constructor === WebSocket,
      mine instanceof Mine,
      mine instanceof WebSocket,
      mine.mine,
      mine.constructor === Mine,
      Object.getPrototypeOf(Mine) === WebSocket,
    );
    told.push(
      WebSocket.name,
      WebSocket.length,
      WebSocket.OPEN,
      String(WebSocket),
      Object.getOwnPropertyNames(socket),
      Object.getOwnPropertyNames(WebSocket).sort(),
      socket.onmessage,
    );
    for (const wrong of [
      () => new WebSocket("ftp://x"),
      () => (WebSocket as never as () => void)(),
      () => new (WebSocket as never as new () => void)(),
      () => socket.send("early"),
      () => Reflect.construct(WebSocket, [url], Array) instanceof Array,
    ]) {
      try {
        told.push(wrong());
      } catch (error) {
        told.push((error as Error).name + ": " + (error as Error).message);
      }
    }
    const order: string[] = [];
    socket.addEventListener("open", () => order.push("listener"));
    socket.onopen = () => order.push("handler");
    await new Promise((done) => socket.addEventListener("open", done));
    told.push(
      order,
      Object.getOwnPropertyDescriptor(window, "WebSocket")!.enumerable,
      typeof Object.getOwnPropertyDescriptor(WebSocket.prototype, "send")!.value,
    );
    return told;
  });
  expect(seen.slice(0, 8)).toEqual(Array(8).fill(true));
});

test("named server-sent events are recorded once the page asks for them", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("x"));
  const heard = await page.evaluate(
    () =>
      new Promise<string[]>((done) => {
        const heard: string[] = [];
        const source = new EventSource("/sse");
        const hear = (event: MessageEvent): void => {
          heard.push(event.type + event.data);
          if (event.data === "2") {
            source.close();
            done([
              ...heard,
              source.constructor === EventSource ? "same" : "other",
              String(Object.getOwnPropertyNames(source)),
              String(source.addEventListener).includes("native code") ? "native" : "patched",
            ]);
          }
        };
        source.onmessage = hear;
        source.addEventListener("tick", (event) => event.stopImmediatePropagation());
        source.addEventListener("tick", hear);
        source.removeEventListener("tick", hear);
        source.addEventListener("tick", { handleEvent: hear } as never, true);
        source.addEventListener("tick", hear as never);
        setTimeout(
          () =>
            done([
              ...heard,
              source.constructor === EventSource ? "same" : "other",
              String(Object.getOwnPropertyNames(source)),
              "native",
            ]),
          300,
        );
      }),
  );
  expect(heard).toEqual(["messageplain", "same", "", "native"]);
  await records.one("websocket", (frame) => frame.data === "2");
  expect(records.all("websocket").map((frame) => [frame.protocol, frame.event, frame.type, frame.data])).toEqual([
    ["eventsource", "open", undefined, undefined],
    ["eventsource", "message", "message", "plain"],
    ["eventsource", "message", "tick", "1"],
    ["eventsource", "message", "tick", "2"],
  ]);
});

test("an event stream that the page closes is recorded as closed, once", async ({ page, capture, server }) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(async () => {
    const source = new EventSource("/sse");
    await new Promise((heard) => (source.onmessage = heard));
    source.dispatchEvent(new MessageEvent("message", { data: "a script's own" }));
    source.close();
    source.close();
    console.log("closed");
  });
  await records.one("logs", (x) => x.message === "closed");
  const told = records.all("websocket").map((frame) => [frame.event, frame.data]);
  expect(told.slice(0, 2)).toEqual([
    ["open", undefined],
    ["message", "plain"],
  ]);
  expect(told.filter(([event]) => event === "close")).toHaveLength(1);
  expect(told.at(-1)).toEqual(["close", undefined]);
  expect(told).not.toContainEqual(["message", "a script's own"]);
});

test("an event stream that is lost, one that cannot connect and one that is answered a page say so", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture();
  await page.goto(server.page("x"));
  await page.evaluate(() => {
    for (const url of ["/typed?lost&type=text/event-stream&text=data: 1%0A%0A", "/refused", "/text?login"])
      new EventSource(url);
  });
  const reason = async (name: string, event: string): Promise<string | undefined> =>
    (await records.one("websocket", (x) => x.url.includes(name) && x.event === event)).reason;
  expect(await reason("?lost", "error")).toBe("the connection ended");
  expect(await reason("/refused", "error")).toBe("it did not connect");
  expect(await reason("?login", "close")).toMatch(/^the answer was no event stream/);
});
