import { pipeline } from "./act.ts";
import type { Handler } from "./handler.ts";
import { namedTab, tabResult } from "./tab.ts";

/** Brings a tab to the front of its window. The window itself keeps its place: no focus is stolen. */
export const switchTab: Handler<"switch_tab"> = async (params, context) => {
  const tab = await namedTab(context, params);
  const there = tab === context.tab ? context : context.elsewhere(tab);
  return pipeline(
    there,
    async (begun) => {
      await begun();
      await there.pages.activate(tab);
      return {};
    },
    () => tabResult(there, tab),
  );
};
