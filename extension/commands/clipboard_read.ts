import type { Handler } from "./handler.ts";

/** Characters of one answer; the rest is cut, and the true size told. */
const MAX = 100_000;

/** Reads the text on the clipboard, in the document that has the tab's focus. */
export const clipboardRead: Handler<"clipboard_read"> = async (_params, context) => {
  const { text, types } = await context.frames.call(context.tab, "clipboard", {}, context.deadline);
  return {
    text: text.slice(0, MAX),
    types,
    length: text.length,
    ...(text.length > MAX ? { true_size: text.length } : {}),
  };
};
