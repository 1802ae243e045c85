import type { Handler } from "./handler.ts";
import { namedTab, tabResult } from "./tab.ts";

/** Closes a tab and says which one is in front now. */
export const closeTab: Handler<"close_tab"> = async (_params, context) => {
  const tab = await namedTab(context, {});
  await context.pages.close(tab);
  const active = await context.pages.active();
  if (active === undefined) return { tab: 0, tab_index: 0, url: "", title: "", closed_tab: tab };
  return { ...(await tabResult(context, active)), closed_tab: tab };
};
