import type { FrameInfo } from "../../commands/context.ts";

/** How often a target fits in a frame. */
export interface Probe {
  frame: FrameInfo;
  count: number;
  visible: number;
}

/** Where a target is: in one frame, in several, or in none. */
export type Choice = { frame: FrameInfo; nth?: number } | { among: FrameInfo[] } | undefined;

/**
 * Chooses the frame of a target. Where it fits in several, those where it is visible are meant. nth counts through the
 * frames in their order. The order of the probes is that of the document, the main frame first.
 */
export function choose(probes: readonly Probe[], nth: number | undefined): Choice {
  if (nth !== undefined) return nthOf(probes, nth);
  const fitting = probes.filter(({ count }) => count > 0);
  const visible = fitting.filter(({ frame, visible }) => frame.shown && visible > 0);
  const meant = (visible.length > 0 ? visible : fitting).map(({ frame }) => frame);
  const [only] = meant;
  if (meant.length > 1) return { among: meant };
  return only && { frame: only };
}

function nthOf(probes: readonly Probe[], nth: number): Choice {
  let left = nth < 0 ? probes.reduce((sum, { count }) => sum + count, 0) + nth : nth;
  if (left < 0) return undefined;
  for (const { frame, count } of probes) {
    if (left < count) return { frame, nth: left };
    left -= count;
  }
  return undefined;
}

/** The frames to ask, at most max: those that the user sees first, without those that are empty. */
export function toAsk(frames: readonly FrameInfo[], max: number): { asked: FrameInfo[]; more: number } {
  const full = frames.filter(({ empty }) => !empty);
  const first = [...full.filter(({ shown }) => shown), ...full.filter(({ shown }) => !shown)].slice(0, max);
  const chosen = new Set(first);
  return { asked: full.filter((frame) => chosen.has(frame)), more: full.length - chosen.size };
}
