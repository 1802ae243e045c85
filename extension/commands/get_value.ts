import type { Handler } from "./handler.ts";

/** Reads the value of a form control; secret ones are masked. */
export const getValue: Handler<"get_value"> = (params, context) => context.frames.call(context.tab, "get_value", params, context.deadline);
