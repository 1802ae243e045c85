import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ActionTimes, type Stampable } from "./times.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => vi.useRealTimers());

test("what happened while an action ran in the tab is told as in the same time, and nothing else", () => {
  const times = new ActionTimes();
  times.begin(1, "a");
  vi.setSystemTime(2000);
  times.end(1, "a");
  vi.setSystemTime(3000);
  times.begin(1, "b");
  const stamped = (tab: number, event: Stampable): Stampable => {
    times.stamp(tab, event);
    return event;
  };
  expect(stamped(1, { t: 1500, flags: ["late"] })).toEqual({ t: 1500, action: "a", flags: ["late", "inferred"] });
  expect(stamped(1, { t: 999 })).toEqual({ t: 999 });
  expect(stamped(1, { t: 2500 })).toEqual({ t: 2500 });
  expect(stamped(1, { t: 3500 })).toMatchObject({ action: "b" });
  expect(stamped(2, { t: 1500 })).toEqual({ t: 1500 });
  expect(stamped(1, { t: 1500, action: "u1" })).toEqual({ t: 1500, action: "u1" });
  for (let n = 0; n < 20; n++) times.begin(1, `c${n}`);
  expect(times.at(1, 1500)).toBeUndefined(); // it was long ago
});
