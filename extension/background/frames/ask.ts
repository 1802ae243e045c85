import type { FrameAnswer, FrameInfo } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import type { AgentOp, AgentOps } from "../../messages/agent.ts";
import type { Calls } from "./calls.ts";
import { Silence } from "./tree.ts";

/** Frames that are asked at the same time. */
const AT_ONCE = 10;
/**
 * When none of the frames that are asked has answered for so long, ms, those that are left are silent; or for a tenth of
 * the time there is, where that is more: a page with very many frames may be busy with itself for seconds.
 */
export const SILENCE_MS = 1000;
/** Frames end their calls at the deadline (epoch ms). Their answers need some time, ms; what is waited for long is given more. */
export const lateness = (deadline: number): number => Math.min(Math.max(150, (deadline - Date.now()) / 8), 600);

/**
 * Asks frames, some at a time. Those that are left when none has answered for a while are silent; their calls are ended.
 */
export async function ask<K extends AgentOp>(
  calls: Calls,
  tab: number,
  frames: readonly FrameInfo[],
  op: K,
  params: AgentOps[K]["params"] | ((frame: FrameInfo) => AgentOps[K]["params"]),
  deadline: number,
): Promise<{ answers: FrameAnswer<K>[]; silent: FrameInfo[] }> {
  const control = new AbortController();
  const own = calls.until(control.signal);
  const answers = new Map<FrameInfo, FrameAnswer<K>>();
  let next = 0;
  let mainAnswered: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (mainAnswered = resolve));
  if (frames[0]?.name !== "") mainAnswered();
  const patience = Math.max(SILENCE_MS, (deadline - Date.now()) / 10);
  const quiet = new Silence(patience, deadline + lateness(deadline), first);
  const one = async (): Promise<void> => {
    for (let frame = frames[next++]; frame && !control.signal.aborted; frame = frames[next++]) {
      const given = typeof params === "function" ? params(frame) : params;
      try {
        answers.set(frame, { frame, value: await own.run(tab, frame, op, given, deadline) });
      } catch (error) {
        if (!control.signal.aborted) answers.set(frame, { frame, error });
      }
      if (frame.name === "") mainAnswered();
      quiet.heard();
    }
  };
  await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, one)), quiet.over]);
  quiet.stop();
  control.abort(new CommandProblem("cancelled", "The frame did not answer in time."));
  calls.signal?.throwIfAborted();
  return {
    answers: frames.flatMap((frame) => answers.get(frame) ?? []),
    silent: frames.filter((frame) => !answers.has(frame)),
  };
}
