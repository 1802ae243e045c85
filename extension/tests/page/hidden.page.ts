import { afterEach, beforeEach, expect, test } from "vitest";
import { beat, change, drawn, frame, pause, turn } from "../../dom-agent/waiting.ts";
import { worker } from "./setup.ts";

const { setTimeout: native } = globalThis;

/** A hidden page: it draws nothing, and Chrome holds its timers back. */
beforeEach(() => {
  worker.asked.length = 0;
  worker.answer = null;
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  globalThis.setTimeout = (() => 0) as never;
});
afterEach(() => {
  Reflect.deleteProperty(document, "hidden");
  globalThis.setTimeout = native;
  Object.defineProperty(worker, "answer", { value: null, writable: true, configurable: true, enumerable: true });
});

/** The worker lets the time go by that it is asked for. */
const timed = (): void => {
  Object.defineProperty(worker, "answer", {
    configurable: true,
    get: () => {
      const { ms } = worker.asked.at(-1) as { ms: number };
      return new Promise((resolve) => native(resolve, ms, null));
    },
  });
};

test("a hidden page waits by the worker's time, in parts of ten seconds at most", async () => {
  timed();
  const began = performance.now();
  await pause(30);
  expect(performance.now() - began).toBeGreaterThanOrEqual(29);
  expect(worker.asked[0]).toEqual({ type: "gasoline-tick", ms: 30 });
  void pause(60_000, AbortSignal.timeout(50));
  expect(worker.asked.at(-1)).toEqual({ type: "gasoline-tick", ms: 10_000 });
});

test("a wait is over when nobody waits any more", async () => {
  worker.answer = undefined;
  const control = new AbortController();
  const waiting = pause(60_000, control.signal);
  control.abort();
  await waiting;
  await pause(60_000, control.signal);
});

test("changes, frames and what stands for them come in a hidden page", async () => {
  timed();
  await change(20);
  expect(await frame()).toBe(false);
  await drawn();
  await beat();
});

test("a frame of a hidden page is 16 ms, and tasks go by where the worker's time would take longer", async () => {
  timed();
  await frame();
  expect(worker.asked).toEqual([{ type: "gasoline-tick", ms: 16 }]);
  for (const wait of [drawn, beat]) {
    let went = false;
    void turn().then(() => (went = true));
    const began = performance.now();
    await wait();
    expect([went, worker.asked.length]).toEqual([true, 1]);
    if (wait === beat) expect(performance.now() - began).toBeGreaterThanOrEqual(16);
  }
});

test("a wait that is over is none when the page is hidden afterwards", async () => {
  globalThis.setTimeout = native;
  Object.defineProperty(document, "hidden", { value: false, configurable: true });
  await pause(1);
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  expect(worker.asked).not.toContainEqual({ type: "gasoline-tick", ms: 0 });
});

test("a page that is hidden while it is waited for goes on by the worker's time", async () => {
  timed();
  Object.defineProperty(document, "hidden", { value: false, configurable: true });
  const request = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = () => 0;
  try {
    const waits = [pause(20), frame()];
    expect(worker.asked).toEqual([]);
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    await Promise.all(waits);
  } finally {
    globalThis.requestAnimationFrame = request;
  }
});
