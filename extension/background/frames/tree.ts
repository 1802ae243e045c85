import type { FrameInfo } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { runIn } from "./browser.ts";

/**
 * The frames of a tab that can be reached, the main frame first, then in document order. A frame says
 * where it hangs by finding itself in its parent's window.frames, which works across origins too.
 */
export async function frameTree(tab: number): Promise<FrameInfo[]> {
  const found = await inject(tab, { allFrames: true });
  const frames = found
    .filter(({ path }) => !path.includes(-1)) // inside a shadow root: not among its parent's frames
    .sort((a, b) => compare(a.path, b.path));
  return frames.map((frame, i) => ({ ...frame, name: frame.path.length === 0 ? "" : String(i - 1) }));
}

/** The main frame of a tab. */
export async function mainFrame(tab: number): Promise<FrameInfo> {
  const [main] = await inject(tab, { frameIds: [0] });
  if (!main) throw new CommandProblem("tab_gone", `Tab ${tab} shows no page that can be reached.`);
  return { ...main, name: "" };
}

type Found = Omit<FrameInfo, "name">;

async function inject(tab: number, where: { allFrames: true } | { frameIds: number[] }): Promise<Found[]> {
  const results = await runIn(tab, where, whereAmI, []);
  return results.flatMap(({ frameId, documentId, result }) => (result ? [{ frameId, documentId, ...result }] : []));
}

/** Runs in the page's frame. */
function whereAmI(): { path: number[]; url: string } {
  const path: number[] = [];
  for (let at: Window = window; at !== at.parent; at = at.parent) {
    let index = at.parent.length - 1;
    while (index >= 0 && at.parent[index] !== at) index--;
    path.unshift(index);
  }
  return { path, url: location.href };
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
