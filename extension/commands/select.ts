import { act } from "./act.ts";
import type { Handler } from "./handler.ts";

/** Chooses an option of a select, or of a custom list, by value, label or text. */
export const select: Handler<"select"> = (params, context) => act(context, "select", params);
