import { describe, expect, test } from "vitest";
import { Roots } from "../../locators/deep.ts";
import { Naming } from "../../locators/naming.ts";
import { type Sketch, sketchOf } from "../../locators/ranked.ts";

const sketches = (count: number): Sketch[] => {
  document.body.innerHTML = Array.from({ length: count }, (_, i) => `<button>b${i}</button>`).join("");
  return [...document.querySelectorAll("button")].map((button) => sketchOf(button));
};
const direct = (work: () => void): void => work();
const later = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 20));

describe("naming", () => {
  test("calls in the order in which things came, later", async () => {
    const naming = new Naming(new Roots(), direct);
    const told: unknown[] = [];
    for (const [i, sketch] of sketches(3).entries()) naming.add(sketch, (found) => told.push([i, found?.[0]?.value]));
    naming.add(undefined, (found) => told.push(found));
    expect([naming.size, told]).toEqual([4, []]);
    while (naming.size > 0) await later();
    expect(told).toEqual([[0, 'button[name="b0"]'], [1, 'button[name="b1"]'], [2, 'button[name="b2"]'], undefined]);
    naming.add(sketches(1)[0], (found) => told.push(found?.length));
    while (naming.size > 0) await later();
    expect(told.at(-1)).toBe(3);
  });
  test("works in what it was given", async () => {
    let inside = false;
    const naming = new Naming(new Roots(), (work) => {
      inside = true;
      work();
      inside = false;
    });
    const told: boolean[] = [];
    naming.add(sketches(1)[0], () => told.push(inside));
    while (naming.size > 0) await later();
    expect(told).toEqual([true]);
  });
  test("loses what waits where it may not work any more", async () => {
    const naming = new Naming(new Roots(), () => {});
    const told: unknown[] = [];
    naming.add(sketches(1)[0], (found) => told.push(found));
    await later();
    expect([naming.size, told]).toEqual([0, []]);
  });
  test("settles at once, and does nothing later", async () => {
    let runs = 0;
    const naming = new Naming(new Roots(), (work) => {
      runs++;
      work();
    });
    const told: unknown[] = [];
    for (const sketch of sketches(2)) naming.add(sketch, (found) => told.push(found?.length));
    naming.settle();
    expect([naming.size, told]).toEqual([0, [3, 3]]);
    await later();
    expect([runs, told]).toEqual([0, [3, 3]]);
    naming.settle();
    naming.add(sketches(1)[0], (found) => told.push(found?.length));
    while (naming.size > 0) await later();
    expect(told).toEqual([3, 3, 3]);
  });
  test("goes on with the next when a page is in a state that no search goes through", () => {
    const naming = new Naming(new Roots(), direct);
    const told: unknown[] = [];
    const [first, second] = sketches(2);
    const broken = { ...first!, get role(): string { throw new Error("no"); } };
    naming.add(broken, (found) => told.push(found));
    naming.add(second, (found) => told.push(found?.length));
    naming.settle();
    expect(told).toEqual([undefined, 3]);
  });
  /** A root that takes ms each time it is asked for. */
  const slow = (ms: number): Roots =>
    new Roots(() => {
      for (const start = performance.now(); performance.now() - start < ms;);
      return null;
    });
  test("tells without locators what cannot be found in 50 ms", () => {
    const naming = new Naming(slow(30), direct);
    const told: unknown[] = [];
    const given = sketches(2);
    document.body.append(...Array.from({ length: 6 }, () => document.createElement("div")));
    for (const sketch of given) naming.add(sketch, (found) => told.push(found));
    const start = performance.now();
    naming.settle();
    expect(told).toEqual([undefined, undefined]);
    expect(performance.now() - start).toBeGreaterThan(50);
    expect(naming.size).toBe(0);
  });
  test("pauses, and goes on where it was", async () => {
    let runs = 0;
    const naming = new Naming(slow(8), (work) => {
      runs++;
      work();
    });
    const told: unknown[] = [];
    const [sketch] = sketches(1);
    naming.add(sketch, (found) => told.push(found?.[0]?.kind));
    while (naming.size > 0) await later();
    expect(told).toEqual(["role"]);
    expect(runs).toBeGreaterThan(1);
  });
});
