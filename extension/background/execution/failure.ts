import type { Failure } from "../../commands/context.ts";
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

/** What stands in place of an address. */
export const UNTOLD = "A page of a site that is not granted";

/**
 * The problem of a page for which the browser shows its error page. asked is where the navigation was to go, "" when
 * only the history knows.
 */
export function notLoaded(asked: string, failure: Failure): CommandProblem {
  const through = asked === "" || asked === failure.url ? "" : ` (where ${brief(asked)} leads)`;
  return new CommandProblem(
    "navigation_failed",
    `${brief(failure.url)}${through} could not be loaded: ${why(failure)}.`,
  );
}

/** Why a page could not be loaded, in words. */
export function why({ error, status }: Failure): string {
  if (error !== undefined) return `${words(error)} (${error})`;
  if (status === 401 || status === 407)
    return `its server answered ${status} and wants a name and a password, which only the user can give`;
  if (status !== undefined && status < 400) return `its server answered ${status}, and the answer cannot be read`;
  return status === undefined ? "no page came" : `its server answered ${status}, without a page`;
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
