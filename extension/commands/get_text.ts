import type { Text, TextParams } from "@gasoline/schema/commands";
import { covered, frameOf, isEvery } from "./frame.ts";
import type { Handler } from "./handler.ts";

/** Characters of the texts of all frames together; the rest is cut, and the true size told. */
const MAX_TEXT = 100_000;

/** Reads the text of an element, or of the page with the frames that the user sees. */
export const getText: Handler<"get_text"> = async (params, context) => {
  if (isNamed(params) || !isEvery(params.frame))
    return context.frames.call(context.tab, "get_text", params, context.deadline);
  const { answers, coverage } = await context.frames.each(context.tab, "get_text", params, undefined, context.deadline);
  const [main, ...inner] = answers;
  if (!main?.value) throw main?.error; // each gives the main frame's answer first
  let room = MAX_TEXT - sizeOf(main.value);
  const frames: Text[] = [];
  for (const { frame, value } of inner) {
    if (!value || !frame.shown || (!value.value?.trim() && !value.sections?.length)) continue;
    const text: Text = { frame: frameOf(frame) };
    if (value.sections) text.sections = room > 0 ? value.sections : [];
    else {
      text.value = value.value?.slice(0, Math.max(0, room)) ?? "";
      const size = value.true_size ?? value.value?.length ?? 0;
      if (size > text.value.length) text.true_size = size;
    }
    room -= sizeOf(text);
    frames.push(text);
  }
  return { ...main.value, ...(frames.length > 0 ? { frames } : {}), ...covered(coverage) };
};

const isNamed = ({ ref, selector, x, y }: TextParams): boolean =>
  ref !== undefined || selector !== undefined || (x !== undefined && y !== undefined);

const sizeOf = ({ value, sections }: Pick<Text, "value" | "sections">): number =>
  (value?.length ?? 0) + (sections ?? []).reduce((sum, { header, content }) => sum + header.length + content.length, 0);
