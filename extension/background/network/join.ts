import type { Exchange } from "@gasoline/schema/wire";
import { joined, outcomeOf } from "./exchange.ts";
import type { Redact } from "./redaction.ts";
import type { Request } from "./request.ts";

/** A page's record waits this long for the network's, from its arrival on. */
const WAIT_MS = 500;

/** The record of a request whose end the page may not live to see waits this long for it. */
const FOLLOW_MS = 20_000;

/** The network's record waits this long for the page's, which is sent after its body was read. */
const CLAIM_MS = 5000;

/** Records of the network that wait at once. */
const MAX_UNCLAIMED = 2000;

/** Records of pages that wait at once; more go as they are. */
const MAX_WAITING = 2000;

/** Characters of a URL that a page shows. */
const MAX_URL = 4096;

interface Unclaimed {
  request: Request;
  /** Its URL as the page shows it. */
  shown: string;
  timer: ReturnType<typeof setTimeout>;
}

interface Waiting {
  /** The page's record. */
  exchange: Exchange;
  /** Its URL as the page shows it. */
  shown: string;
  /** The page may still tell the end itself: the network's record is for that one first. */
  patient: boolean;
  settle: (found: Found) => void;
}

/**
 * Brings together what a page saw of its requests and what Chrome's network stack saw of them: the same document,
 * method and URL, in order. A record whose counterpart has not come waits for it; another request's will not do. A
 * request of the network that no page record claims was made by a worker.
 */
export class NetworkJoin {
  readonly #redact: Redact;
  readonly #granted: (url: string) => boolean;
  readonly #unclaimedEnded: (request: Request) => void;
  readonly #unclaimed = new Map<string, Unclaimed[]>(); // by keyOf; <= MAX_UNCLAIMED in all
  readonly #waiting = new Map<string, Waiting[]>(); // by keyOf
  #count = 0;
  #waits = 0;

  /**
   * granted says whether Chrome shows requests to a URL. unclaimedEnded gets requests that no page record belongs to.
   */
  constructor(redact: Redact, granted: (url: string) => boolean, unclaimedEnded: (request: Request) => void) {
    this.#redact = redact;
    this.#granted = granted;
    this.#unclaimedEnded = unclaimedEnded;
  }

  /** A request of a page or of one of its workers is over. */
  offer(request: Request): void {
    const url = request.redirects[0] ?? request.url;
    const shown = comparable(this.#redact.url(url));
    const key = keyOf(request.document, request.asked, shown);
    const waiting = take(this.#waiting, key, (item) => !item.patient && fits(item, request, shown));
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

  /**
   * Completes a page's record, or flags it partial when the network's does not come in time. Requests that Chrome does
   * not show are flagged at once.
   */
  async complete(document: string, exchange: Exchange): Promise<Exchange> {
    const request = await this.#find(document, exchange, WAIT_MS);
    if (request && request !== "told") return joined(exchange, request, this.#redact);
    return { ...exchange, flags: [...new Set([...(exchange.flags ?? []), "partial"])] };
  }

  /**
   * Waits for the end of a request that a page told of as pending, because its answer may come when the page is gone:
   * beacons and fetches with keepalive. Returns the record as the network completes it; as it is, when Chrome does not
   * show the request or it takes long; undefined when the page itself told its end after all.
   */
  async follow(document: string, exchange: Exchange): Promise<Exchange | undefined> {
    const patient = exchange.initiator.type !== "beacon";
    const request = await this.#find(document, exchange, FOLLOW_MS, patient);
    if (request === "told") return undefined;
    return request ? joined({ ...exchange, outcome: outcomeOf(request) }, request, this.#redact) : exchange;
  }

  /** The page told the end of a request itself. */
  told(document: string, exchange: Exchange): void {
    const key = keyOf(document, exchange.method, shownURL(exchange));
    take(this.#waiting, key, (item) => item.patient && item.exchange.request_id === exchange.request_id)?.settle(
      "told",
    );
  }

  async #find(document: string, exchange: Exchange, within: number, patient = false): Promise<Found> {
    const shown = shownURL(exchange);
    const key = keyOf(document, exchange.method, shown);
    const claim = (equal: boolean) =>
      patient
        ? undefined
        : this.#claim(key, (item) => (!equal || item.shown === shown) && agree(exchange, item.request));
    const known = claim(true);
    if (known || !this.#granted(exchange.redirects?.[0] ?? exchange.url)) return known;
    // The salt may have changed in between: then the masked values differ and nothing else does.
    return (await this.#wait(key, { exchange, shown, patient }, within)) ?? claim(false);
  }

  #claim(key: string, fits: (item: Unclaimed) => boolean): Request | undefined {
    const item = take(this.#unclaimed, key, fits);
    if (!item) return undefined;
    clearTimeout(item.timer);
    this.#count--;
    return item.request;
  }

  #wait(key: string, of: Omit<Waiting, "settle">, within: number): Promise<Found> {
    if (this.#waits >= MAX_WAITING) return Promise.resolve(undefined);
    this.#waits++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        take(this.#waiting, key, (other) => other === item);
        item.settle(undefined);
      }, within);
      const item: Waiting = {
        ...of,
        settle: (found) => {
          clearTimeout(timer);
          this.#waits--;
          resolve(found);
        },
      };
      listOf(this.#waiting, key).push(item);
    });
  }

  #giveUp(key: string, item: Unclaimed): void {
    const request = this.#claim(key, (other) => other === item);
    if (!request) return;
    const waiting = take(this.#waiting, key, (other) => fits(other, request, item.shown));
    if (waiting) waiting.settle(request);
    else this.#unclaimedEnded(request);
  }
}

/** What a record waited for: the network's record, or that the page told the end itself, or nothing in time. */
type Found = Request | "told" | undefined;

const fits = (item: Waiting, request: Request, shown: string): boolean =>
  shown === item.shown && agree(item.exchange, request);

/**
 * Whether both can be of one request by their ends. What the page gave up did not end well in the network, and what it
 * got a status for has that status there: of equal requests one may have been given up and the next one not.
 */
function agree(page: Exchange, request: Request): boolean {
  switch (page.outcome) {
    case "aborted":
      return request.error !== undefined;
    case "ok":
    case "http_error":
      return page.status === 0 || page.status === request.status || request.status === 304;
    default:
      return true; // a refusal for its origin looks like an answer to the network
  }
}

/** The URL that the page asked for, as it shows it. */
const shownURL = (exchange: Exchange): string => comparable(exchange.redirects?.[0] ?? exchange.url);

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
