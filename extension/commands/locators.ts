import type { Handler } from "./handler.ts";

/** Says how an element can be found again, and on which page it is. */
export const locators: Handler<"locators"> = async (params, { tab, frames, pages, deadline }) => {
  const found = await frames.call(tab, "locators", params, deadline);
  return { ...found, page_url: (await pages.describe(tab)).url };
};
