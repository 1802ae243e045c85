import type { ActionId, FromContent, PageConfig, ToContent } from "../../messages/content.ts";
import type { Stamp } from "../daemon/outbox.ts";
import { boundURL } from "./bound.ts";
import { Dialogs } from "./dialogs.ts";
import { stampOf } from "./stamp.ts";
import { isContentPort, readPortError } from "./browser.ts";

/** What the ports pass on to the worker. */
export interface PortEvents {
  /** A document has its content script. loaded is the URL that it was loaded from. */
  hello: (stamp: Stamp, loaded: string) => void;
  /** A document's batch. done tells the document that it need not keep the batch any longer. */
  batch: (stamp: Stamp, json: string, urgent: boolean, done: () => void) => void;
  /** A document said what policies its meta elements hold. */
  policy: (stamp: Stamp, content: string[]) => void;
}

/** Frames that do not answer a flush in this time have nothing to say. */
const FLUSH_MS = 1500;

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
  readonly #open = new Map<chrome.runtime.Port, Open>();
  readonly #flushes = new Map<number, (frame: chrome.runtime.Port) => void>();
  readonly #hellos = new Set<(stamp: Stamp) => void>();
  readonly #lefts = new Map<string, Set<() => void>>(); // by document
  #flushId = 0;
  readonly dialogs = new Dialogs();

  /** config says what documents may capture; undefined while the user's settings are not read yet. */
  constructor(config: () => PageConfig | undefined, events: PortEvents) {
    this.#config = config;
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
      this.#open.delete(port);
      this.dialogs.left(open.stamp.tab, open.stamp.document);
      for (const heard of this.#lefts.get(open.stamp.document) ?? []) heard();
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

  /** Tells every document that the user stopped what agents do. */
  stop(): void {
    for (const port of this.#open.keys()) this.#say(port, { type: "stop" });
  }

  /**
   * Asks documents (of one tab, or all) for everything captured so far. Resolves with how many
   * answered; those that did not in time are frozen or busy.
   */
  async flush(tab?: number): Promise<number> {
    const asked = [...this.#open.values()].filter((open) => tab === undefined || open.stamp.tab === tab);
    if (asked.length === 0) return 0;
    const id = ++this.#flushId;
    const answered = new Set<chrome.runtime.Port>();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FLUSH_MS);
      this.#flushes.set(id, (port) => {
        answered.add(port);
        if (answered.size < asked.length) return;
        clearTimeout(timer);
        resolve();
      });
      for (const { port } of asked) this.#say(port, { type: "flush", id });
    });
    this.#flushes.delete(id);
    return answered.size;
  }

  #take(open: Open, message: FromContent): void {
    switch (message.type) {
      case "hello":
        open.stamp = { ...open.stamp, since: message.since, page_url: boundURL(message.url) };
        open.noPageScript = message.noPageScript === true;
        this.#events.hello(open.stamp, message.loaded);
        for (const heard of this.#hellos) heard(open.stamp);
        return;
      case "batch": {
        open.stamp = { ...open.stamp, page_url: boundURL(message.url) };
        const done = () => this.#say(open.port, { type: "ack", id: message.id });
        this.#events.batch(open.stamp, message.json, message.urgent, done);
        this.dialogs.look(open.stamp, message.json);
        return;
      }
      case "policy":
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
