import type { Handler } from "./handler.ts";
import { checkedURL, opened } from "./navigate.ts";
import { tabResult } from "./tab.ts";

/** Opens a tab in the background. */
export const newTab: Handler<"new_tab"> = async ({ url }, context) =>
  opened(context, url === undefined ? undefined : checkedURL(url), false, (tab) => tabResult(context, tab));
