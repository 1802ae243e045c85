import { beforeEach, expect, test, vi } from "vitest";
import type { Frames } from "../../commands/context.ts";
import { Covers } from "./cover.ts";

let documents: string[]; // of the tab, its main frame's first
const hello = new Set<(stamp: { tab: number }) => void>();
const frames = {
  each: async () => ({
    answers: documents.map((documentId, i) => ({
      frame: { name: i ? String(i) : "", documentId },
      value: { fields: 0 },
    })),
    coverage: {},
  }),
} as unknown as Frames;
const come = (tab: number): void => hello.forEach((heard) => heard({ tab }));

beforeEach(() => {
  documents = ["a", "inner"];
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

test("no picture is given where another document came and no time is left", async () => {
  await expect(taken(() => (documents = ["b"]), Date.now())).rejects.toMatchObject({ code: "timeout" });
});
