import { expect, test } from "vitest";
import { unlessAborted } from "./deadline.ts";

const never = new Promise<never>(() => {});

test("work ends with the signal's reason, also when the signal fired before", async () => {
  const control = new AbortController();
  const waiting = unlessAborted(control.signal, never);
  control.abort(new Error("nobody waits"));
  await expect(waiting).rejects.toThrow("nobody waits");
  await expect(unlessAborted(control.signal, never)).rejects.toThrow("nobody waits");
  expect(await unlessAborted(new AbortController().signal, Promise.resolve(1))).toBe(1);
});
