import { act } from "./act.ts";
import type { Handler } from "./handler.ts";
import { keyStroke } from "./keys.ts";

/** Presses a key in an element, or where the focus is. */
export const keyPress: Handler<"key_press"> = (params, context) => {
  keyStroke(params.text);
  return act(context, "key_press", params);
};
