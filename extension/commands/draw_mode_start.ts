import type { Handler } from "./handler.ts";

/** Lets the user draw over the page. What comes of it is an event, not the answer. */
export const drawModeStart: Handler<"draw_mode_start"> = async ({ name = "", text = "" }, context) =>
  context.frames.call(context.tab, "draw", { name, text }, context.deadline);
