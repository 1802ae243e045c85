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

/**
 * How many of a list's entries each frame gets, by how many it has; the first is the main frame. Frames get what the main
 * one leaves, and at least a third of the room; among them the ones with few are served first.
 */
export function shares(counts: readonly number[], limit: number): number[] {
  const [main = 0, ...inner] = counts;
  const wanted = inner.reduce((sum, count) => sum + count, 0);
  const room = Math.min(wanted, Math.max(limit - main, Math.floor(limit / 3)));
  const given = inner.map(() => 0);
  let left = room;
  while (left > 0) {
    const hungry = [...inner.keys()].filter((i) => (given[i] ?? 0) < (inner[i] ?? 0));
    const each = Math.max(1, Math.floor(left / hungry.length));
    for (const i of hungry) {
      const more = Math.min(each, (inner[i] ?? 0) - (given[i] ?? 0), left);
      given[i] = (given[i] ?? 0) + more;
      left -= more;
    }
  }
  return [Math.min(main, limit - room), ...given];
}

/** The frames to ask, at most max: those that the user sees first, without those that are empty. */
export function toAsk(frames: readonly FrameInfo[], max: number): { asked: FrameInfo[]; more: number } {
  const full = frames.filter(({ empty }) => !empty);
  const first = [...full.filter(({ shown }) => shown), ...full.filter(({ shown }) => !shown)].slice(0, max);
  const chosen = new Set(first);
  return { asked: full.filter((frame) => chosen.has(frame)), more: full.length - chosen.size };
}
