import type { Exchange, ResourceTiming } from "@gasoline/schema/wire";
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
  timer: ReturnType<typeof setTimeout>;
}

interface Waiting {
  /** The page's record. */
  exchange: Exchange;
  /** The page may still tell the end itself: the network's record is for that one first. */
  patient: boolean;
  settle: (found: Found) => void;
}

/**
 * Brings together what a page saw of its requests and what Chrome's network stack saw of them: the same document,
 * method and URL, with secrets masked by the same salt, in order. A record whose counterpart has not come waits for it; another request's will not do. A
 * request of the network that no page record claims was made by a worker.
 */
export class NetworkJoin {
  readonly #redact: Redact;
  readonly #shows: (url: string) => boolean;
  readonly #unclaimedEnded: (request: Request) => void;
  readonly #unclaimed = new Map<string, Unclaimed[]>(); // by keyOf; <= MAX_UNCLAIMED in all
  readonly #waiting = new Map<string, Waiting[]>(); // by keyOf
  readonly #timings = new Map<string, ResourceTiming[]>(); // of beacons, by keyOf; <= MAX_UNCLAIMED in all, for CLAIM_MS
  readonly #followed = new Map<string, Exchange>(); // by request id and keyOf; as many as wait
  #timed = 0;
  #count = 0;
  #waits = 0;

  /**
   * shows says whether Chrome shows us requests to a URL. unclaimedEnded gets requests that no page record belongs to.
   */
  constructor(redact: Redact, shows: (url: string) => boolean, unclaimedEnded: (request: Request) => void) {
    this.#redact = redact;
    this.#shows = shows;
    this.#unclaimedEnded = unclaimedEnded;
  }

  /** A request of a page or of one of its workers is over. */
  offer(request: Request): void {
    const url = request.redirects[0] ?? request.url;
    const key = keyOf(request.document, request.asked, comparable(this.#redact.url(url)));
    const waiting = take(this.#waiting, key, (item) => !item.patient && agree(item.exchange, request));
    if (waiting) {
      waiting.settle(request);
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

  /**
   * Completes a page's record, or flags it partial when the network's does not come in time. Of requests that Chrome
   * does not show the page's record is all there is.
   */
  async complete(document: string, exchange: Exchange): Promise<Exchange> {
    if (!this.#shows(asked(exchange))) return exchange;
    const key = keyOf(document, exchange.method, shownURL(exchange));
    const request = this.#claimFor(key, exchange) ?? (await this.#wait(key, { exchange, patient: false }, WAIT_MS));
    if (request && request !== "told" && "id" in request) return joined(exchange, request, this.#redact);
    return { ...exchange, flags: [...new Set([...(exchange.flags ?? []), "partial"])] };
  }

  /**
   * Waits for the end of a request that a page told of as pending, because its answer may come when the page is gone:
   * beacons and fetches with keepalive. Returns the record as the network or, for a beacon, the document's timing
   * completes it; as it is, when neither says how it ended; undefined when the page itself told its end after all, or tells
   * what is followed again, because it has read the body: that is written into the record that is followed.
   */
  async follow(document: string, exchange: Exchange): Promise<Exchange | undefined> {
    const key = keyOf(document, exchange.method, shownURL(exchange));
    const id = `${exchange.request_id} ${key}`;
    const before = this.#followed.get(id);
    if (before) {
      Object.assign(before, { request_body_note: undefined }, exchange);
      return undefined;
    }
    const patient = exchange.initiator.type !== "beacon";
    const known = patient ? undefined : (this.#claimFor(key, exchange) ?? take(this.#timings, key, () => true));
    this.#followed.set(id, exchange);
    const found = await (known ?? this.#wait(key, { exchange, patient }, FOLLOW_MS));
    this.#followed.delete(id);
    if (found === "told") return undefined;
    if (!found) return exchange;
    if ("initiator_type" in found) return timed(exchange, found);
    return joined({ ...exchange, outcome: outcomeOf(found) }, found, this.#redact);
  }

  /** A document's timing of a beacon, which tells how it ended. */
  timed(document: string, timing: ResourceTiming): void {
    if (this.#shows(timing.url)) return;
    const key = keyOf(document, "POST", comparable(timing.url));
    const item = take(this.#waiting, key, (at) => at.exchange.initiator.type === "beacon");
    if (item) return item.settle(timing);
    if (this.#timed >= MAX_UNCLAIMED) return;
    this.#timed++;
    listOf(this.#timings, key).push(timing);
    setTimeout(() => {
      this.#timed--;
      take(this.#timings, key, (at) => at === timing);
    }, CLAIM_MS);
  }

  /** The page told the end of a request itself. */
  told(document: string, exchange: Exchange): void {
    const key = keyOf(document, exchange.method, shownURL(exchange));
    take(this.#waiting, key, (item) => item.patient && item.exchange.request_id === exchange.request_id)?.settle(
      "told",
    );
  }

  #claimFor(key: string, exchange: Exchange): Request | undefined {
    return this.#claim(key, (item) => agree(exchange, item.request));
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
    const waiting = take(this.#waiting, key, (other) => agree(other.exchange, request));
    if (waiting) waiting.settle(request);
    else this.#unclaimedEnded(request);
  }
}

/** What a record waited for: the network's record or the document's timing, or that the page told the end itself. */
type Found = Request | ResourceTiming | "told" | undefined;

/** A beacon with what the document's timing tells of its end. Status 0: another site's, whose status is not shown. */
function timed(
  exchange: Exchange,
  { status, duration, transfer_size, protocol, from_cache }: ResourceTiming,
): Exchange {
  return {
    ...exchange,
    ...(status ? { status, outcome: status >= 400 ? "http_error" : "ok" } : {}),
    duration,
    transfer_size,
    ...(protocol ? { protocol } : {}),
    ...(from_cache ? { from_cache } : {}),
  };
}

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

/** The URL that the page asked for. */
const asked = (exchange: Exchange): string => exchange.redirects?.[0] ?? exchange.url;

/** The same as it is compared. */
const shownURL = (exchange: Exchange): string => comparable(asked(exchange));

/** Takes the first item that fits out of the list of a key. */
function take<T>(map: Map<string, T[]>, key: string, fits: (item: T) => boolean): T | undefined {
  const list = map.get(key);
  const at = list?.findIndex(fits) ?? -1;
  if (!list || at < 0) return undefined;
  const [item] = list.splice(at, 1);
  if (list.length === 0) map.delete(key);
  return item;
}

/** By which two records can be of one request. url is comparable. */
const keyOf = (document: string, method: string, url: string): string => `${document} ${method.toUpperCase()} ${url}`;

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
