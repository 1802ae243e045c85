import { act } from "./act.ts";
import type { Handler } from "./handler.ts";

/** Drags an element with the mouse. Where it ends on another one, that may be in any frame. */
export const drag: Handler<"drag"> = async ({ to, ...params }, context) => {
  if (to === undefined) return act(context, "drag", params);
  const { frames, tab, deadline } = context;
  const { frame } = params;
  const target = /^e\d+$/.test(to) ? { ref: to } : { selector: to, ...(frame === undefined ? {} : { frame }) };
  const { ref, frame: name, ...point } = await frames.call(tab, "spot", target, deadline);
  // What the other document hears there is the agent's doing, too.
  const at = { frame: name === "" ? "main" : name };
  await frames.call(tab, "begin", { ...at, expected: { type: "pointer", ...point, press: false } }, deadline);
  try {
    return await act(context, "drag", { ...params, to: ref });
  } finally {
    frames.call(tab, "end", at, deadline).catch(() => undefined); // it may be gone
  }
};
