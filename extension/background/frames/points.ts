import type { FrameInfo } from "../../commands/context.ts";
import type { Page } from "./page.ts";
import { samePath } from "./tree.ts";

interface Point {
  x: number;
  y: number;
}

/** Carries a point of a frame through the frames around it; null where one of them cannot be asked. Throws what lies over it. */
export async function upwards(
  page: Page,
  frames: readonly FrameInfo[],
  { path }: FrameInfo,
  point: Point,
  deadline: number,
): Promise<Point | null> {
  let at: Point | null = point;
  for (let depth = path.length - 1; depth >= 0 && at; depth--) {
    // A page of a site that was not granted cannot be asked, nor what is around it.
    const parent = frames.find((other) => samePath(other.path, path.slice(0, depth)));
    const index = path[depth] ?? -1;
    at = parent && index >= 0 ? await page.calls.run(page.tab, parent, "around", { index, ...at }, deadline) : null;
  }
  return at;
}
