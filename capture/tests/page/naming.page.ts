import { clock } from "./setup.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Roots } from "../../locators/deep.ts";
import { Naming } from "../../locators/naming.ts";
import { type Sketch, sketchOf } from "../../locators/ranked.ts";

const sketches = (count: number): Sketch[] => {
  document.body.innerHTML = Array.from(
    { length: count },
    (_, i) => `<button id=button-${i} data-testid=t${i}>b${i}</button>`,
  ).join("");
  return [...document.querySelectorAll("button")].map((button) => sketchOf(button));
};
const later = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 5));

/** A naming, how often it ran, and what it told. */
function begin(roots = new Roots()) {
  const state = { runs: 0, told: [] as unknown[], inside: false };
  const naming = new Naming(roots, (work) => {
    state.runs++;
    state.inside = true;
    work();
    state.inside = false;
  });
  const add = (sketch: Sketch | undefined): void =>
    naming.add(sketch, (found) => state.told.push(found?.find(({ kind }) => kind === "role")?.value));
  return { naming, state, add };
}

beforeEach(() => Object.assign(clock, { at: 0, step: 0 }));
afterEach(() => void (clock.at = undefined));

describe("naming", () => {
  test("tells in the order in which things came, later, in what it was given", async () => {
    const { naming, state, add } = begin();
    sketches(3).forEach(add);
    add(undefined);
    naming.add(undefined, () => state.told.push(state.inside));
    expect([naming.size, state.runs, state.told]).toEqual([5, 0, []]);
    while (naming.size > 0) await later();
    await later();
    expect(state.told).toEqual(['button[name="b0"]', 'button[name="b1"]', 'button[name="b2"]', undefined, true]);
    expect(state.runs).toBe(1);
    sketches(1).forEach(add);
    while (naming.size > 0) await later();
    expect([state.told.length, state.runs]).toEqual([6, 2]);
  });
  test("loses what waits where it may not work any more", async () => {
    let runs = 0;
    const told: unknown[] = [];
    const naming = new Naming(new Roots(), () => void runs++);
    naming.add(sketches(1)[0], (found) => told.push(found));
    await later();
    await later();
    expect([naming.size, told, runs]).toEqual([0, [], 1]);
  });
  test("settles at once, and does nothing later", async () => {
    const { naming, state, add } = begin();
    sketches(2).forEach(add);
    naming.settle();
    expect([naming.size, state.told]).toEqual([0, ['button[name="b0"]', 'button[name="b1"]']]);
    await later();
    await later();
    expect([state.runs, state.told.length]).toEqual([0, 2]);
    naming.settle();
    sketches(1).forEach(add);
    while (naming.size > 0) await later();
    expect(state.told).toHaveLength(3);
  });
  test("goes on with the next when a page is in a state that no search goes through", () => {
    const { naming, state, add } = begin();
    const [first, second] = sketches(2);
    const broken = {
      ...first!,
      get role(): string {
        throw new Error("no");
      },
    };
    add(broken);
    add(second);
    naming.settle();
    expect(state.told).toEqual([undefined, 'button[name="b1"]']);
  });
  /** Roots that put the clock forward each time something asks for one. */
  const slow = (ms: number): Roots =>
    new Roots(() => {
      clock.at! += ms;
      return null;
    });
  test("tells without locators what cannot be found in 50 ms", () => {
    for (const [ms, found] of [
      [49, true],
      [50, false],
    ] as const) {
      clock.at = 0;
      const { naming, state, add } = begin(slow(ms));
      add(sketches(1)[0]);
      naming.settle();
      expect(
        state.told.map((told) => told !== undefined),
        String(ms),
      ).toEqual([found]);
      expect(naming.size).toBe(0);
    }
  });
  test("forgets a search that had no time", async () => {
    const { naming, state, add } = begin(slow(50));
    const [first, second] = sketches(2);
    add(first);
    naming.settle();
    expect(state.told).toEqual([undefined]);
    add(second);
    while (naming.size > 0) await later();
    expect(state.told).toEqual([undefined, 'button[name="b1"]']);
  });
  test("works 6 ms at a time, and goes on where it was", async () => {
    const { naming, state, add } = begin();
    clock.step = 1;
    sketches(8).forEach(add);
    while (naming.size > 0) await later();
    expect(state.told).toEqual(Array.from({ length: 8 }, (_, i) => `button[name="b${i}"]`));
    expect(state.runs).toBe(13);
  });
});
