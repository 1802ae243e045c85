import { act } from "./act.ts";
import type { Handler } from "./handler.ts";

/** Moves the focus to an element. */
export const focus: Handler<"focus"> = (params, context) => act(context, "focus", params);
