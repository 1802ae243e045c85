import type { Handler } from "./handler.ts";
import { move } from "./navigate.ts";

/** One step forward in the tab's history. */
export const forward: Handler<"forward"> = (_params, context) => move(context, { type: "forward" });
