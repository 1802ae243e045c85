import { pipeline } from "./act.ts";
import type { Handler } from "./handler.ts";
import { namedTab, tabResult } from "./tab.ts";

/** Closes a tab and says which one is in front now. */
export const closeTab: Handler<"close_tab"> = async (_params, context) => {
  const tab = await namedTab(context, {});
  const { pages } = context;
  return pipeline(
    context,
    async () => {
      await pages.close(tab);
      return { closed: true };
    },
    async () => {
      const active = await pages.active();
      const front =
        active === undefined ? { tab: 0, tab_index: 0, url: "", title: "" } : await tabResult(context, active);
      return { ...front, closed_tab: tab };
    },
  );
};
