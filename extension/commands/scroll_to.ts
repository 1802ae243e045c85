import { act } from "./act.ts";
import type { Handler } from "./handler.ts";

/** Scrolls an element into view, or the page or an element in a direction. */
export const scrollTo: Handler<"scroll_to"> = (params, context) => act(context, "scroll_to", params);
