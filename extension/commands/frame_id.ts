import type { Send } from "./context.ts";

interface FrameTree {
  frame: { id: string };
  childFrames?: FrameTree[];
}

/**
 * The debugger's name for the frame at a path; undefined where it runs in a process of its own. The debugger lists only the
 * frames of one process, so their places among them say nothing: each is asked for its own.
 */
export async function frameId(send: Send, path: readonly number[]): Promise<string | undefined> {
  let { frameTree: tree } = (await send("Page.getFrameTree")) as { frameTree: FrameTree };
  for (const index of path) {
    const unplaced: FrameTree[] = []; // in shadow roots, which come behind all others
    let found: FrameTree | undefined;
    let placed = 0;
    for (const child of tree.childFrames ?? []) {
      const [place, count] = await placeOf(send, child.frame.id);
      placed = count;
      if (place === index) found = child;
      if (place < 0) unplaced.push(child);
    }
    found ??= unplaced[index - placed];
    if (!found) return undefined;
    tree = found;
  }
  return tree.frame.id;
}

/** A frame's place in its parent's window.frames, -1 where it is not there, and how many are. */
async function placeOf(send: Send, id: string): Promise<[place: number, count: number]> {
  const contextId = await isolatedWorld(send, id);
  const { result } = (await send("Runtime.evaluate", {
    contextId,
    returnByValue: true,
    expression:
      "(() => { let i = parent.length - 1; while (i >= 0 && parent[i] !== self) i--; return [i, parent.length]; })()",
  })) as { result: { value?: [number, number] } };
  return result.value ?? [-1, 0];
}

/** The context of a world of our own in a frame. */
export async function isolatedWorld(send: Send, frameId: string): Promise<number> {
  const made = (await send("Page.createIsolatedWorld", { frameId, worldName: "gasoline" })) as {
    executionContextId: number;
  };
  return made.executionContextId;
}
