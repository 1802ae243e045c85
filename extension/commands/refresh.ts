import type { Handler } from "./handler.ts";
import { move } from "./navigate.ts";

/** Loads the page again. */
export const refresh: Handler<"refresh"> = (_params, context) => move(context, { type: "reload" });
