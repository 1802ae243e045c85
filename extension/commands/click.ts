import type { ActResult } from "@gasoline/schema/commands";
import { act, pipeline } from "./act.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Clicks an element or a point; a link can be opened in a new tab instead. */
export const click: Handler<"click"> = async (params, context) => {
  if (!params.new_tab) return act(context, "click", params);
  const { pages, tab, deadline } = context;
  let done: ActResult | undefined;
  return pipeline<ActResult>(
    context,
    async () => {
      const { result, href } = await context.frames.call(tab, "click", params, deadline);
      if (!href)
        throw new CommandProblem("new_tab_requires_link", "Only a link can be opened in a new tab, and this is none.");
      let at = context;
      const opened = await pages.open(href, false, deadline, (other) => (at = context.elsewhere(other)));
      done = { ...result, opened_tab: opened.tab };
      return { at };
    },
    async () => {
      const result = done as ActResult; // it is there once the tab is
      const { url, title } = await pages.describe(tab);
      const opened = await pages.describe(result.opened_tab as number);
      return { ...result, url, title, opened_url: opened.url, opened_title: opened.title };
    },
  );
};
