import type { CaptureRecord } from "@gasoline/capture";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BodyGate } from "./body-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = (body: string): CaptureRecord =>
  ({
    kind: "network",
    event: {
      request_body: body,
      response_body: body,
      response_body_note: "truncated",
      flags: ["truncated", "late"],
      url: "/",
    },
  }) as unknown as CaptureRecord;

/** A gate, and what it let through, in order. */
function open() {
  const passed: CaptureRecord[] = [];
  const gaveUp = vi.fn();
  const gate = new BodyGate({ pass: (record) => passed.push(record), gaveUp });
  const take = (record: CaptureRecord): void => {
    if (gate.admit(record)) passed.push(record);
  };
  const bodies = (): unknown[] =>
    passed.map((record) => (record as unknown as { event: { response_body?: string } }).event.response_body);
  return { gate, take, passed, bodies, gaveUp };
}

test("requests wait for the setting and keep their bodies when they are wanted", () => {
  const { gate, take, bodies } = open();
  take(request("a"));
  take(request("b"));
  expect(bodies()).toEqual([]);
  gate.set(true);
  take(request("c"));
  expect(bodies()).toEqual(["a", "b", "c"]);
});

test("without the wish for bodies a record says that they are off, and nothing else", () => {
  const { gate, take, passed } = open();
  take(request("a"));
  gate.set(false);
  take(request("b"));
  const event = { request_body_note: "off", response_body_note: "off", flags: ["late"], url: "/" };
  expect(passed).toEqual([
    { kind: "network", event },
    { kind: "network", event },
  ]);
});

test("what is no request does not wait", () => {
  const { take, passed } = open();
  const log = { kind: "logs", event: { message: "x" } } as unknown as CaptureRecord;
  take(log);
  expect(passed).toEqual([log]);
});

test("they wait two seconds at most, then go without bodies, until the setting comes", () => {
  const { gate, take, bodies, gaveUp } = open();
  take(request("a"));
  vi.advanceTimersByTime(600);
  take(request("b"));
  vi.advanceTimersByTime(1399);
  expect(bodies()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(bodies()).toEqual([undefined, undefined]);
  expect(gaveUp).toHaveBeenCalledOnce();
  take(request("c"));
  gate.set(true);
  take(request("d"));
  expect(bodies()).toEqual([undefined, undefined, undefined, "d"]);
});

test("a page that goes away before the setting is known leaves no body behind", () => {
  const { gate, take, bodies } = open();
  take(request("a"));
  gate.release();
  expect(bodies()).toEqual([undefined]);
  take(request("b"));
  gate.set(true);
  expect(bodies()).toEqual([undefined, "b"]);
});

test("more than fits passes at once, without bodies", () => {
  const { gate, take, bodies } = open();
  take(request("x".repeat(400_000)));
  take(request("y".repeat(400_000)));
  expect(bodies()).toEqual([undefined]);
  for (let i = 0; i < 600; i++) take(request(""));
  expect(bodies()).toHaveLength(1 + 101);
  gate.set(true);
  expect(bodies()).toHaveLength(602);
});

test("nothing passes after the end", () => {
  const { gate, take, passed } = open();
  take(request("a"));
  gate.stop();
  vi.advanceTimersByTime(5000);
  gate.set(true);
  expect(passed).toEqual([]);
});
