import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beforeDeadline, unlessAborted } from "./deadline.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => vi.useRealTimers());

const never = new Promise<never>(() => {});
const inTime = (ms: number): Promise<string> => new Promise((resolve) => void setTimeout(() => resolve("done"), ms));
const end = (work: Promise<unknown>): Promise<unknown> =>
  work.catch(({ code, message }: { code: string; message: string }) => `${code}: ${message}`);

test("work ends with the signal's reason, also when the signal fired before", async () => {
  const control = new AbortController();
  const waiting = unlessAborted(control.signal, never);
  control.abort(new Error("nobody waits"));
  expect(await waiting.catch((reason: unknown) => reason)).toBe(control.signal.reason);
  await expect(unlessAborted(control.signal, never)).rejects.toThrow("nobody waits");
  expect(await unlessAborted(new AbortController().signal, Promise.resolve(1))).toBe(1);
});

test("a signal that outlives the work is listened to no longer", async () => {
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  Object.assign(signal, {
    addEventListener: (type: string, listener: unknown) => listening.add(`${type} ${String(listener)}`),
    removeEventListener: (type: string, listener: unknown) => listening.delete(`${type} ${String(listener)}`),
  });
  const waiting = unlessAborted(signal, Promise.resolve(1));
  expect(listening.size).toBe(1);
  await waiting;
  expect(listening.size).toBe(0);
});

test("work has until the deadline, and is told as late from then on", async () => {
  const early = end(beforeDeadline(1050, "too late", inTime(49)));
  const late = end(beforeDeadline(1050, "too late", inTime(51)));
  await vi.advanceTimersByTimeAsync(49);
  expect(await early).toBe("done");
  await vi.advanceTimersByTimeAsync(1);
  expect(await late).toBe("timeout: too late");
  const past = end(beforeDeadline(0, "too late", never));
  await vi.advanceTimersByTimeAsync(0);
  expect(await past).toBe("timeout: too late");
});

test("work that is over before the deadline leaves no timer, and fails as it failed", async () => {
  expect(await beforeDeadline(9000, "too late", Promise.resolve(1))).toBe(1);
  await expect(beforeDeadline(9000, "too late", Promise.reject(new Error("own")))).rejects.toThrow("own");
  expect(vi.getTimerCount()).toBe(0);
});
