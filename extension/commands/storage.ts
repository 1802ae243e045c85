import type { CookieJar, CookieLook } from "@gasoline/schema/commands";
import type { Context } from "./context.ts";
import { type Cookie, cookiesOf } from "./cookies.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

const MAX_NAMED = 500;
const SAMPLE = 50;

/** What the origin of a document has stored. Cookies are the browser's to tell: scripts do not see all of them. */
export const storage: Handler<"storage"> = async (params, context) => {
  const { frames, tab, deadline } = context;
  const result = await frames.call(tab, "look_storage", { ...params, frame: params.frame ?? "main" }, deadline);
  if (![undefined, "", "all", "cookies"].includes(params.storage_type)) return result;
  return { ...result, cookies: await jar(context, result.url, params) };
};

async function jar(
  { debug, tab, deadline }: Context,
  url: string,
  { key, summary = true, limit }: { key?: string; summary?: boolean; limit?: number },
): Promise<CookieJar> {
  if (!/^https?:/.test(url)) return { unavailable: "this document has none", count: 0, http_only_count: 0 };
  let cookies: Cookie[];
  try {
    cookies = await debug.run(tab, deadline, (send) => cookiesOf(send, url));
  } catch (error) {
    if (!(error instanceof CommandProblem)) throw error;
    return { unavailable: error.message, count: 0, http_only_count: 0 };
  }
  const named = key !== undefined && key !== "";
  const shown = named
    ? cookies.filter(({ name }) => name === key)
    : cookies.slice(0, summary ? SAMPLE : limit || SAMPLE);
  return {
    count: cookies.length,
    http_only_count: cookies.filter(({ httpOnly }) => httpOnly).length,
    cookies: shown.slice(0, MAX_NAMED).map((cookie) => look(cookie, named || !summary)),
  };
}

function look(cookie: Cookie, whole: boolean): CookieLook {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey } = cookie;
  const about: CookieLook = { name, size: name.length + value.length };
  if (httpOnly) about.http_only = true;
  if (!whole) return about;
  if (!httpOnly && value !== "") about.value = value;
  Object.assign(about, { domain, path });
  if (secure) about.secure = true;
  if (sameSite !== undefined) about.same_site = sameSite;
  if (expires !== undefined) about.expires = new Date(expires * 1000).toISOString();
  const { topLevelSite } = (partitionKey ?? {}) as { topLevelSite?: string };
  if (topLevelSite !== undefined) about.partition = topLevelSite;
  return about;
}
