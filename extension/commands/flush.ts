import type { Handler } from "./handler.ts";

/** Has every document send what it captured so far. */
export const flush: Handler<"flush"> = async (_params, context) => ({
  frames: await context.flush(context.tab === 0 ? undefined : context.tab),
});
