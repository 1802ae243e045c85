import { act } from "./act.ts";
import type { Handler } from "./handler.ts";

/** Checks or unchecks a checkbox, a radio button or a switch. */
export const check: Handler<"check"> = (params, context) => act(context, "check", params);
