import {
  append,
  bare,
  getter,
  indexOf,
  later,
  mapClear,
  mapGet,
  mapSet,
  method,
  NativeMap,
  slice,
  startsWith,
} from "../natives.ts";
import type { Guard } from "../guard.ts";
import type { Realm } from "../realm.ts";
import { redactURL } from "../redact.ts";
import { essence } from "./content.ts";

/** Load is what the browser's timing says of one thing that the document loaded. */
interface Load {
  url: string;
  /** the element, or what else asked for it: script, link, img, css … */
  by: string;
  /** 0: no answer, or one of another origin that gives no timing */
  status: number;
  /** the essence of the answer's content type, "" where the browser does not say */
  type: string;
  start: number;
}

const NativeObserver = globalThis.PerformanceObserver;
const observe = method<[{ type: string; buffered: boolean }], void>("PerformanceObserver", "observe");
const taken = method<[], unknown[]>("PerformanceObserver", "takeRecords");
const disconnect = method<[], void>("PerformanceObserver", "disconnect");
const entriesIn = method<[], unknown[]>("PerformanceObserverEntryList", "getEntries");
const nameOf = getter<string>("PerformanceEntry", "name");
const startOf = getter<number>("PerformanceEntry", "startTime");
const byOf = getter<string>("PerformanceResourceTiming", "initiatorType");
const statusOf = getter<number>("PerformanceResourceTiming", "responseStatus");
const typeOf = getter<string>("PerformanceResourceTiming", "contentType");

const all = method<[string], object>("Document", "querySelectorAll");
const lengthOf = getter<number>("NodeList", "length");
const item = method<[number], EventTarget | null>("NodeList", "item");
const srcOf = getter<string>("HTMLScriptElement", "src");
const hrefOf = getter<string>("HTMLLinkElement", "href");

const most = 300;
/** How an address was told: beside another one it is 1. */
const ITSELF = 2;

/**
 * Loads keeps what was loaded lately, ≤ 300, so that it can be said why something did not load: the event of the element
 * tells nothing. It keeps no buffer of the browser's, which ends after 250.
 */
export class Loads {
  readonly #kept: (Load | undefined)[] = [];
  #next = 0;
  readonly #realm: Realm;
  #observer: object | undefined;
  #guard: Guard | undefined;
  #untold: ((what: EventTarget | string) => void) | undefined;
  readonly #told = new NativeMap<string, number>();
  #tellings = 0;

  constructor(realm: Realm) {
    this.#realm = realm;
  }

  /**
   * start begins to keep. untold is called with a style sheet's link that was answered by a page, of which no event comes,
   * and with the address of a script that was, where nothing else told of it within a second: import() tells only the page.
   */
  start(guard: Guard, untold: (what: EventTarget | string) => void): void {
    this.#untold = untold;
    this.#guard = guard;
    try {
      const observer = new NativeObserver((entries) => void guard.run(() => this.#keep(entriesIn(entries))));
      observe(observer, bare({ type: "resource", buffered: true }));
      this.#observer = observer;
    } catch {
      // a browser without it: nothing is known
    }
  }

  stop(): void {
    if (this.#observer) disconnect(this.#observer);
  }

  /**
   * why says what is known of something that an element did not load, in words that follow its address; then is called once,
   * under the guard, within 100 ms: the timing comes a moment before or after the event.
   */
  why(url: string, tag: string, checked: boolean, module: boolean, then: (why: string) => void): void {
    this.told(url);
    const look = (last: boolean): void => {
      if (this.#observer) this.#keep(taken(this.#observer));
      const load = this.#find(url);
      // A module within the document was asked for with it.
      if (url === "" && module) then(this.#imports(undefined));
      else if (load || last) then(load ? this.#said(load, tag, checked, module) : mixed(url));
      else this.#later(() => look(true), 100);
    };
    // Not within the event: an entry that is there already is found now.
    const load = this.#find(url);
    if (load && !module) then(this.#said(load, tag, checked, module));
    else this.#later(() => look(false), 0);
  }

  /** told notes that the failure of an address is told, by itself or with another one; the last are known, ≤ 300. */
  told(url: string, how = ITSELF): void {
    if (++this.#tellings % most === 0) mapClear(this.#told);
    mapSet(this.#told, url, how);
  }

  #keep(entries: unknown[]): void {
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      const by = byOf(entry);
      if (by === "fetch" || by === "xmlhttprequest" || by === "beacon") continue;
      const load: Load = {
        url: nameOf(entry),
        by,
        status: statusOf(entry) || 0,
        type: essence(typeOf(entry) || ""),
        start: startOf(entry),
      };
      if (by === "link" && load.type === "text/html" && load.status < 400) this.#sheet(load.url, false);
      if (by === "script" && load.type === "text/html" && load.status > 0 && load.status < 400) this.#script(load.url);
      if (this.#kept.length < most) append(this.#kept, load);
      else this.#kept[this.#next] = load;
      this.#next = (this.#next + 1) % most;
    }
  }

  #script(url: string): void {
    this.#later(() => {
      if (!mapGet(this.#told, url) && !this.#element("script[src]", srcOf, url)) this.#untold?.(url);
    }, 1000);
  }

  #later(work: () => void, ms: number): void {
    later(() => this.#guard?.run(work), ms);
  }

  #sheet(url: string, last: boolean): void {
    const link = this.#element("link[rel~=stylesheet i]", hrefOf, url);
    if (link) return this.#untold?.(link);
    // What a scanner ahead of the parser asked for may be answered before its element is there.
    if (!last) this.#later(() => this.#sheet(url, true), 1000);
  }

  #element(selector: string, addressOf: (self: unknown) => string, url: string): EventTarget | undefined {
    const found = all(document, selector);
    for (let i = 0; i < lengthOf(found); i++) {
      const element = item(found, i);
      if (element && addressOf(element) === url) return element;
    }
    return undefined;
  }

  /** find gives the youngest load of an address. */
  #find(url: string): Load | undefined {
    const bare = withoutFragment(url);
    for (let i = 0; i < this.#kept.length; i++) {
      const load = this.#kept[(this.#next + most - 1 - i) % most];
      if (load && withoutFragment(load.url) === bare) return load;
    }
    return undefined;
  }

  #said(load: Load, tag: string, checked: boolean, module: boolean): string {
    const own = wrong(load, tag);
    if (own !== "") return ": it was " + own;
    if (load.status === 0) return mixed(load.url);
    if (checked) return ": its bytes do not match its integrity attribute";
    if (module) return this.#imports(load);
    return isPicture(tag) ? ": its bytes are no picture" : "";
  }

  /** imports says what was wrong meanwhile with what a module may have asked for. */
  #imports(load: Load | undefined): string {
    let files = "";
    for (let i = 0; i < this.#kept.length; i++) {
      const other = this.#kept[i];
      if (!other || other === load || other.by !== "script" || other.start < (load?.start ?? 0)) continue;
      const fault = wrong(other, "script") || typed(other);
      // What an element of its own asked for tells its own failure, as does an import() of its own.
      if (fault !== "" && (mapGet(this.#told, other.url) === ITSELF || this.#element("script[src]", srcOf, other.url)))
        continue;
      if (fault !== "" && files.length < 300)
        files += (files === "" ? "" : ", ") + redactURL(other.url, this.#realm.config.salt) + " was " + fault;
      if (fault !== "") this.told(other.url, 1);
    }
    return ": something that it imports" + (files === "" ? "" : "; meanwhile " + files);
  }
}

/** wrong says what is wrong with an answer for an element, "" where nothing is. */
function wrong(load: Load, tag: string): string {
  if (load.status >= 400) return "answered " + load.status;
  if (load.status === 0 || load.type === "" || fits(load.type, tag)) return "";
  return "answered " + load.status + " " + load.type;
}

/** typed says what a module imports only with a type of its own. */
const typed = ({ type, status }: Load): string =>
  indexOf(type, "json") >= 0 || type === "text/css" ? "answered " + status + " " + type + ", which is no script" : "";

/** mixed says of an address why a page of https may not have it. */
function mixed(url: string): string {
  return startsWith(document.URL, "https:") && startsWith(url, "http:")
    ? ": mixed content, http on a page of https"
    : "";
}

const isPicture = (tag: string): boolean => tag === "img" || tag === "image" || tag === "input";

function fits(type: string, tag: string): boolean {
  if (tag === "script") {
    for (let i = 0; i < scripts.length; i++) if (indexOf(type, scripts[i]!) >= 0) return true;
    return false;
  }
  if (tag === "link") return type === "text/css" || !startsWith(type, "text/html");
  if (isPicture(tag)) return startsWith(type, "image/") || type === "application/octet-stream";
  return !startsWith(type, "text/html");
}

/** What a script, and what is imported like one, may be. */
const scripts = ["javascript", "ecmascript", "wasm", "json", "text/css"];

function withoutFragment(url: string): string {
  const hash = indexOf(url, "#");
  return hash < 0 ? url : slice(url, 0, hash);
}
