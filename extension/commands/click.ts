import { act } from "./act.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Clicks an element or a point; a link can be opened in a new tab instead. */
export const click: Handler<"click"> = async (params, context) => {
  if (!params.new_tab) return act(context, "click", params);
  const { result, href } = await context.frames.call(context.tab, "click", params, context.deadline);
  if (!href)
    throw new CommandProblem("new_tab_requires_link", "Only a link can be opened in a new tab, and this is none.");
  const openedTab = await context.pages.open(href, false, context.deadline);
  const page = await context.pages.describe(context.tab);
  return { ...result, url: page.url, title: page.title, opened_tab: openedTab };
};
