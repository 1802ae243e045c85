import { act } from "./act.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/**
 * Moves the pointer over an element. A style that shows a menu on :hover answers only to a real
 * pointer, so it is moved through the debugger; where that is refused, pages get the events alone.
 */
export const hover: Handler<"hover"> = async (params, context) => {
  try {
    return await act(context, "hover", { ...params, trusted: "always" });
  } catch (error) {
    if (!(error instanceof CommandProblem && error.code === "debugger_refused")) throw error;
    return act(context, "hover", { ...params, trusted: "never" });
  }
};
