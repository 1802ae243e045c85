import type { ActResult } from "@gasoline/schema/commands";
import { act, pipeline } from "./act.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Clicks an element or a point; a link can be opened in a new tab instead. */
export const click: Handler<"click"> = async (params, context) => {
  if (!params.new_tab) return act(context, "click", params);
  const {
    navigated: _navigated,
    openedTab: _opened,
    page,
    ...result
  } = await pipeline<ActResult>(context, async () => {
    const { result, href } = await context.frames.call(context.tab, "click", params, context.deadline);
    if (!href)
      throw new CommandProblem("new_tab_requires_link", "Only a link can be opened in a new tab, and this is none.");
    const opened_tab = await context.pages.open(href, false, context.deadline);
    return { result: { ...result, opened_tab }, settled: { changes: [], busy: [] } };
  });
  return { ...result, url: page.url, title: page.title };
};
