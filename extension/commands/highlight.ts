import { act } from "./act.ts";
import type { Handler } from "./handler.ts";

/** Draws a red box around an element for the user to see. */
export const highlight: Handler<"highlight"> = (params, context) => act(context, "highlight", params);
