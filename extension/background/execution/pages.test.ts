import { expect, test } from "vitest";
import { openerOf } from "./pages.ts";

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
