import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

const STABILITY_MS = 500;

/**
 * Waits until nothing changed in the main frame for a while. A page that is left meanwhile is waited for in its place. A
 * page that never rests is no failure: the result says so.
 */
export const waitForStable: Handler<"wait_for_stable"> = async (params, context) => {
  const began = Date.now();
  const stability_ms = params.stability_ms || STABILITY_MS;
  let mutations = 0;
  for (;;) {
    context.signal.throwIfAborted();
    let stable = false;
    try {
      const rest = await context.frames.call(context.tab, "quiet", { stability_ms }, context.deadline);
      mutations += rest.mutations;
      stable = rest.quiet;
    } catch (error) {
      const left = error instanceof CommandProblem && error.code === "page_left";
      if (!left) throw error;
      if (Date.now() < context.deadline) {
        await context.pages.nextDocument(context.tab, Math.min(context.deadline, Date.now() + 500));
        continue;
      }
    }
    const result = { stable, waited_ms: Date.now() - began, mutations_observed: mutations, stability_ms };
    return stable ? result : { ...result, timed_out: true };
  }
};
