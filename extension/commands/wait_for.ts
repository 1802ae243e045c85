import type { WaitParams } from "@gasoline/schema/commands";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Waits until one condition holds. A page that is left meanwhile does not end the wait: the next one is looked at. */
export const waitFor: Handler<"wait_for"> = async (params, context) => {
  checkOne(params);
  const began = Date.now();
  for (;;) {
    context.signal.throwIfAborted();
    try {
      const found = await context.frames.call(context.tab, "wait_for", params, context.deadline);
      return { ...found, waited_ms: Date.now() - began };
    } catch (error) {
      const left = error instanceof CommandProblem && error.code === "page_left";
      if (!left) throw error;
      if (Date.now() >= context.deadline) {
        throw new CommandProblem("timeout", "The page was still loading when the time was over.");
      }
      await context.pages.nextDocument(context.tab, Math.min(context.deadline, Date.now() + 500));
    }
  }
};

function checkOne(params: WaitParams): void {
  const given = [
    params.selector !== undefined || params.ref !== undefined,
    params.text !== undefined,
    params.url_contains !== undefined,
  ].filter(Boolean).length;
  if (given === 1) return;
  throw new CommandProblem(
    given === 0 ? "missing_param" : "invalid_param",
    "wait_for needs exactly one of selector (or ref), text and url_contains.",
  );
}
