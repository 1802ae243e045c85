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

test("fifty tabs are remembered, and the one of which nothing was heard for longest goes first", () => {
  const times = new ActionTimes();
  for (let tab = 1; tab <= 50; tab++) times.begin(tab, `a${tab}`);
  expect(times.at(1, 1000)).toBe("a1");
  times.begin(2, "again");
  expect([times.at(1, 1000), times.at(2, 1000), times.at(50, 1000)]).toEqual(["a1", "again", "a50"]);
  times.begin(51, "a51");
  times.begin(52, "a52");
  expect([1, 2, 3, 4].map((tab) => times.at(tab, 1000))).toEqual([undefined, "again", undefined, "a4"]);
});

test("eight actions of a tab are remembered, each with its own time, bounds included", () => {
  const times = new ActionTimes();
  for (let n = 0; n < 9; n++) {
    vi.setSystemTime(1000 + 10 * n);
    times.begin(1, `a${n}`);
    vi.setSystemTime(1005 + 10 * n);
    times.end(1, `a${n}`);
  }
  expect([1000, 1010, 1015, 1016, 1080].map((t) => times.at(1, t))).toEqual([undefined, "a1", "a1", undefined, "a8"]);
  const event: Stampable = { t: 1010 };
  times.stamp(1, event);
  expect(event).toEqual({ t: 1010, action: "a1", flags: ["inferred"] });
  times.end(7, "a1"); // of a tab that is not known
  const untimed: Stampable = {};
  times.stamp(1, untimed);
  expect(untimed).toEqual({});
});
