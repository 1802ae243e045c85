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

interface Unclaimed {
  request: Request;
  timer: ReturnType<typeof setTimeout>;
}

interface Waiting {
  exchange: Exchange;
  settle: (request: Request | undefined) => void;
}

/**
 * Brings together what a page saw of its requests and what Chrome's network stack saw of them: the
 * same document, method and URL, in order. A request of the network that no page record claims was
 * made by a worker.
 */
export class NetworkJoin {
  readonly #redact: Redact;
  readonly #unclaimedEnded: (request: Request) => void;
  readonly #unclaimed = new Map<string, Unclaimed[]>(); // by document, method and path; <= maxUnclaimed in all
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;

  /** unclaimedEnded gets requests that no page record belongs to. */
  constructor(redact: Redact, unclaimedEnded: (request: Request) => void) {
    this.#redact = redact;
    this.#unclaimedEnded = unclaimedEnded;
  }

  /** A request of a page or of one of its workers is over. */
  offer(request: Request): void {
    const key = keyOf(request.document, request.method, request.url, request.redirects);
    const waiting = this.#waiting.get(key);
    const taken = waiting && takeBest(waiting, (item) => sameURL(item.exchange.url, request));
    if (taken) {
      if (waiting.length === 0) this.#waiting.delete(key);
      taken.settle(request);
      return;
    }
    if (this.#count >= MAX_UNCLAIMED) {
      this.#unclaimedEnded(request);
      return;
    }
    const item: Unclaimed = { request, timer: setTimeout(() => this.#giveUp(key, item), CLAIM_MS) };
    listOf(this.#unclaimed, key).push(item);
    this.#count++;
  }

  /** Completes a page's record, or flags it partial when the network's does not come in time. */
  async complete(document: string, exchange: Exchange): Promise<Exchange> {
    if (exchange.outcome === "pending") return exchange;
    const key = keyOf(document, exchange.method, exchange.url, []);
    const list = this.#unclaimed.get(key);
    const found = list && takeBest(list, (item) => sameURL(exchange.url, item.request));
    if (found) {
      clearTimeout(found.timer);
      this.#count--;
      if (list.length === 0) this.#unclaimed.delete(key);
      return joined(exchange, found.request, this.#redact);
    }
    const request = await this.#wait(key, exchange);
    if (request) return joined(exchange, request, this.#redact);
    return { ...exchange, flags: [...new Set([...(exchange.flags ?? []), "partial"])] };
  }

  #wait(key: string, exchange: Exchange): Promise<Request | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        const list = this.#waiting.get(key);
        list?.splice(list.indexOf(item), 1);
        if (list?.length === 0) this.#waiting.delete(key);
        resolve(undefined);
      }, WAIT_MS);
      const item: Waiting = {
        exchange,
        settle: (request) => {
          clearTimeout(timer);
          resolve(request);
        },
      };
      listOf(this.#waiting, key).push(item);
    });
  }

  #giveUp(key: string, item: Unclaimed): void {
    const list = this.#unclaimed.get(key);
    list?.splice(list.indexOf(item), 1);
    if (list?.length === 0) this.#unclaimed.delete(key);
    this.#count--;
    this.#unclaimedEnded(item.request);
  }
}

/** The first item that fits exactly, else the first: secrets in a page's URL are replaced, so its text may differ. */
function takeBest<T>(list: T[], fits: (item: T) => boolean): T | undefined {
  const exact = list.findIndex(fits);
  return list.splice(Math.max(exact, 0), 1)[0];
}

function sameURL(page: string, request: Request): boolean {
  const first = request.redirects[0] ?? request.url;
  return withoutHash(page) === withoutHash(first) || withoutHash(page) === withoutHash(request.url);
}

// The page may know the first URL or, from response.url, the last; the first is what it asked for.
function keyOf(document: string, method: string, url: string, redirects: readonly string[]): string {
  return `${document} ${method.toUpperCase()} ${(redirects[0] ?? url).replace(/[?#].*$/s, "")}`;
}

const withoutHash = (url: string): string => url.replace(/#.*$/s, "");

function listOf<T>(map: Map<string, T[]>, key: string): T[] {
  let list = map.get(key);
  if (!list) map.set(key, (list = []));
  return list;
}
