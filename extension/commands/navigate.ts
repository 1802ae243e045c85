import type { PageResult, TabResult } from "@gasoline/schema/commands";
import { pipeline } from "./act.ts";
import type { Context, Move } from "./context.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Goes to a URL: in the tab, or in a new one when asked to or when there is none. */
export const navigate: Handler<"navigate"> = async (params, context) => {
  const url = checkedURL(params.url);
  if (params.new_tab || context.tab === 0) {
    return opened(context, url, true, (tab) => pageResult(context, tab, url, "loaded"));
  }
  return move(context, { type: "url", url });
};

/**
 * A URL that agents may open: http, https, or about:blank. A URL without a scheme is taken as http
 * on this machine and https elsewhere. Files, javascript: and the browser's own pages are not theirs.
 */
export function checkedURL(url: string): string {
  const text = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(url) ? url : withScheme(url);
  let parsed: URL;
  try {
    parsed = new URL(text);
  } catch {
    throw new CommandProblem("invalid_param", `Not a URL: ${url.slice(0, 200)}`);
  }
  if (parsed.protocol === "http:" || parsed.protocol === "https:" || parsed.href === "about:blank") return parsed.href;
  throw new CommandProblem("restricted_url", `Agents may open http and https pages, not ${parsed.protocol} ones.`);
}

const withScheme = (url: string): string =>
  /^(localhost|127\.0\.0\.1|\[::1\]|[^/]+\.localhost)([:/]|$)/i.test(url) ? `http://${url}` : `https://${url}`;

/** Opens a tab, follows the act there, and gives what tell makes of it. url: undefined for an empty one. */
export async function opened<R extends PageResult | TabResult>(
  context: Context,
  url: string | undefined,
  active: boolean,
  tell: (tab: number) => Promise<R>,
): Promise<R> {
  let at = context;
  return pipeline<R>(
    context,
    async () => {
      await context.pages.open(url, active, context.deadline, (tab) => (at = context.elsewhere(tab)));
      return { at };
    },
    () => tell(at.tab),
  );
}

/** Moves through the tab's history and says where it ended. */
export async function move(context: Context, how: Move): Promise<PageResult> {
  const { pages, tab, deadline } = context;
  const { url } = await pages.describe(tab);
  let arrived = false;
  return pipeline<PageResult>(
    context,
    async (begin) => {
      await begin();
      arrived = (await pages.go(tab, how, deadline)).loaded;
      return {};
    },
    async () => {
      const asked = how.type === "url" ? how.url : url;
      const result = await pageResult(context, tab, asked, how.type === "reload" ? "refreshed" : "loaded");
      return arrived ? result : { ...result, message: "The page is still loading." };
    },
  );
}

/** The page that a tab shows, as navigations answer. */
export async function pageResult(context: Context, tab: number, url: string, status: string): Promise<PageResult> {
  const page = await context.pages.describe(tab);
  const level = context.pages.policy(tab);
  const result: PageResult = {
    tab,
    url,
    final_url: page.url,
    title: page.title,
    content_script_status: context.pages.captured(tab) ? status : page.granted ? "failed" : "unavailable",
    csp_restricted: level !== undefined && level !== "none",
  };
  if (level) result.csp_level = level;
  if (!page.granted && page.url !== "about:blank") {
    result.message = "This site is not granted: nothing is captured. The user can grant it in the Gasoline popup.";
  }
  return result;
}
