import type { Exchange } from "@gasoline/schema/wire";
import type { Stamp } from "../daemon/outbox.ts";
import { fromRequest } from "./exchange.ts";
import type { NetworkJoin } from "./join.ts";
import type { Redact } from "./redaction.ts";
import { type Request, RequestTracker } from "./request.ts";
import { session } from "../../state/browser.ts";

/** What the observer tells of. */
export interface NetworkEvents {
  /** A request that no page could record. */
  exchange: (stamp: Omit<Stamp, "document" | "since">, exchange: Omit<Exchange, "seq">) => void;
  /** The answer to a main-frame navigation began, with these policies. */
  policies: (tab: number, policies: string[]) => void;
}

/** Requests that pages' own code makes and capture records: they wait for the page's word. */
const PAGE_TYPES: ReadonlySet<string> = new Set(["xmlhttprequest", "ping"]);

/** Requests that matter even when they succeed. */
const NAVIGATIONS: ReadonlySet<string> = new Set(["main_frame", "sub_frame"]);

/** Marks in storage.session that Chrome has shown us a request since the browser started. */
const SHOWN = "networkShown";

/**
 * Watches Chrome's network stack where the user switched that on: it needs the permission webRequest, which delays every
 * request of the browser and takes effect when the browser starts. Requests of pages go to the join; navigations, what
 * workers fetch and resources that failed are exchanges of their own.
 */
export class NetworkObserver {
  readonly #tracker: RequestTracker;
  readonly #join: NetworkJoin;
  readonly #redact: Redact;
  readonly #events: NetworkEvents;
  readonly #relevant: (url: string) => boolean;
  #shows = false;

  /** relevant says whether requests to a URL are captured; those to the daemon itself are not. */
  constructor(join: NetworkJoin, redact: Redact, relevant: (url: string) => boolean, events: NetworkEvents) {
    this.#join = join;
    this.#redact = redact;
    this.#relevant = relevant;
    this.#events = events;
    this.#tracker = new RequestTracker((request) => this.#ended(request));
  }

  /**
   * Whether Chrome shows us requests. Without the permission it never does; with it, not before the browser was started
   * anew.
   */
  get shows(): boolean {
    return this.#shows;
  }

  /** Reads whether an earlier life of the worker was shown requests. */
  async load(): Promise<void> {
    if (!isPermitted()) return;
    this.#shows ||= (await session.read(SHOWN)) === true;
  }

  /** Registers the listeners; to be called while the worker starts, before anything is awaited. */
  listen(): void {
    if (!isPermitted()) return;
    const filter = { urls: ["http://*/*", "https://*/*", "ws://*/*", "wss://*/*"] };
    const { webRequest } = chrome;
    webRequest.onBeforeRequest.addListener((details) => {
      if (!this.#shows) {
        this.#shows = true;
        void session.write({ [SHOWN]: true });
      }
      // The extension's own requests, and those of no tab such as of the browser itself.
      if (details.initiator === `chrome-extension://${chrome.runtime.id}` || !this.#relevant(details.url))
        return undefined;
      this.#tracker.begin(details);
      return undefined;
    }, filter);
    webRequest.onSendHeaders.addListener((details) => this.#tracker.sent(details), filter, [
      "requestHeaders",
      "extraHeaders",
    ]);
    webRequest.onHeadersReceived.addListener(
      (details) => {
        this.#tracker.received(details);
        if (details.type === "main_frame")
          this.#events.policies(details.tabId, policiesOf(details.responseHeaders ?? []));
        return undefined;
      },
      filter,
      ["responseHeaders", "extraHeaders"],
    );
    webRequest.onBeforeRedirect.addListener((details) => this.#tracker.redirected(details), filter);
    webRequest.onResponseStarted.addListener((details) => this.#tracker.answered(details), filter, [
      "responseHeaders",
      "extraHeaders",
    ]);
    webRequest.onCompleted.addListener((details) => this.#tracker.completed(details), filter, [
      "responseHeaders",
      "extraHeaders",
    ]);
    webRequest.onErrorOccurred.addListener((details) => this.#tracker.failed(details), filter);
  }

  /** Takes a request that no page record claimed: a worker made it whose referrer does not say so. */
  unclaimed(request: Request): void {
    this.#emit(request);
  }

  #ended(request: Request): void {
    const byPage = request.tab >= 0 && request.document !== "" && !request.byWorker && !request.preflight;
    if (PAGE_TYPES.has(request.type) && byPage) this.#join.offer(request);
    else if (PAGE_TYPES.has(request.type) || NAVIGATIONS.has(request.type) || failed(request)) this.#emit(request);
  }

  #emit(request: Request): void {
    const ended = request.ended ?? Date.now();
    const exchange = { t: ended, mono: 0, ...fromRequest(request, this.#redact) };
    // A navigation belongs to the page that it leads to; what else it came from, the worker knows.
    const page_url = NAVIGATIONS.has(request.type) ? exchange.url : "";
    this.#events.exchange({ tab: Math.max(0, request.tab), frame: Math.max(0, request.frame), page_url }, exchange);
  }
}

/** Without the permission Chrome gives no webRequest at all, whatever the types say. */
const isPermitted = (): boolean => (chrome as { webRequest?: unknown }).webRequest !== undefined;

// A resource that the page itself gave up (a new navigation, a replaced image) did not fail.
const failed = (request: Request): boolean =>
  (request.error !== undefined && request.error !== "net::ERR_ABORTED") || request.status >= 400;

function policiesOf(headers: readonly chrome.webRequest.HttpHeader[]): string[] {
  return headers
    .filter(({ name }) => name.toLowerCase() === "content-security-policy")
    .map(({ value }) => (value ?? "").slice(0, 8192));
}
