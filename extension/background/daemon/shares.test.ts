import { expect, test } from "vitest";
import { sharesOf } from "./shares.ts";

const held = (tab: number, frame: number, document: string, weight: number) => ({
  stamp: { tab, frame, document, page_url: "", since: "document_start" as const },
  weight,
});
const over = (most: number, ...items: ReturnType<typeof held>[]) => sharesOf(items, most).map((at) => at.over);

test("nobody has too much while all together do not", () => {
  expect(over(30, held(1, 0, "a", 10), held(2, 0, "b", 20))).toEqual([0, 0]);
});

test("who has most gives, and what one does not need is the others'", () => {
  expect(over(30, held(1, 0, "a", 5), held(2, 0, "b", 40))).toEqual([0, 15]);
  expect(over(30, held(1, 0, "a", 50), held(2, 0, "b", 40), held(3, 0, "c", 4))).toEqual([37, 27, 0]);
});

test("many frames do not take their page's share, nor another tab's", () => {
  const frames = Array.from({ length: 100 }, (_, i) => held(1, i + 1, `f${i}`, 10));
  expect(over(400, held(1, 0, "a", 100), held(2, 0, "b", 200), ...frames)).toEqual([
    0,
    0,
    ...frames.map(() => 9), // 100 is left for 1,000
  ]);
});

test("one document that floods in many parts has one share", () => {
  const [first, second, quiet] = sharesOf([held(1, 3, "f", 60), held(1, 3, "f", 60), held(1, 4, "g", 10)], 50);
  expect(first).toBe(second);
  expect([first?.over, quiet?.over]).toEqual([80, 0]);
});
