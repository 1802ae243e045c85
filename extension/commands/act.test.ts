import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { step } from "./act.ts";
import type { Context } from "./context.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** An act in a page with an iframe that answers after so long, ms. */
async function acted(late: number): Promise<string[]> {
  const changed = { changes: ['dialog "Sure?" opened'] };
  const each = async (_tab: number, op: string) => {
    await new Promise((done) => setTimeout(done, late));
    return { answers: op === "changes" ? [{ value: changed }] : [], coverage: {} };
  };
  const settled = { changes: ["menu closed"], busy: [] };
  const context = {
    tab: 1,
    deadline: Date.now() + 10_000,
    performed: () => undefined,
    frames: { inner: () => true, each, call: async () => ({ result: {}, settled }) },
    pages: { captured: () => true, dialog: () => undefined },
  } as unknown as Context;
  const done = step(context, "click", { selector: "button" });
  await vi.advanceTimersByTimeAsync(10_000);
  return (await done).settled.changes;
}

test("what an act changed in an iframe is told also where the frame is slow to say it, and waited for no longer than that", async () => {
  expect(await acted(0)).toEqual(["menu closed", 'dialog "Sure?" opened']);
  expect(await acted(900)).toEqual(["menu closed", 'dialog "Sure?" opened']);
  expect(await acted(5000)).toEqual(["menu closed"]);
});
