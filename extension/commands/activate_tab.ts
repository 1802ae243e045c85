import type { Handler } from "./handler.ts";
import { namedTab, tabResult } from "./tab.ts";

/** Brings a tab to the front of its window, and the window to the front of the screen. */
export const activateTab: Handler<"activate_tab"> = async (_params, context) => {
  const tab = await namedTab(context, {});
  await context.pages.activate(tab);
  await context.pages.raise(tab);
  return tabResult(context, tab);
};
