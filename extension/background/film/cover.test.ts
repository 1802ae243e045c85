import { beforeEach, expect, test, vi } from "vitest";
import type { Frames } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { Covers } from "./cover.ts";

let documents: string[]; // of the tab, its main frame's first
let foreign: number[] = []; // the places of frames that nobody may ask
let told: unknown[] = []; // what the main frame was told to show
let mute = false; // they do not answer
const hello = new Set<(stamp: { tab: number }) => void>();
const frames = {
  each: async (_tab: number, _op: string, params: object | ((frame: object) => { shown: number[] })) => {
    if (mute) throw new CommandProblem("timeout", "The page did not answer.");
    const places = [...Array(documents.length - 1 + foreign.length).keys()].filter((at) => !foreign.includes(at));
    const all = documents.map((documentId, i) => ({
      name: i ? String(i) : "",
      documentId,
      path: i ? [places[i - 1]] : [],
    }));
    if (typeof params === "function") told.push(params(all[0]!).shown);
    return {
      answers: all.map((frame) => ({
        frame,
        value: { fields: 0, frames: frame.name ? 0 : places.length + foreign.length, hid: 0 },
      })),
      coverage: {},
      empty: [],
    };
  },
} as unknown as Frames;
const come = (tab: number): void => hello.forEach((heard) => heard({ tab }));

beforeEach(() => {
  documents = ["a", "inner"];
  [foreign, told] = [[], []];
  mute = false;
  const css = async (): Promise<void> => undefined;
  vi.stubGlobal("chrome", { scripting: { insertCSS: css, removeCSS: css } });
});

/** How often a picture is taken where meanwhile happens while the first is. */
async function taken(meanwhile: () => void, deadline = Date.now() + 10_000): Promise<number> {
  const onHello = (heard: (stamp: { tab: number }) => void): (() => void) => {
    hello.add(heard);
    return () => void hello.delete(heard);
  };
  let times = 0;
  const covers = new Covers(frames, () => documents[0], onHello);
  return covers.covered(1, deadline, async () => {
    if (times++ === 0) meanwhile();
    return times;
  });
}

test("a picture during which another document came is taken anew", async () => {
  expect(await taken(() => undefined)).toBe(1);
  expect(await taken(() => (documents = ["b", "inner"]))).toBe(2);
  expect(await taken(() => (documents = ["a", "other"]))).toBe(2);
  expect(await taken(() => (documents = ["a"]))).toBe(1);
  // The page was left for another one and came back out of the cache.
  expect(await taken(() => come(1))).toBe(2);
  expect(await taken(() => come(2))).toBe(1);
  expect(hello.size).toBe(0);
});

test("frames that say nothing of their secrets are hidden while a picture is taken", async () => {
  documents = ["a", "one", "two"];
  foreign = [0, 2];
  expect(await taken(() => undefined)).toBe(1);
  expect(told).toEqual([
    [1, 3],
    [1, 3],
  ]);
});

test("a film of the user shows frames as they are, but for the pictures of agents", async () => {
  documents = ["a", "one"];
  foreign = [1];
  const covers = new Covers(
    frames,
    () => documents[0],
    () => () => undefined,
  );
  const cover = covers.take(1, false);
  await cover.go();
  expect(told).toEqual([]);
  covers.take(1);
  await cover.go();
  expect(told).toEqual([[0]]);
  await covers.letGo(1);
  expect(told).toEqual([[0]]);
  expect(cover.hiding).toBe(0);
});

test("no picture is given where another document came and no time is left", async () => {
  await expect(taken(() => (documents = ["b"]), Date.now())).rejects.toMatchObject({ code: "timeout" });
});

test("a page that was left before its fields were covered is pictured in the place of the one before", async () => {
  const onHello = (heard: (stamp: { tab: number }) => void): (() => void) => {
    hello.add(heard);
    return () => void hello.delete(heard);
  };
  let asked = 0;
  // The answer is of the first document, and the tab shows another one by then.
  const shown = (): string => {
    if (asked++ === 0) {
      documents = ["b"];
      come(1);
      return "b";
    }
    return documents[0]!;
  };
  const covers = new Covers(frames, shown, onHello);
  expect(await covers.covered(1, Date.now() + 10_000, async (covered) => [...covered])).toContain("b");
});

test("a picture that is to be taken alone waits for others of its tab, and they for it", async () => {
  const covers = new Covers(
    frames,
    () => documents[0],
    () => () => undefined,
  );
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string, tab: number, alone: boolean): Promise<void> =>
    covers.covered(
      tab,
      Date.now() + 10_000,
      async () => {
        order.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
      },
      alone,
    );
  const begun = async (...names: string[]): Promise<void> => {
    await vi.waitFor(() => expect(order).toEqual(names));
    await new Promise((resolve) => setTimeout(resolve));
    expect(order).toEqual(names);
  };
  const all = [take("one", 1, false), take("two", 1, false), take("masked", 1, true), take("three", 1, false)];
  await begun("one", "two");
  all.push(take("other tab", 2, true));
  await begun("one", "two", "other tab");
  ends.get("one")!();
  await begun("one", "two", "other tab");
  ends.get("two")!();
  await begun("one", "two", "other tab", "masked");
  ends.get("masked")!();
  await begun("one", "two", "other tab", "masked", "three");
  for (const end of ends.values()) end();
  await Promise.all(all);
});

test("a page that does not answer is told as shown only where pictures of it may have been taken", async () => {
  let shown: string | undefined;
  const take = () =>
    new Covers(
      frames,
      () => shown,
      () => () => undefined,
    ).take(1);
  for (const [before, after, told] of [
    ["a", "a", ["the page"]], // something that came in it may not be covered
    ["a", "b", []], // it is waited for
    ["a", undefined, ["the page"]], // it told nothing of itself
    [undefined, "a", []],
  ] as const) {
    shown = before;
    mute = false;
    const cover = take();
    if (before !== undefined) await cover.go();
    shown = after;
    mute = true;
    await cover.go();
    expect(cover.uncovered, `${before} ${after}`).toEqual(told);
    cover.shownAsItIs(); // the user's own film goes on
    expect(cover.uncovered).toEqual(["the page"]);
  }
});
