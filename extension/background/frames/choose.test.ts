import { expect, test } from "vitest";
import type { FrameInfo } from "../../commands/context.ts";
import { choose, toAsk } from "./choose.ts";

const frame = (name: string, shown = true, empty = false): FrameInfo => ({
  frameId: Number(name),
  documentId: `d${name}`,
  url: "",
  title: "",
  path: name === "" ? [] : [Number(name)],
  name,
  shown,
  empty,
  children: 0,
  origins: [],
});
const [main, one, two] = [frame(""), frame("0"), frame("1")];
const hidden = frame("2", false);

test("the only frame in which a target fits is taken", () => {
  const probes = [
    { frame: main, count: 0, visible: 0 },
    { frame: one, count: 3, visible: 2 },
  ];
  expect(choose(probes, undefined)).toEqual({ frame: one });
});

test("the main frame is not preferred to another one", () => {
  const probes = [
    { frame: main, count: 1, visible: 1 },
    { frame: one, count: 1, visible: 1 },
  ];
  expect(choose(probes, undefined)).toEqual({ among: [main, one] });
});

test("where it is visible it is meant, and nothing is visible in a hidden frame", () => {
  const probes = [
    { frame: main, count: 2, visible: 0 },
    { frame: two, count: 1, visible: 1 },
    { frame: hidden, count: 1, visible: 1 },
  ];
  expect(choose(probes, undefined)).toEqual({ frame: two });
  expect(choose([probes[0]!, probes[2]!], undefined)).toEqual({ among: [main, hidden] });
});

test("a target that fits nowhere has no frame", () => {
  expect(choose([{ frame: main, count: 0, visible: 0 }], undefined)).toBeUndefined();
});

test("nth counts through the frames, from the end too", () => {
  const probes = [
    { frame: main, count: 1, visible: 1 },
    { frame: one, count: 0, visible: 0 },
    { frame: two, count: 2, visible: 2 },
  ];
  expect(choose(probes, 0)).toEqual({ frame: main, nth: 0 });
  expect(choose(probes, 1)).toEqual({ frame: two, nth: 0 });
  expect(choose(probes, -1)).toEqual({ frame: two, nth: 1 });
  expect(choose(probes, -3)).toEqual({ frame: main, nth: 0 });
  expect(choose(probes, 3)).toBeUndefined();
  expect(choose(probes, -4)).toBeUndefined();
});

test("empty frames are not asked, and hidden ones only where there is room", () => {
  const frames = [main, hidden, one, frame("5", true, true), two];
  expect(toAsk(frames, 3)).toEqual({ asked: [main, one, two], more: 1 });
  expect(toAsk(frames, 9)).toEqual({ asked: [main, hidden, one, two], more: 0 });
});
