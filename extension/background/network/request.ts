import { OWN_HEADER } from "../../messages/own.ts";

/** One request as Chrome's network stack saw it. Times are epoch ms. */
export interface Request {
  id: string;
  tab: number;
  frame: number;
  /** The document that asked; "" for navigations, whose document does not exist yet. */
  document: string;
  /** Chrome's word: main_frame, sub_frame, xmlhttprequest, image, script, … */
  type: string;
  /** The method that was asked for; a redirect may have made it GET. */
  asked: string;
  method: string;
  url: string;
  started: number;
  ttfb?: number;
  ended?: number;
  status: number;
  statusLine: string;
  requestHeaders: chrome.webRequest.HttpHeader[];
  responseHeaders: chrome.webRequest.HttpHeader[];
  redirects: string[];
  fromCache: boolean;
  /** A worker of the document made it, by its referrer; false where that does not tell. */
  byWorker: boolean;
  ip?: string;
  /** A net::ERR_ name when there was no answer. */
  error?: string;
  /** What the browser asked before a request that another origin has to allow. */
  preflight: boolean;
  /** Why the browser kept an answer from the page, in words; Chrome's name for all of these is net::ERR_FAILED. */
  refusal?: string;
}

/** Requests that are under way at once; above it the oldest are forgotten (streams that never end). */
const MAX_OPEN = 2000;

/** Preflights that are known at once; above it the oldest are forgotten. */
const MAX_PREFLIGHTS = 500;

/** Scripts of workers that are known at once; above it the oldest are forgotten. */
const MAX_WORKERS = 500;

/** Follows each request from its start to its end and gives it whole. */
export class RequestTracker {
  readonly #ended: (request: Request) => void;
  readonly #open = new Map<string, Request>();
  readonly #received = new Map<string, Answer>(); // of open requests, by their ids
  readonly #preflights = new Map<string, Answer>(); // by document and URL; <= MAX_PREFLIGHTS
  readonly #workers = new Set<string>(); // document and URL of the scripts of dedicated workers; <= MAX_WORKERS

  constructor(ended: (request: Request) => void) {
    this.#ended = ended;
  }

  /** A request begins, or goes on after a redirect. */
  begin(details: chrome.webRequest.OnBeforeRequestDetails): void {
    const open = this.#open.get(details.requestId);
    if (open) {
      open.url = details.url;
      open.method = details.method;
      return;
    }
    if (this.#open.size >= MAX_OPEN) {
      const oldest = this.#open.keys().next().value;
      if (oldest !== undefined) this.#forget(oldest);
    }
    this.#open.set(details.requestId, {
      id: details.requestId,
      tab: details.tabId,
      frame: details.frameId,
      document: details.documentId ?? "",
      type: details.type,
      asked: details.method,
      method: details.method,
      url: details.url,
      started: details.timeStamp,
      status: 0,
      statusLine: "",
      requestHeaders: [],
      responseHeaders: [],
      redirects: [],
      fromCache: false,
      byWorker: false,
      preflight: false,
    });
  }

  /** The headers as they are sent. */
  sent(details: chrome.webRequest.OnSendHeadersDetails): void {
    const open = this.#open.get(details.requestId);
    if (!open) return;
    open.requestHeaders = details.requestHeaders ?? [];
    const header = (wanted: string) => open.requestHeaders.find(({ name }) => name.toLowerCase() === wanted)?.value;
    if (header("sec-fetch-dest") === "worker") this.#remember(`${open.document} ${open.url.replace(/#.*$/s, "")}`);
    const referrer = header("referer");
    open.preflight = open.method === "OPTIONS" && header("access-control-request-method") !== undefined;
    open.byWorker = referrer !== undefined && this.#workers.has(`${open.document} ${referrer}`);
  }

  /** The answer's headers came; whether the page may have it is not known yet. */
  received(details: chrome.webRequest.OnHeadersReceivedDetails): void {
    const open = this.#open.get(details.requestId);
    if (!open) return;
    const answer = { status: details.statusCode, headers: details.responseHeaders ?? [] };
    this.#received.set(open.id, answer);
    if (!open.preflight) return;
    const key = `${open.document} ${open.url}`;
    this.#preflights.delete(key);
    const oldest = this.#preflights.keys().next().value;
    if (this.#preflights.size >= MAX_PREFLIGHTS && oldest !== undefined) this.#preflights.delete(oldest);
    this.#preflights.set(key, answer);
  }

  /** The answer begins. */
  answered(details: chrome.webRequest.OnResponseStartedDetails): void {
    const open = this.#open.get(details.requestId);
    if (!open) return;
    open.ttfb = details.timeStamp;
    open.responseHeaders = details.responseHeaders ?? [];
    open.status = details.statusCode;
    open.statusLine = details.statusLine;
    open.fromCache = details.fromCache;
    if (details.ip) open.ip = details.ip;
  }

  /** The answer sent us elsewhere. */
  redirected(details: chrome.webRequest.OnBeforeRedirectDetails): void {
    const open = this.#open.get(details.requestId);
    if (!open) return;
    if (open.redirects.length < 20) open.redirects.push(details.url);
    open.url = details.redirectUrl;
  }

  /** The answer is complete. */
  completed(details: chrome.webRequest.OnCompletedDetails): void {
    this.answered({ ...details, timeStamp: this.#open.get(details.requestId)?.ttfb ?? details.timeStamp });
    this.#end(details.requestId, details.timeStamp);
  }

  /** There will be no answer. */
  failed(details: chrome.webRequest.OnErrorOccurredDetails): void {
    const open = this.#open.get(details.requestId);
    if (!open) return;
    open.error = details.error;
    if (details.error === "net::ERR_FAILED") {
      const refusal = refusalOf(
        origin(details.initiator),
        open,
        this.#received.get(open.id),
        this.#preflights.get(`${open.document} ${open.url}`),
      );
      if (refusal) open.refusal = refusal;
    }
    if (details.ip) open.ip = details.ip;
    this.#end(details.requestId, details.timeStamp);
  }

  #remember(worker: string): void {
    this.#workers.delete(worker);
    const oldest = this.#workers.values().next().value;
    if (this.#workers.size >= MAX_WORKERS && oldest !== undefined) this.#workers.delete(oldest);
    this.#workers.add(worker);
  }

  #end(id: string, at: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#forget(id);
    open.ended = at;
    // It was asked for this request; the next one may go without.
    if (!open.preflight) this.#preflights.delete(`${open.document} ${open.url}`);
    // Our own look into the cache is no request of the page. What reached a server is, whatever it calls itself.
    const isOwn = open.requestHeaders.some(({ name }) => name.toLowerCase() === OWN_HEADER);
    if (isOwn && (open.fromCache || open.error === "net::ERR_CACHE_MISS")) return;
    this.#ended(open);
  }

  #forget(id: string): void {
    this.#open.delete(id);
    this.#received.delete(id);
  }
}

interface Answer {
  status: number;
  headers: readonly chrome.webRequest.HttpHeader[];
}

/** Why a request of an origin to another one got nothing; undefined where it was not refused by CORS. */
function refusalOf(
  from: string | undefined,
  { url, requestHeaders }: Request,
  answer: Answer | undefined,
  preflight: Answer | undefined,
): string | undefined {
  if (from === undefined || from === origin(url)) return undefined;
  const mode = requestHeaders.find(({ name }) => name.toLowerCase() === "sec-fetch-mode")?.value;
  if (mode !== undefined && mode !== "cors") return undefined;
  if (answer) return `CORS: the answer (${answer.status}) ${lacks(answer, from, "its credentials")}`;
  if (!preflight) return undefined;
  const { status } = preflight;
  const asked =
    status < 200 || status > 299 ? "is not 2xx" : lacks(preflight, from, "its method, headers or credentials");
  return `CORS: the preflight's answer (OPTIONS, ${status}) ${asked}`;
}

/** What an answer says to an origin; rest is what it may have refused where it allows the origin. */
function lacks({ headers }: Answer, from: string, rest: string): string {
  const allowed = headers.find(({ name }) => name.toLowerCase() === "access-control-allow-origin")?.value;
  if (allowed === undefined) return "has no access-control-allow-origin";
  if (allowed !== from && allowed !== "*") return `allows another origin than ${from}`;
  return `does not allow ${rest}`;
}

/** The origin of a URL, as a browser sends it. */
function origin(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}
