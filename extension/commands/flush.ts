import type { Handler } from "./handler.ts";

/** Has every document send what it captured so far. */
export const flush: Handler<"flush"> = async (_params, context) => ({
  frames: await context.flush(context.tab === 0 ? undefined : context.tab),
});

/** Has the documents of a tab send what they captured so far, their resource timings included. */
export const waterfall: Handler<"waterfall"> = async (_params, context) => ({ frames: await context.flush(context.tab) });
