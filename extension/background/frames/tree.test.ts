import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { frameTree } from "./tree.ts";

interface Fake {
  frame: number;
  path: number[];
  shown?: boolean;
  frozen?: boolean;
  children?: number;
}

let fakes: Fake[];
let asked: number; // documents that a script was run in
const documentOf = (frame: number): string => `d${frame}`;

beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  type Target = { allFrames?: boolean; frameIds?: number[]; documentIds?: string[] };
  const executeScript = async ({ target }: { target: Target }): Promise<unknown> => {
    const chosen = fakes.filter(
      ({ frame }) =>
        target.allFrames || target.frameIds?.includes(frame) || target.documentIds?.includes(documentOf(frame)),
    );
    asked += chosen.length;
    if (chosen.some(({ frozen }) => frozen)) await new Promise(() => undefined);
    if (target.documentIds && chosen.length < target.documentIds.length) throw new Error("No document with id");
    return chosen.map(({ frame, path, shown = true, children = 0 }) => ({
      frameId: frame,
      documentId: documentOf(frame),
      result: { path, url: "", origins: [], title: "", shown, empty: false, children },
    }));
  };
  vi.stubGlobal("chrome", { scripting: { executeScript } });
});
afterEach(() => vi.useRealTimers());

const known = (gone: number[] = []) =>
  [...fakes.map(({ frame }) => frame), ...gone].map((frame) => ({ frame, document: documentOf(frame), page_url: "" }));

async function treeOf(silent: string[] = [], gone: number[] = []) {
  const tree = frameTree(1, known(gone), 1000, new Set(silent));
  await vi.runAllTimersAsync();
  const { frames, silent: quiet, more } = await tree;
  return { names: frames.map(({ frameId, name }) => `${frameId}:${name}`), frames, silent: quiet, more };
}

test("frames are numbered in document order, and what is in a hidden one is hidden", async () => {
  fakes = [
    { frame: 0, path: [] },
    { frame: 9, path: [0] },
    { frame: 3, path: [1], shown: false },
    { frame: 4, path: [1, 0] },
    { frame: 5, path: [2] },
    { frame: 6, path: [-1] },
  ];
  const { names, frames, silent, more } = await treeOf();
  expect(names).toEqual(["0:", "9:0", "3:1", "4:2", "5:3", "6:4"]);
  expect(frames.filter(({ shown }) => !shown).map(({ frameId }) => frameId)).toEqual([3, 4]);
  expect([silent, more]).toEqual([[], 0]);
});

test("a frozen frame and one that is gone hold none of the others", async () => {
  fakes = [{ frame: 0, path: [] }, { frame: 1, path: [0], frozen: true }, ...inner(2, 40)];
  const first = await treeOf([], [99]);
  expect(first.frames).toHaveLength(39);
  expect(first.silent.map(({ document }) => document)).toEqual(["d1", "d99"]);
  // Known to be silent, it costs little time.
  const began = Date.now();
  const again = frameTree(1, known(), 1000, new Set(["d1"]));
  await vi.advanceTimersByTimeAsync(200);
  expect((await again).frames).toHaveLength(39);
  expect(Date.now() - began).toBeLessThanOrEqual(200);
});

test("frames keep their numbers where others do not say in time where they are", async () => {
  const page = (...frozen: number[]): Fake[] =>
    [
      { frame: 0, path: [], children: 4 },
      { frame: 7, path: [0] },
      { frame: 2, path: [1], children: 2 },
      { frame: 4, path: [1, 0] },
      { frame: 3, path: [1, 1] },
      { frame: 5, path: [2] },
      { frame: 6, path: [3] },
    ].map((at) => ({ ...at, frozen: frozen.includes(at.frame) }));
  fakes = page();
  expect((await treeOf()).names).toEqual(["0:", "7:0", "2:1", "4:2", "3:3", "5:4", "6:5"]);
  fakes = page(7, 4);
  expect((await treeOf()).names).toEqual(["0:", "2:1", "3:3", "5:4", "6:5"]);
  // The place of one that nobody may ask has none.
  fakes = page(4).filter(({ frame }) => frame !== 7);
  expect((await treeOf()).names).toEqual(["0:", "2:0", "3:1", "5:2", "6:3"]);
});

test("of very many frames 200 are asked, the others are counted", async () => {
  fakes = [{ frame: 0, path: [] }, ...inner(1, 1001)];
  const { frames, more } = await treeOf();
  expect(frames).toHaveLength(201);
  expect(more).toBe(800);
  expect(asked).toBe(201);
});

const inner = (from: number, to: number): Fake[] =>
  Array.from({ length: to - from }, (_, i) => ({ frame: from + i, path: [from + i - 1] }));
