import type { AskedLink } from "@gasoline/schema/commands";
import type { Handler } from "./handler.ts";

/** Requests at a time; browsers make six to a host. */
const AT_ONCE = 3;

/** What is read of a page's markup, bytes. */
const MAX_BODY = 64 << 10;

/** Kept of the deadline to answer, ms. */
const TO_ANSWER = 500;

/** What of markup is not shown. */
const UNSHOWN = /<(script|style|template|noscript|svg)\b.*?(<\/\1\s*>|$)|<!--.*?(-->|$)/gis;

/** A tag that does not end is over at the next one: looking for its end from each of thousands takes long. */
const TITLES = /<(title|h1)\b[^<>]*>.{0,200}?<\/\1/gis;

/**
 * Asks for links as the browser does when the user follows them, with the user's cookies. The worker asks, so that neither
 * the page nor its service worker sees or answers it. What is of another origin than the tab's page is not asked for.
 */
export const askLinks: Handler<"ask_links"> = async ({ urls }, { tab, deadline, signal, pages }) => {
  const { url: shown } = await pages.describe(tab);
  const { origin } = new URL(shown);
  const waiting = urls.filter((url) => URL.canParse(url) && new URL(url).origin === origin);
  const until = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, deadline - TO_ANSWER - Date.now()))]);
  const links: AskedLink[] = [];
  const work = async (): Promise<void> => {
    for (let url = waiting.shift(); url !== undefined && !until.aborted; url = waiting.shift()) {
      const asked = await ask(url, until);
      if (!until.aborted) links.push(asked);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  signal.throwIfAborted();
  return { links };
};

async function ask(url: string, signal: AbortSignal): Promise<AskedLink> {
  try {
    const accept = { accept: "text/html,*/*;q=0.8" };
    // A redirect may lead to another site, which would get the user's cookies, even those that are SameSite.
    const answer = await fetch(url, {
      credentials: "include",
      cache: "no-store",
      redirect: "manual",
      headers: accept,
      signal,
    });
    if (answer.type === "opaqueredirect") return { url, status: 0, redirects: true };
    const markup = (answer.headers.get("content-type") ?? "").includes("html");
    const page = markup ? titles(await beginning(answer)) : "";
    if (!markup) await answer.body?.cancel();
    return {
      url,
      status: answer.status,
      ...(page ? { page } : {}),
    };
  } catch {
    return { url, status: 0 }; // it leads to where extensions may not look, or nobody answers
  }
}

async function beginning({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (reader && text.length < MAX_BODY) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
  await reader?.cancel();
  return text.slice(0, MAX_BODY);
}

const titles = (markup: string): string =>
  (markup.replace(UNSHOWN, " ").match(TITLES) ?? []).slice(0, 5).join(">").slice(0, 2000);
