import { isLoopback } from "../../state/origins.ts";

/** The ids that requests carry in a traceparent header (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  trace: string;
  /** 16 lower-case hex digits, not all zero. */
  span: string;
}

/** Makes a context that no other has. */
export function newContext(): TraceContext {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { trace: hex.slice(0, 32), span: hex.slice(32) };
}

/** Hosts of this machine, as rules name them: a domain stands for those below it, too. */
const LOCAL = ["localhost", "127.0.0.1"];

/** Says whether pages of a URL have their requests traced: this machine's, and sites that the user listed. */
export function isTraced(url: string, sites: readonly string[]): boolean {
  return isLoopback(url) || sites.includes(hostOf(url));
}

/**
 * Says whether a request of a page gets the page's context: to this machine, to a listed site, or to the page's own site.
 * Chrome knows where a site ends; here a host and those below the same two labels count as one.
 */
export function carries(url: string, page: string, sites: readonly string[]): boolean {
  const host = hostOf(url);
  if (host === "") return false;
  return isTraced(url, sites) || host === hostOf(page) || ending(host) === ending(hostOf(page));
}

function ending(host: string): string {
  return /^[\d.]+$/.test(host) ? host : host.split(".").slice(-2).join(".");
}

/** The host of an http or websocket URL, without its port; "" for others. */
export function hostOf(url: string): string {
  try {
    const { protocol, hostname } = new URL(url);
    return /^(https?|wss?):$/.test(protocol) ? hostname : "";
  } catch {
    return "";
  }
}

/**
 * The rules of a tab, from an id on. They set the header in Chrome's network stack: the page does not see it, and no request
 * gets a preflight because of it. The sampled flag is set, or services would send no spans.
 */
export function rulesFor(
  tab: number,
  { trace, span }: TraceContext,
  sites: readonly string[],
  id: number,
): chrome.declarativeNetRequest.Rule[] {
  const action: chrome.declarativeNetRequest.RuleAction = {
    type: "modifyHeaders",
    requestHeaders: [{ header: "traceparent", operation: "set", value: `00-${trace}-${span}-01` }],
  };
  // Without a list of types a rule leaves the documents of tabs out.
  const excludedResourceTypes = ["csp_report"] as chrome.declarativeNetRequest.ResourceType[];
  return [
    { id, action, condition: { tabIds: [tab], excludedResourceTypes, requestDomains: [...LOCAL, ...sites] } },
    { id: id + 1, action, condition: { tabIds: [tab], excludedResourceTypes, domainType: "firstParty" } },
  ] as chrome.declarativeNetRequest.Rule[];
}

/** What the rules of tabs set, read back from them. */
export function carriedBy(rules: readonly chrome.declarativeNetRequest.Rule[]): Map<number, TraceContext> {
  const found = new Map<number, TraceContext>();
  for (const { action, condition } of rules) {
    const tab = condition.tabIds?.[0];
    const value = action.requestHeaders?.[0]?.value;
    const [, trace, span] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(value ?? "") ?? [];
    if (tab !== undefined && trace && span) found.set(tab, { trace, span });
  }
  return found;
}
