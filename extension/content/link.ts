import { type ActionId, MAX_ADDRESS, type FromContent, type PageConfig, type ToContent } from "../messages/content.ts";
import { type Port, connect } from "./browser.ts";

/** What the worker asks of the content script. */
export interface LinkEvents {
  config: (config: PageConfig) => void;
  /** Hand over everything captured so far by send, before it returns. */
  flush: () => void;
  /** An agent's command acts in the tab from now on. */
  begin: (action: ActionId) => void;
  end: (action: ActionId) => void;
  /** The user stopped what agents do. */
  stop: () => void;
  /** send takes batches again. */
  room: () => void;
  /** The extension is gone, or the user took the grant back; nothing can be sent ever again. */
  orphaned: () => void;
}

interface Batch {
  id: number;
  json: string;
  urgent: boolean;
}

/** Characters of batches that wait for the worker's word; above it send refuses and the caller keeps them. */
const MAX_UNACKED = 1_000_000;

const RECONNECT_MS = 250;

/** The document's address; one character above the bound tells the worker that it was cut. */
const here = (): string => location.href.slice(0, MAX_ADDRESS + 1);

/**
 * The content script's line to the worker. A batch is kept until the worker says that it is stored or
 * put aside, and sent again after the worker died, the page came back from the back/forward cache, or
 * the port was lost for any other reason.
 */
export class WorkerLink {
  readonly #since: "document_start" | "late";
  readonly #noPageScript: boolean;
  readonly #events: LinkEvents;
  readonly #loaded: string;
  #port: Port | undefined;
  #unacked: Batch[] = []; // sum of json.length <= maxUnacked, or one batch
  #size = 0;
  #nextId = 1;
  #orphaned = false;
  #frozen = false; // in the back/forward cache: connecting would throw the page out of it

  /** noPageScript: the page's half of the capture is missing. */
  constructor(since: "document_start" | "late", noPageScript: boolean, events: LinkEvents) {
    this.#since = since;
    this.#loaded = since === "late" ? (performance.getEntriesByType("navigation")[0]?.name ?? "") : here();
    this.#noPageScript = noPageScript;
    this.#events = events;
  }

  /** Connects, and again whenever the line is lost. */
  open(): void {
    this.#connect();
    this.listen();
  }

  /** Listens to what becomes of the page; again after document.open() took listeners away, else without effect. */
  listen(): void {
    window.addEventListener("pagehide", this.#hidden, true);
    window.addEventListener("pageshow", this.#shown, true);
    document.addEventListener("prerenderingchange", this.#anew, true);
  }

  /** Takes a batch. False: too much waits for the worker; room is called when there is place again. */
  send(json: string, urgent: boolean): boolean {
    if (this.#orphaned) return true; // Swallowed: it can go nowhere.
    if (this.#unacked.length > 0 && this.#size + json.length > MAX_UNACKED) return false;
    const batch: Batch = { id: this.#nextId++, json, urgent };
    this.#unacked.push(batch);
    this.#size += json.length;
    this.#post(batch);
    return true;
  }

  /** Reports what policies the document's meta elements hold. */
  policy(content: string[]): void {
    this.#say({ type: "policy", content });
  }

  readonly #hidden = (event: PageTransitionEvent): void => {
    this.#frozen = event.persisted;
  };

  readonly #shown = (event: PageTransitionEvent): void => {
    // Chrome closed the port when it froze the page, and did not tell this side.
    if (event.persisted) this.#anew();
  };

  /** A page that was loaded ahead is another frame of its tab from when it is shown: Chrome says so of new lines only. */
  readonly #anew = (): void => {
    this.#frozen = false;
    this.#port?.disconnect();
    this.#port = undefined;
    this.#connect();
  };

  #connect(): void {
    if (this.#orphaned || this.#port || this.#frozen) return;
    const port = connect();
    if (!port) {
      this.#orphan();
      return;
    }
    this.#port = port;
    port.onMessage.addListener((message: ToContent) => this.#take(message));
    port.onDisconnect.addListener(() => {
      if (this.#port !== port) return;
      this.#port = undefined;
      setTimeout(() => this.#connect(), RECONNECT_MS);
    });
    this.#say({
      type: "hello",
      url: here(),
      loaded: this.#loaded,
      since: this.#since,
      noPageScript: this.#noPageScript,
    });
    for (const batch of this.#unacked) this.#post(batch);
  }

  #take(message: ToContent): void {
    switch (message.type) {
      case "configure":
        this.#events.config(message.config);
        return;
      case "ack":
        this.#ack(message.id);
        return;
      case "flush":
        this.#events.flush();
        this.#say({ type: "flushed", id: message.id });
        return;
      case "begin":
        this.#events.begin(message.action);
        return;
      case "end":
        this.#events.end(message.action);
        return;
      case "stop":
        this.#events.stop();
        return;
      case "revoked":
        this.#orphan();
        return;
    }
  }

  #ack(id: number): void {
    const kept = this.#unacked.filter((batch) => batch.id !== id);
    if (kept.length === this.#unacked.length) return;
    this.#unacked = kept;
    this.#size = kept.reduce((sum, batch) => sum + batch.json.length, 0);
    this.#events.room();
  }

  #post({ id, json, urgent }: Batch): void {
    this.#say({ type: "batch", id, url: here(), json, urgent });
  }

  #say(message: FromContent): void {
    const port = this.#port;
    if (!port) {
      this.#connect();
      return;
    }
    try {
      port.postMessage(message);
    } catch {
      // The port died without a word. #connect sends what is not acknowledged again.
      this.#port = undefined;
      this.#connect();
    }
  }

  #orphan(): void {
    if (this.#orphaned) return;
    this.#orphaned = true;
    this.#unacked = [];
    this.#size = 0;
    this.#port = undefined;
    this.#events.orphaned();
  }
}
