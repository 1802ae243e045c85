import type { ActionId, FromContent, PageConfig, ToContent } from "../../messages/content.ts";
import type { Stamp } from "../daemon/outbox.ts";
import { boundURL } from "./bound.ts";
import { Dialogs } from "./dialogs.ts";
import { stampOf } from "./stamp.ts";
import { isContentPort, readPortError } from "./browser.ts";
import { originOf } from "../../state/origins.ts";

/** What the ports pass on to the worker. */
export interface PortEvents {
  /** A document has its content script. loaded is the URL that it was loaded from. */
  hello: (stamp: Stamp, loaded: string) => void;
  /** A document's line closed: it is gone, frozen, or may tell nothing any more. */
  left: (stamp: Stamp) => void;
  /** A document's batch. done tells the document that it need not keep the batch any longer. */
  batch: (stamp: Stamp, json: string, urgent: boolean, done: () => void) => void;
  /** A document said what policies its meta elements hold. */
  policy: (stamp: Stamp, content: string[]) => void;
}

interface Open {
  port: chrome.runtime.Port;
  stamp: Stamp;
  /** It lacks the capture's script in the page's own world. */
  noPageScript: boolean;
  /** The browser loads it ahead; the tab shows another page. */
  ahead: boolean;
}

/** The open line of every captured document, and what the worker can ask of all of them. */
export class Ports {
  readonly #events: PortEvents;
  readonly #config: () => PageConfig | undefined;
  readonly #granted: (url: string) => boolean;
  readonly #open = new Map<chrome.runtime.Port, Open>();
  readonly #flushes = new Map<number, (frame: chrome.runtime.Port) => void>();
  readonly #hellos = new Set<(stamp: Stamp) => void>();
  readonly #lefts = new Map<string, Set<() => void>>(); // by document
  #flushId = 0;
  readonly dialogs = new Dialogs();

  /**
   * config says what documents may capture; undefined while the user's settings are not read yet. granted says whether the
   * user granted the site of an address.
   */
  constructor(config: () => PageConfig | undefined, granted: (url: string) => boolean, events: PortEvents) {
    this.#config = config;
    this.#granted = granted;
    this.#events = events;
  }

  /** Takes a port that a content script opened. Others are left alone. */
  accept(port: chrome.runtime.Port): void {
    if (!isContentPort(port)) return;
    const stamp = stampOf(port.sender, "document_start");
    if (!stamp) {
      port.disconnect();
      return;
    }
    const ahead = port.sender?.documentLifecycle === "prerender";
    const open: Open = { port, stamp, noPageScript: false, ahead };
    this.#open.set(port, open);
    port.onDisconnect.addListener(() => {
      readPortError();
      this.#closed(open);
    });
    port.onMessage.addListener((message: FromContent) => this.#take(open, message));
    const config = this.#config();
    if (config) this.#say(port, { type: "configure", config });
  }

  /** Calls for every document that comes, until the returned function is called. */
  onHello(heard: (stamp: Stamp) => void): () => void {
    this.#hellos.add(heard);
    return () => void this.#hellos.delete(heard);
  }

  /**
   * Calls when a document's line closes, until the returned function is called: the document is gone, or frozen in the
   * back/forward cache, where it answers nothing.
   */
  onLeft(document: string, heard: () => void): () => void {
    const all = this.#lefts.get(document) ?? new Set();
    this.#lefts.set(document, all.add(heard));
    return () => {
      all.delete(heard);
      if (all.size === 0 && this.#lefts.get(document) === all) this.#lefts.delete(document);
    };
  }

  /** The documents that a tab shows and that have a line. */
  documents(tab: number): Stamp[] {
    return this.#shown(tab).map((open) => open.stamp);
  }

  /** Where the capture's script in the page's own world is missing in a tab: in the page, or in frames only. */
  withoutPageScript(tab: number): "page" | "frames" | undefined {
    const lacking = this.#shown(tab).filter((open) => open.noPageScript);
    if (lacking.length === 0) return undefined;
    return lacking.some((open) => open.stamp.frame === 0) ? "page" : "frames";
  }

  #shown(tab: number): Open[] {
    return [...this.#open.values()].filter((open) => open.stamp.tab === tab && !open.ahead);
  }

  /** Tells every document what it may capture now. */
  configure(): void {
    const config = this.#config();
    if (!config) return;
    for (const port of this.#open.keys()) this.#say(port, { type: "configure", config });
  }

  /** Tells the documents of a tab that an agent's action begins there, or is over. */
  action(tab: number, type: "begin" | "end", action: ActionId): void {
    for (const { port } of this.#shown(tab)) this.#say(port, { type, action });
  }

  /** The user changed what is granted: documents of other sites have said their last. */
  recheck(): void {
    for (const open of this.#open.values()) this.#may(open);
  }

  /** Says whether a document may tell anything; one of a site whose grant was taken back is told to stop. */
  #may(open: Open): boolean {
    if (this.#covered(open.stamp)) return true;
    this.#say(open.port, { type: "revoked" });
    open.port.disconnect();
    this.#closed(open);
    return false;
  }

  #closed({ port, stamp }: Open): void {
    this.#open.delete(port);
    this.dialogs.left(stamp.tab, stamp.document);
    for (const heard of this.#lefts.get(stamp.document) ?? []) heard();
    this.#events.left(stamp);
  }

  /** A document without an address of its own is as the page around it, or as the site that made it. */
  #covered({ tab, page_url }: Stamp): boolean {
    if (/^https?:/.test(page_url)) return this.#granted(page_url);
    const main = this.documents(tab).find(({ frame }) => frame === 0)?.page_url ?? "";
    return !/^https?:/.test(main) || this.#granted(main);
  }

  /** Tells every document that the user stopped what agents do. */
  stop(): void {
    for (const port of this.#open.keys()) this.#say(port, { type: "stop" });
  }

  /**
   * Asks documents (of one tab, or all) for everything captured so far. Resolves with how many answered, and the tabs of those
   * that did not within so long, ms: they are frozen or busy.
   */
  async flush(tab: number | undefined, withinMS: number): Promise<{ frames: number; silent: number[] }> {
    const asked = [...this.#open.values()].filter((open) => tab === undefined || open.stamp.tab === tab);
    if (asked.length === 0) return { frames: 0, silent: [] };
    const id = ++this.#flushId;
    const answered = new Set<chrome.runtime.Port>();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMS);
      this.#flushes.set(id, (port) => {
        answered.add(port);
        if (answered.size < asked.length) return;
        clearTimeout(timer);
        resolve();
      });
      for (const { port } of asked) this.#say(port, { type: "flush", id });
    });
    this.#flushes.delete(id);
    // One that left meanwhile has sent what it had.
    const mute = asked.filter(({ port }) => !answered.has(port) && this.#open.has(port));
    return { frames: answered.size, silent: [...new Set(mute.map(({ stamp }) => stamp.tab))] };
  }

  #take(open: Open, message: FromContent): void {
    switch (message.type) {
      case "hello":
        open.stamp = { ...open.stamp, since: message.since, page_url: addressOf(open, message.url) };
        open.noPageScript = message.noPageScript === true;
        if (!this.#may(open)) return;
        this.#events.hello(open.stamp, message.loaded);
        for (const heard of this.#hellos) heard(open.stamp);
        return;
      case "batch": {
        open.stamp = { ...open.stamp, page_url: addressOf(open, message.url) };
        if (!this.#may(open)) return;
        const done = () => this.#say(open.port, { type: "ack", id: message.id });
        this.#events.batch(open.stamp, message.json, message.urgent, done);
        this.dialogs.look(open.stamp, message.json);
        return;
      }
      case "policy":
        if (!this.#may(open)) return;
        this.#events.policy(open.stamp, message.content);
        return;
      case "flushed":
        this.#flushes.get(message.id)?.(open.port);
        return;
    }
  }

  #say(port: chrome.runtime.Port, message: ToContent): void {
    try {
      port.postMessage(message);
    } catch {
      // Closed in this moment; onDisconnect does the rest, and the document comes back by itself.
      this.#open.delete(port);
    }
  }
}

/**
 * The address that a document gave itself meanwhile. One of another origin than Chrome says no document has: its process
 * was taken over, and speaks for no other site.
 */
function addressOf({ port: { sender }, stamp }: Open, url: string): string {
  const origin = originOf(url);
  return origin === originOf(sender?.url ?? "") || origin === sender?.origin ? boundURL(url) : stamp.page_url;
}
