import { expect, test } from "vitest";
import type { FrameInfo } from "../../commands/context.ts";
import { withPlaces } from "./places.ts";

const frame = (...path: number[]): FrameInfo => ({
  frameId: 0,
  documentId: path.join("."),
  url: "",
  title: "",
  path,
  name: "",
  shown: true,
  empty: false,
  children: 0,
  origins: [],
});

const paths = (frames: FrameInfo[], told: [FrameInfo, number | undefined][]): string[] =>
  withPlaces(frames, new Map(told)).map(({ path }) => path.join("."));

test("a frame that was told its place has it, and so has what is in it", () => {
  const lost = frame(-1);
  expect(paths([frame(), frame(0), lost, frame(-1, 2)], [[lost, 3]])).toEqual(["", "0", "3", "3.2"]);
});

test("what is in one of several frames without a place belongs to none of them for sure", () => {
  const [one, two] = [frame(-1), frame(-1)];
  const told: [FrameInfo, number][] = [
    [one, 3],
    [two, 4],
  ];
  expect(paths([frame(), one, two, frame(-1, 0)], told)).toEqual(["", "3", "4", "-1.0"]);
});

test("frames below another parent do not count, and what nobody told stays unknown", () => {
  const [here, there] = [frame(0, -1), frame(1, -1)];
  const told: [FrameInfo, number | undefined][] = [
    [here, 5],
    [there, undefined],
  ];
  expect(paths([frame(), here, frame(0, -1, 0), there, frame(1, -1, 0)], told)).toEqual([
    "",
    "0.5",
    "0.5.0",
    "1.-1",
    "1.-1.0",
  ]);
});
