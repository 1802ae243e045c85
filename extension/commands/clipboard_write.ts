import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Puts a text on the clipboard, through the document that has the tab's focus, and reads it again there. */
export const clipboardWrite: Handler<"clipboard_write"> = async ({ text }, context) => {
  const { frames, tab, deadline } = context;
  await frames.call(tab, "clipboard", { write: text }, deadline);
  const { text: now } = await frames.call(tab, "clipboard", {}, deadline);
  if (lines(now) !== lines(text))
    throw new CommandProblem("status_mismatch", "The clipboard holds another text than was written.");
  return { length: text.length };
};

/** Some systems keep line ends in their own way. */
const lines = (text: string): string => text.replace(/\r\n?/g, "\n");
