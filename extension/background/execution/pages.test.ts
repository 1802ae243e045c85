import { afterEach, expect, test, vi } from "vitest";
import { openerOf, step } from "./pages.ts";

afterEach(() => vi.unstubAllGlobals());

const opened = { openerTabId: 1, windowId: 10 };
const front = { tab: 1, windowId: 10, active: true };
const behind = { tab: 2, windowId: 10, active: false };
const elsewhere = { tab: 3, windowId: 11, active: false };

test("a tab is of the act in the tab that Chrome names, or of the only one behind it", () => {
  expect(openerOf(opened, [front, elsewhere])).toBe(front);
  expect(openerOf(opened, [{ tab: 1 }])).toEqual({ tab: 1 });
  expect(openerOf(opened, [behind, elsewhere])).toBe(behind);
  expect(openerOf({ openerTabId: 3, windowId: 12 }, [front, behind, elsewhere])).toBe(elsewhere);
});

test("a tab that several acts may have opened, or nobody's page, is of none", () => {
  expect(openerOf(opened, [front, behind])).toBeUndefined();
  expect(openerOf(opened, [behind, { ...behind, tab: 4 }])).toBeUndefined();
  expect(openerOf(opened, [elsewhere, { tab: 5 }])).toBeUndefined();
  expect(openerOf({ windowId: 10 }, [behind])).toBeUndefined();
  expect(openerOf(opened, [{ tab: 6, windowId: 10, active: true }])).toBeUndefined();
});

test.each([
  ["went", async () => [{ result: true }], 0],
  ["went, and took its answer with it", () => Promise.reject(new Error("Frame with ID 0 was removed.")), 0],
  ["has no further page", async () => [{ result: false }], 1],
  ["lets no script in", () => Promise.reject(new Error("Cannot access contents of the page.")), 1],
  ["is the browser's error page", () => Promise.reject(new Error("Frame with ID 0 is showing error page")), 1],
  ["is not granted, and the popup was opened over it", async () => [{ result: true }], 1, false],
] as [string, () => Promise<unknown>, number, boolean?][])(
  "the browser steps only where the page has not: the page %s",
  async (_, run, steps, granted = true) => {
    const executeScript = vi.fn(run);
    const tabs = { goBack: vi.fn(async () => undefined), goForward: vi.fn(async () => undefined) };
    vi.stubGlobal("chrome", { scripting: { executeScript }, tabs });
    await step(7, "back", granted);
    await step(7, "forward", granted);
    expect(executeScript).toHaveBeenCalledTimes(granted ? 2 : 0);
    expect([tabs.goBack.mock.calls, tabs.goForward.mock.calls]).toEqual(
      [tabs.goBack, tabs.goForward].map(() => Array.from({ length: steps }, () => [7])),
    );
  },
);
