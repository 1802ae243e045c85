import type { Send } from "./context.ts";

/** A cookie as Chrome's debugger tells it, without what only it needs. */
export interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** Seconds since 1970; missing: the browser's end takes it. */
  expires?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite?: string;
  priority?: string;
  partitionKey?: unknown;
}

/** Of what the debugger tells, the fields that make a cookie. */
const FIELDS = [
  "name",
  "value",
  "domain",
  "path",
  "httpOnly",
  "secure",
  "sameSite",
  "priority",
  "partitionKey",
] as const;

/** The cookies that the browser would send to a page's host, whatever their path, the oldest first of those with one path. */
export async function cookiesOf(send: Send, url: string): Promise<Cookie[]> {
  const { cookies } = (await send("Storage.getCookies")) as { cookies: (Cookie & { session?: boolean })[] };
  const page = new URL(url);
  return cookies
    .filter((cookie) => isFor(cookie, page))
    .map((cookie) => {
      const kept: Record<string, unknown> = {};
      for (const field of FIELDS) if (cookie[field] !== undefined) kept[field] = cookie[field];
      if (!cookie.session && (cookie.expires ?? -1) > 0) kept["expires"] = cookie.expires;
      return kept as unknown as Cookie;
    });
}

/** Loopback hosts get secure cookies by http, too. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.localhost)$/;

function isFor({ domain, secure, partitionKey }: Cookie, { hostname, protocol }: URL): boolean {
  const fits = domain.startsWith(".") ? hostname === domain.slice(1) || hostname.endsWith(domain) : hostname === domain;
  if (!fits || (secure && protocol !== "https:" && !LOOPBACK.test(hostname))) return false;
  if (partitionKey === undefined) return true;
  const { topLevelSite } = partitionKey as { topLevelSite?: string };
  return (
    topLevelSite === undefined || hostname === hostOf(topLevelSite) || hostname.endsWith(`.${hostOf(topLevelSite)}`)
  );
}

const hostOf = (site: string): string => (URL.canParse(site) ? new URL(site).hostname : site);

/** What tells one cookie from another. */
const keyOf = ({ name, domain, path, partitionKey }: Cookie): string =>
  JSON.stringify([name, domain, path, partitionKey ?? null]);

/** Makes the cookies of a page's host those that were saved, and reads them again. Gives the names of those that are not. */
export async function setCookies(send: Send, url: string, saved: Cookie[]): Promise<string[]> {
  const wanted = new Map(saved.map((cookie) => [keyOf(cookie), cookie]));
  const isSame = (a: Cookie | undefined, b: Cookie | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
  for (const cookie of await cookiesOf(send, url)) {
    if (isSame(wanted.get(keyOf(cookie)), cookie)) continue;
    const { name, domain, path, partitionKey } = cookie;
    await send("Network.deleteCookies", { name, domain, path, ...(partitionKey ? { partitionKey } : {}) });
  }
  const before = new Map((await cookiesOf(send, url)).map((cookie) => [keyOf(cookie), cookie]));
  for (const [key, cookie] of wanted) if (!isSame(before.get(key), cookie)) await set(send, url, cookie);
  const now = new Map((await cookiesOf(send, url)).map((cookie) => [keyOf(cookie), cookie]));
  return [...new Set([...wanted.keys(), ...now.keys()])].flatMap((key) => {
    const was = wanted.get(key);
    const is = now.get(key);
    if (isSame(was, is)) return [];
    const why = !was
      ? "not there before, and stays"
      : is
        ? "changed by the browser"
        : (was.expires ?? Infinity) * 1000 < Date.now()
          ? "expired since"
          : "refused by the browser";
    return [`${why}: cookie ${(was ?? is)?.name.slice(0, 100)}`];
  });
}

async function set(send: Send, url: string, cookie: Cookie): Promise<void> {
  const { domain, ...rest } = cookie;
  const { protocol } = new URL(url);
  const host = domain.replace(/^\./, "");
  const at = `${cookie.secure && !LOOPBACK.test(host) ? "https:" : protocol}//${host}${cookie.path}`;
  // Without a domain it is the host's alone.
  await send("Network.setCookie", { ...rest, url: at, ...(domain.startsWith(".") ? { domain } : {}) }).catch(
    () => undefined, // what is missing is told
  );
}
