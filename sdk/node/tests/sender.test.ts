// When what waits is sent, and what becomes of it, with a real server and no program.
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { configured } from "../src/config.ts";
import { Runtime } from "../src/runtime.ts";
import { exceptionOf, valueOf } from "../src/values.ts";
import { Receiver } from "./receiver.ts";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.listen();
});
afterEach(async () => {
  await receiver.close();
  expect(receiver.wrong).toEqual([]);
});

function runtimeOf(interval: number): Runtime {
  const config = configured({ GASOLINE_URL: receiver.url, GASOLINE_TOKEN: "t" }, ["node", "/srv/main.js"]);
  if (!config) throw new Error("off");
  return new Runtime({ ...config, interval });
}
const fill = (runtime: Runtime, n: number, severity = 9): void => {
  for (let i = 0; i < n; i++) runtime.log("test", severity, `line ${i}`);
};

describe("when", () => {
  test("an event waits for others", async () => {
    const runtime = runtimeOf(150);
    const began = performance.now();
    fill(runtime, 3);
    await receiver.until((r) => r.logs.length === 3);
    expect(performance.now() - began).toBeGreaterThan(140);
    expect(receiver.requests).toHaveLength(1);
  });

  test("an error goes at once, and takes along what waits", async () => {
    const runtime = runtimeOf(60_000);
    fill(runtime, 3);
    fill(runtime, 1, 17);
    await receiver.until((r) => r.logs.length === 4);
    expect(receiver.requests).toHaveLength(1);
  });

  test.each([
    ["events", (runtime: Runtime) => fill(runtime, 200)],
    [
      "bytes",
      (runtime: Runtime) =>
        runtime.log("test", 9, "x".repeat(16_000)) ??
        Array.from({ length: 9 }, () => runtime.log("test", 9, "x".repeat(16_000))),
    ],
  ])("a full batch by its %s goes at once", async (_, push) => {
    push(runtimeOf(60_000));
    await receiver.until((r) => r.logs.length >= 8);
  });

  test("batches are 20 ms apart and have at most 200 events", async () => {
    const runtime = runtimeOf(60_000);
    const began = performance.now();
    fill(runtime, 1000);
    await receiver.until((r) => r.logs.length === 1000);
    expect(performance.now() - began).toBeGreaterThan(75);
    expect(receiver.requests).toHaveLength(5);
    const all = { waiting: 0, sent: 1000, dropped: 0, failures: 0 };
    await vi.waitFor(() => expect(runtime.sender.stats()).toEqual(all), 5000);
  });

  test("flush waits until all is gone", async () => {
    const runtime = runtimeOf(60_000);
    fill(runtime, 450);
    await runtime.sender.flush(5000);
    expect(receiver.logs).toHaveLength(450);
    await runtime.sender.flush();
    expect(receiver.requests).toHaveLength(3);
  });
});

describe("what becomes of it", () => {
  test("what was dropped is told with what was taken, without another event", async () => {
    const runtime = runtimeOf(100);
    fill(runtime, 6000);
    await receiver.until((r) => r.logs.length >= 5000 && r.logs.some((l) => l.attributes["gasoline.dropped"] === 1000));
    await runtime.sender.flush(5000);
    expect(runtime.sender.stats()).toMatchObject({ waiting: 0, dropped: 1000 });
    expect(receiver.logs.filter((l) => "gasoline.dropped" in l.attributes)).toHaveLength(1);
  });

  test("flush ends when a request has failed, and what failed waits", async () => {
    receiver.reply = () => ({ status: 503 });
    const runtime = runtimeOf(60_000);
    fill(runtime, 2);
    await runtime.sender.flush(3_600_000);
    expect(runtime.sender.stats()).toMatchObject({ waiting: 2, sent: 0, failures: 1 });
  });

  test("what the daemon refuses of a batch counts as dropped", async () => {
    receiver.reply = () => ({ status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"2"}}' });
    const runtime = runtimeOf(100);
    fill(runtime, 5);
    await receiver.until((r) => r.requests.length > 0);
    await runtime.sender.flush(2000);
    expect(runtime.sender.stats()).toMatchObject({ dropped: expect.any(Number) as number });
    expect(runtime.sender.stats().dropped).toBeGreaterThanOrEqual(2);
  });

  test("what is refused for good is dropped, and 401 is asked again", async () => {
    receiver.reply = (n) => (n === 1 ? { status: 401 } : n === 2 ? { status: 403 } : undefined);
    const runtime = runtimeOf(100);
    fill(runtime, 3);
    await receiver.until((r) => r.requests.length >= 2);
    await pause(50);
    expect(runtime.sender.stats()).toMatchObject({ sent: 0, failures: 2, dropped: 3 });
  });

  test("after five failures only errors and their traces wait", async () => {
    receiver.reply = () => ({ status: 500 });
    const runtime = runtimeOf(10);
    fill(runtime, 1);
    await receiver.until((r) => r.requests.length >= 5);
    await pause(50);
    fill(runtime, 600);
    fill(runtime, 3, 17);
    const { waiting, dropped } = runtime.sender.stats();
    expect(dropped).toBeGreaterThanOrEqual(512);
    expect(waiting).toBeLessThan(100);
    expect(waiting).toBeGreaterThanOrEqual(3);
  });
});

describe("values", () => {
  test("texts within are cut, lists and members are bounded, and depth", () => {
    expect(valueOf({ a: "x".repeat(2000) })).toBe(`{"a":"${"x".repeat(1024)}… (2000 characters)"}`);
    expect(valueOf(Array.from({ length: 70 }, () => 1))).toBe(`[${"1,".repeat(64)}"…"]`);
    const wide = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`k${i}`, i]));
    expect(Object.keys(JSON.parse(String(valueOf(wide))) as object)).toHaveLength(65);
    expect(valueOf({ a: { b: { c: { d: { e: 1 } } } } })).toBe('{"a":{"b":{"c":{"d":"{…}"}}}}');
    expect(valueOf([[[[[1]]]]])).toBe('[[[["[…]"]]]]');
    expect(valueOf({ e: new TypeError("x"), d: new Date(NaN), b: new Uint8Array(3), s: Symbol("y"), f: () => 1, u: undefined }))
      .toBe('{"e":"TypeError: x","d":"Invalid Date","b":"[3 bytes]","s":"Symbol(y)","f":"function"}'); // prettier-ignore
  });

  test("what is no object", () => {
    expect([7n, undefined, null, true, 1.5, "x"].map(valueOf)).toEqual(["7", "undefined", "null", true, 1.5, "x"]);
    expect(valueOf(new RangeError("no"))).toBe("RangeError: no");
    expect(valueOf("x".repeat(5000))).toHaveLength(4096 + "… (5000 characters)".length);
  });

  test("an error's code is kept where it is a word or a number", () => {
    const codeOf = (code: unknown) => exceptionOf(Object.assign(new Error("x"), { code }))["error.code"];
    expect([codeOf("E"), codeOf(7), codeOf({}), codeOf(undefined)]).toEqual(["E", 7, undefined, undefined]);
  });

  test("of causes five are told", () => {
    let error = new Error("0");
    for (let i = 1; i < 9; i++) error = new Error(String(i), { cause: error });
    expect(String(exceptionOf(error)["exception.stacktrace"]).match(/Caused by: /g)).toHaveLength(5);
  });
});
