import type { Handler } from "./handler.ts";

/** Has the documents of a tab send what they captured so far, their resource timings included. */
export const waterfall: Handler<"waterfall"> = async (_params, context) => ({
  frames: await context.flush(context.tab),
});
