import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

test("doubles up to its bound, with jitter in the upper half", () => {
  const low = new Backoff(500, 30_000, () => 0);
  const high = new Backoff(500, 30_000, () => 0.999999);
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map(() => low.next())).toEqual([
    250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000,
  ]);
  expect(high.next()).toBeCloseTo(500, 2);
  for (let i = 0; i < 100; i++) expect(high.next()).toBeLessThanOrEqual(30_000);
  low.reset();
  expect(low.next()).toBe(250);
});

test("counts sixteen failures, and then no more", () => {
  const backoff = new Backoff(1, 1e9, () => 0);
  const waits = Array.from({ length: 20 }, () => backoff.next());
  expect(waits.slice(15)).toEqual([2 ** 14, 2 ** 15, 2 ** 15, 2 ** 15, 2 ** 15]);
});
