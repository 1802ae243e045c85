import type { Handler } from "./handler.ts";
import { checkedURL } from "./navigate.ts";
import { tabResult } from "./tab.ts";

/** Opens a tab in the background. */
export const newTab: Handler<"new_tab"> = async (params, context) => {
  const url = params.url === undefined ? undefined : checkedURL(params.url);
  return tabResult(context, await context.pages.open(url, false, context.deadline));
};
