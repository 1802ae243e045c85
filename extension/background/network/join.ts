import { redactURL } from "@gasoline/capture/redact";
import type { Exchange } from "@gasoline/schema/wire";
import { joined } from "./exchange.ts";
import type { Redact } from "./redaction.ts";
import type { Request } from "./request.ts";

/** A page's record waits this long for the network's. */
const WAIT_MS = 500;

/** The network's record waits this long for the page's, which is sent after its body was read. */
const CLAIM_MS = 5000;

/** Records of the network that wait at once. */
const MAX_UNCLAIMED = 2000;

/** Characters of a URL that a page shows. */
const MAX_URL = 4096;

interface Unclaimed {
  request: Request;
  /** How the page may show its URL. */
  shown: readonly string[];
  timer: ReturnType<typeof setTimeout>;
}

interface Waiting {
  /** The URL as the page shows it. */
  shown: string;
  settle: (request: Request | undefined) => void;
}

/**
 * Brings together what a page saw of its requests and what Chrome's network stack saw of them: the same document,
 * method and URL, in order. A record whose counterpart has not come waits for it; another request's will not do. A
 * request of the network that no page record claims was made by a worker.
 */
export class NetworkJoin {
  readonly #redact: Redact;
  readonly #unclaimedEnded: (request: Request) => void;
  readonly #unclaimed = new Map<string, Unclaimed[]>(); // by keyOf; <= MAX_UNCLAIMED in all
  readonly #waiting = new Map<string, Waiting[]>(); // by keyOf
  #count = 0;

  /** unclaimedEnded gets requests that no page record belongs to. */
  constructor(redact: Redact, unclaimedEnded: (request: Request) => void) {
    this.#redact = redact;
    this.#unclaimedEnded = unclaimedEnded;
  }

  /** A request of a page or of one of its workers is over. */
  offer(request: Request): void {
    const url = request.redirects[0] ?? request.url;
    // A page masks by the salt in use, or by none before it was told.
    const shown = [comparable(this.#redact.url(url)), comparable(redactURL(url, ""))];
    const key = keyOf(request.document, request.asked, shown[0] ?? "");
    const waiting = take(this.#waiting, key, (item) => shown.includes(item.shown));
    if (waiting) {
      waiting.settle(request);
      return;
    }
    if (this.#count >= MAX_UNCLAIMED) {
      this.#unclaimedEnded(request);
      return;
    }
    const item: Unclaimed = { request, shown, timer: setTimeout(() => this.#giveUp(key, item), CLAIM_MS) };
    listOf(this.#unclaimed, key).push(item);
    this.#count++;
  }

  /** Completes a page's record, or flags it partial when the network's does not come in time. */
  async complete(document: string, exchange: Exchange): Promise<Exchange> {
    if (exchange.outcome === "pending") return exchange;
    const shown = comparable(exchange.redirects?.[0] ?? exchange.url);
    const key = keyOf(document, exchange.method, shown);
    const request =
      this.#claim(key, (item) => item.shown.includes(shown)) ??
      (await this.#wait(key, shown)) ??
      // The salt may have changed in between: then the masked values differ and nothing else does.
      this.#claim(key, () => true);
    if (request) return joined(exchange, request, this.#redact);
    return { ...exchange, flags: [...new Set([...(exchange.flags ?? []), "partial"])] };
  }

  #claim(key: string, fits: (item: Unclaimed) => boolean): Request | undefined {
    const item = take(this.#unclaimed, key, fits);
    if (!item) return undefined;
    clearTimeout(item.timer);
    this.#count--;
    return item.request;
  }

  #wait(key: string, shown: string): Promise<Request | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        take(this.#waiting, key, (other) => other === item);
        resolve(undefined);
      }, WAIT_MS);
      const item: Waiting = {
        shown,
        settle: (request) => {
          clearTimeout(timer);
          resolve(request);
        },
      };
      listOf(this.#waiting, key).push(item);
    });
  }

  #giveUp(key: string, item: Unclaimed): void {
    const request = this.#claim(key, (other) => other === item);
    if (request) this.#unclaimedEnded(request);
  }
}

/** Takes the first item that fits out of the list of a key. */
function take<T>(map: Map<string, T[]>, key: string, fits: (item: T) => boolean): T | undefined {
  const list = map.get(key);
  const at = list?.findIndex(fits) ?? -1;
  if (!list || at < 0) return undefined;
  const [item] = list.splice(at, 1);
  if (list.length === 0) map.delete(key);
  return item;
}

/** By which two records can be of one request: masked values count as equal. url is comparable. */
const keyOf = (document: string, method: string, url: string): string =>
  `${document} ${method.toUpperCase()} ${url.replace(/(?:<|%3C)([a-z_]+):[0-9a-f]{8}(?:>|%3E)/g, "<$1>")}`;

/** A masked URL in the form that the network uses, without its fragment: a page that got no answer shows what it wrote. */
function comparable(url: string): string {
  const cut = url.slice(0, MAX_URL);
  try {
    const parsed = new URL(cut);
    parsed.hash = "";
    return parsed.href;
  } catch {
    return cut.replace(/#.*$/s, "");
  }
}

function listOf<T>(map: Map<string, T[]>, key: string): T[] {
  let list = map.get(key);
  if (!list) map.set(key, (list = []));
  return list;
}
