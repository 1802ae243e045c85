import type { Element, ListResult } from "@gasoline/schema/commands";
import type { Handler } from "./handler.ts";

const MAX = 100;

/** Lists what can be operated, in the main frame or in the frames asked for. */
export const listInteractive: Handler<"list_interactive"> = async (params, context) => {
  const limit = Math.min(params.limit || MAX, MAX);
  const lists = await context.frames.callEach(
    context.tab,
    "list_interactive",
    { ...params, limit },
    params.frame,
    context.deadline,
  );
  const [first] = lists;
  if (!first) return emptyList(await context.pages.describe(context.tab));
  const elements: Element[] = lists.flatMap(({ value }) => value.elements).slice(0, limit);
  return {
    ...first.value,
    elements: elements.map((element, index) => ({ ...element, index })),
    candidate_count: lists.reduce((sum, { value }) => sum + value.candidate_count, 0),
  };
};

function emptyList({ url, title }: { url: string; title: string }): ListResult {
  const viewport = { width: 0, height: 0, scroll_x: 0, scroll_y: 0, scroll_height: 0 };
  return { elements: [], candidate_count: 0, generation: 0, url, title, viewport };
}
