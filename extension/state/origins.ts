/** Host patterns that the manifest grants from the start: the developer's own machine. */
export const LOOPBACK_PATTERNS: readonly string[] = [
  "http://localhost/*",
  "https://localhost/*",
  "http://127.0.0.1/*",
  "https://127.0.0.1/*",
  "http://*.localhost/*",
  "https://*.localhost/*",
];

/** The pattern that grants every site. */
export const ALL_SITES = "<all_urls>";

/** Says whether a URL is on this machine by name. Ports do not matter. */
export function isLoopback(url: string): boolean {
  const parsed = parse(url);
  if (!parsed || !isHTTP(parsed)) return false;
  const host = parsed.hostname;
  return host === "localhost" || host === "127.0.0.1" || host === "[::1]" || host.endsWith(".localhost");
}

/** Says whether pages of this URL can be captured at all: http and https only. */
export function isCapturable(url: string): boolean {
  const parsed = parse(url);
  return parsed !== undefined && isHTTP(parsed);
}

/** The match pattern of a URL's site, every port of it; undefined when there can be none. */
export function sitePattern(url: string): string | undefined {
  const parsed = parse(url);
  return parsed && isHTTP(parsed) ? `${parsed.protocol}//${parsed.hostname}/*` : undefined;
}

/** The origin of a URL; "" for opaque ones. */
export function originOf(url: string): string {
  const origin = parse(url)?.origin;
  return !origin || origin === "null" ? "" : origin;
}

/** Says whether one of the match patterns covers the URL. */
export function matchesAny(patterns: readonly string[], url: string): boolean {
  return patterns.some((pattern) => matches(pattern, url));
}

function matches(pattern: string, url: string): boolean {
  const parsed = parse(url);
  if (!parsed || !isHTTP(parsed)) return false;
  if (pattern === ALL_SITES) return true;
  const parts = /^(\*|https?):\/\/(\*|\*\.[^/*]+|[^/*]+)\/\*$/.exec(pattern);
  if (!parts) return false;
  const [, scheme, host] = parts as unknown as [string, string, string];
  if (scheme !== "*" && `${scheme}:` !== parsed.protocol) return false;
  if (host === "*") return true;
  // A port in a pattern is dropped by Chrome when it matches, so it is here.
  const name = host.replace(/:\d+$/, "");
  if (name.startsWith("*.")) {
    return parsed.hostname === name.slice(2) || parsed.hostname.endsWith(name.slice(1));
  }
  return parsed.hostname === name;
}

const isHTTP = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:";

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
