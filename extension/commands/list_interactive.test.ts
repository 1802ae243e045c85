import { expect, test } from "vitest";
import { shares } from "./list_interactive.ts";

test("frames share what the main one leaves, and at least a third", () => {
  expect(shares([10, 5], 60)).toEqual([10, 5]);
  expect(shares([100, 5], 60)).toEqual([55, 5]);
  expect(shares([100, 50, 3], 60)).toEqual([40, 17, 3]);
  expect(shares([100, 1, 1, 1], 2)).toEqual([2, 0, 0, 0]);
  expect(shares([0, 70, 70], 60)).toEqual([0, 30, 30]);
  expect(shares([], 60)).toEqual([0]);
});
