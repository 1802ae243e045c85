import type { Element, Listed } from "@gasoline/schema/commands";
import { covered, frameOf } from "./frame.ts";
import type { Handler } from "./handler.ts";

const MAX = 100;

/** Lists what can be operated in the page, its frames included, or in the frame asked for. */
export const listInteractive: Handler<"list_interactive"> = async (params, context) => {
  const limit = Math.min(params.limit || MAX, MAX);
  // A part of the viewport is one of the main frame's.
  const frame = params.frame ?? (params.scope_rect ? "main" : undefined);
  const { answers, coverage } = await context.frames.each(
    context.tab,
    "list_interactive",
    { ...params, limit },
    frame,
    context.deadline,
  );
  const lists = answers.flatMap(({ frame, value }) => (value ? [{ frame, value }] : []));
  const [first] = lists;
  if (!first) throw answers[0]?.error; // each gives at least one answer
  // What the user cannot see comes last, and so does all that is in a hidden frame.
  const ranked = lists.map(({ frame, value }) => ({
    seen: value.elements.filter(({ visible }) => visible && frame.shown),
    unseen: value.elements
      .filter(({ visible }) => !visible || !frame.shown)
      .map((element) => (frame.shown ? element : { ...element, visible: false })),
  }));
  const seen = shared(
    ranked.map((list) => list.seen),
    limit,
  );
  const unseen = params.visible_only
    ? []
    : shared(
        ranked.map((list) => list.unseen),
        limit - seen.length,
      );
  const frames = lists.flatMap(({ frame, value }): Listed[] =>
    frame.name === "" || value.candidate_count === 0 ? [] : [{ frame: frameOf(frame), count: value.candidate_count }],
  );
  const unread = lists.reduce((sum, { value }) => sum + (value.unread ?? 0), 0);
  return {
    ...first.value,
    elements: [...seen, ...unseen].map((element, index) => ({ ...element, index })),
    candidate_count: lists.reduce((sum, { value }) => sum + value.candidate_count, 0),
    ...(unread > 0 ? { unread } : {}),
    ...(frames.length > 0 && frame === undefined ? { frames } : {}),
    ...covered(coverage),
  };
};

/** The first of each frame's elements, in the frames' order. */
function shared(lists: Element[][], limit: number): Element[] {
  const given = shares(
    lists.map((list) => list.length),
    limit,
  );
  return lists.flatMap((list, i) => list.slice(0, given[i]));
}

/**
 * How many of a list's entries each frame gets, by how many it has; the first is the main frame. Frames get what the main
 * one leaves, and at least a third of the room; among them the ones with few are served first.
 */
export function shares(counts: readonly number[], limit: number): number[] {
  const [main = 0, ...inner] = counts;
  const wanted = inner.reduce((sum, count) => sum + count, 0);
  const room = Math.min(wanted, Math.max(limit - main, Math.floor(limit / 3)));
  const given = inner.map(() => 0);
  let left = room;
  while (left > 0) {
    const hungry = [...inner.keys()].filter((i) => (given[i] ?? 0) < (inner[i] ?? 0));
    const each = Math.max(1, Math.floor(left / hungry.length));
    for (const i of hungry) {
      const more = Math.min(each, (inner[i] ?? 0) - (given[i] ?? 0), left);
      given[i] = (given[i] ?? 0) + more;
      left -= more;
    }
  }
  return [Math.min(main, limit - room), ...given];
}
