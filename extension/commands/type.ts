import { act } from "./act.ts";
import type { Handler } from "./handler.ts";

/** Types text into an element, or where the focus is. */
export const type: Handler<"type"> = (params, context) => act(context, "type", params);
