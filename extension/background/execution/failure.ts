import { CommandProblem } from "../../commands/problem.ts";

/** Chrome's names for what went wrong, in plain words; the first that fits counts. */
const WORDS: readonly [RegExp, string][] = [
  [/CONNECTION_REFUSED/, "nothing listens there"],
  [/NAME_NOT_RESOLVED|NAME_RESOLUTION/, "there is no host of that name"],
  [/TIMED_OUT/, "its server did not answer"],
  [
    /ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED|NETWORK_CHANGED|ADDRESS_INVALID/,
    "it cannot be reached over the network",
  ],
  [/EMPTY_RESPONSE|CONNECTION_(RESET|CLOSED|ABORTED)/, "its server closed the connection without an answer"],
  [/CERT_/, "its certificate is not trusted, which only the user can accept"],
  [/SSL_|QUIC_/, "its server speaks no https there"],
  [/INVALID_HTTP_RESPONSE|INVALID_RESPONSE/, "its server speaks no HTTP there"],
  [/TOO_MANY_REDIRECTS/, "it redirects in a circle"],
  [/UNSAFE_PORT/, "browsers open no pages on that port"],
  [/BLOCKED/, "the browser or an extension blocks it"],
];

/**
 * The problem of a page for which the browser shows its error page. asked is where the navigation was to go, "" when
 * only the history knows; url is what failed; error is its net::ERR_ name where that was seen.
 */
export function notLoaded(asked: string, url: string, error?: string): CommandProblem {
  const said = error === undefined ? "no page came" : words(error);
  const through = asked === "" || asked === url ? "" : ` (where ${brief(asked)} leads)`;
  const name = error === undefined ? "" : ` (${error})`;
  return new CommandProblem("navigation_failed", `${brief(url)}${through} could not be loaded: ${said}${name}.`);
}

/** The problem of an address that answers with something that is no page. */
export const noPage = (asked: string): CommandProblem =>
  new CommandProblem(
    "navigation_failed",
    `${brief(asked)} gave no page: its answer is empty or a download. The tab stays where it was.`,
  );

const words = (error: string): string =>
  WORDS.find(([name]) => name.test(error))?.[1] ?? "the browser shows its error page";

const brief = (url: string): string => (url.length > 200 ? `${url.slice(0, 200)}…` : url);
