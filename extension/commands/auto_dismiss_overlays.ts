import type { ActResult } from "@gasoline/schema/commands";
import type { Settled } from "../messages/agent.ts";
import { steps } from "./act.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Takes banners away in every frame of the page: consent components often come in one of their own. */
export const autoDismissOverlays: Handler<"auto_dismiss_overlays"> = (params, context) =>
  steps(context, async () => {
    const { answers } = await context.frames.each(
      context.tab,
      "auto_dismiss_overlays",
      params,
      params.frame,
      context.deadline,
    );
    let result: ActResult = { match_count: 0, match_strategy: "" };
    let settled: Settled = { changes: [], busy: [] };
    let dismissed = 0;
    for (const { value, error } of answers) {
      // A frame that was nothing but the banner went with it.
      const left = error instanceof CommandProblem && error.code === "page_left";
      const acted = value ?? (left ? context.performed() : undefined);
      if (!acted?.result.dismissed_count) continue;
      dismissed += value ? acted.result.dismissed_count : 1;
      result = acted.result;
      settled = value?.settled ?? settled;
    }
    if (dismissed === 0)
      throw new CommandProblem("no_overlays", "No banner and no layer with a close button is there.");
    return { result: { ...result, dismissed_count: dismissed }, settled };
  });
