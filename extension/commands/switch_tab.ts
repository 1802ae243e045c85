import type { Handler } from "./handler.ts";
import { namedTab, tabResult } from "./tab.ts";

/** Brings a tab to the front of its window. The window itself keeps its place: no focus is stolen. */
export const switchTab: Handler<"switch_tab"> = async (params, context) => {
  const tab = await namedTab(context, params);
  await context.pages.activate(tab);
  return tabResult(context, tab);
};
