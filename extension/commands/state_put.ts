import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Chunks that came for one load_state. Another token takes their place; they are forgotten after a while. */
let waiting: { token: string; chunks: string[] } | undefined;
let forget: ReturnType<typeof setTimeout> | undefined;

const KEEP_MS = 60_000;

/** Keeps a chunk of a checkpoint until load_state brings the last one. */
export const statePut: Handler<"state_put"> = async ({ token, chunk, page_section }) => {
  if (chunk === 0) waiting = { token, chunks: [] };
  if (waiting?.token !== token || waiting.chunks.length !== chunk) throw lost();
  waiting.chunks.push(page_section);
  clearTimeout(forget);
  forget = setTimeout(() => (waiting = undefined), KEEP_MS);
  return { chunks: waiting.chunks.length };
};

/** The chunks that came for a load_state of so many, its own left out. */
export function chunksOf(token: string, count: number): string[] {
  if (count === 1) return [];
  const found = waiting?.token === token ? waiting.chunks : [];
  waiting = undefined;
  if (found.length !== count - 1) throw lost();
  return found;
}

const lost = (): CommandProblem =>
  new CommandProblem(
    "interrupted",
    "A part of the checkpoint was lost on the way. Nothing was changed; repeat the call.",
  );
