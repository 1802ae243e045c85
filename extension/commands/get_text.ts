import type { Handler } from "./handler.ts";

/** Reads the text of an element, or of the page. */
export const getText: Handler<"get_text"> = (params, context) => context.frames.call(context.tab, "get_text", params, context.deadline);
