import type { Handler } from "./handler.ts";
import { move } from "./navigate.ts";

/** One step back in the tab's history. */
export const back: Handler<"back"> = (_params, context) => move(context, { type: "back" });
