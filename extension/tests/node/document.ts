import type { CDPSession } from "@playwright/test";
import { Event } from "./events.ts";

/** What a script says that is not in the worker's process. */
type Said =
  | { type: "connect"; port: number; name: string }
  | { type: "post"; port: number; message: unknown }
  | { type: "disconnect"; port: number }
  | { type: "send"; id: number; message: unknown };

/** Who a message or a port is of. */
export interface Sender {
  id: string;
  tab: { id: number };
  frameId: number;
  documentId: string;
  url: string;
  origin: string;
}

/** The end of a line that the worker holds. */
export interface Port {
  name: string;
  sender: Sender;
  onMessage: Event<[unknown]>;
  onDisconnect: Event<[Port]>;
  postMessage(message: unknown): void;
  disconnect(): void;
}

/** What documents tell the worker. */
export interface Heard {
  connect: (port: Port) => void;
  /** Resolves with what the worker answers. */
  message: (message: unknown, sender: Sender) => Promise<unknown>;
}

/** A document with the extension's scripts: its two worlds, and the lines that its scripts have to the worker. */
export class ScriptedDocument {
  readonly sender: Sender;
  /** The contexts of its worlds in the protocol. */
  readonly isolated: number;
  main: number | undefined;
  readonly #session: CDPSession;
  readonly #heard: Heard;
  readonly #ports = new Map<number, Port>();

  constructor(session: CDPSession, heard: Heard, sender: Sender, isolated: number) {
    this.#session = session;
    this.#heard = heard;
    this.sender = sender;
    this.isolated = isolated;
  }

  /** Takes what a script said. */
  take(json: string): void {
    const said = JSON.parse(json) as Said;
    switch (said.type) {
      case "connect":
        return this.#heard.connect(this.#open(said.port, said.name));
      case "post":
        return void this.#ports.get(said.port)?.onMessage.tell(said.message);
      case "disconnect":
        return this.#close(said.port);
      case "send":
        void this.#heard
          .message(said.message, this.sender)
          .then((reply) => this.#tell({ type: "reply", id: said.id, reply }));
    }
  }

  /** It is gone. */
  left(): void {
    for (const port of this.#ports.keys()) this.#close(port);
  }

  /** Runs an expression in one of its worlds; gives what it comes to, as JSON can tell it. */
  async run(expression: string, world: "ISOLATED" | "MAIN" = "ISOLATED"): Promise<unknown> {
    const contextId = world === "MAIN" ? this.main : this.isolated;
    if (contextId === undefined) throw new Error("The document was removed.");
    const { result, exceptionDetails } = await this.#session
      .send("Runtime.evaluate", { expression, contextId, awaitPromise: true, returnByValue: true })
      .catch((error: Error) => {
        throw new Error(`The document was removed: ${error.message}`);
      });
    return exceptionDetails ? null : ((result.value as unknown) ?? null);
  }

  #open(id: number, name: string): Port {
    const port: Port = {
      name,
      sender: this.sender,
      onMessage: new Event(),
      onDisconnect: new Event(),
      postMessage: (message) => {
        if (!this.#ports.has(id)) throw new Error("Attempting to use a disconnected port object");
        this.#tell({ type: "message", port: id, message });
      },
      disconnect: () => {
        this.#ports.delete(id);
        this.#tell({ type: "disconnect", port: id });
      },
    };
    this.#ports.set(id, port);
    return port;
  }

  #close(id: number): void {
    const port = this.#ports.get(id);
    this.#ports.delete(id);
    port?.onDisconnect.tell(port);
  }

  /** A page that hangs, or is gone, hears it late or never. */
  #tell(what: object): void {
    const expression = `gasolineHear(${JSON.stringify(JSON.stringify(what))})`;
    this.#session.send("Runtime.evaluate", { expression, contextId: this.isolated }).catch(() => undefined);
  }
}

/** Runs in the isolated world before the extension's scripts: makes what they use of chrome. */
export function makeChrome(id: string): void {
  const world = globalThis as unknown as {
    gasolineHost: (json: string) => void;
    gasolineHear: (json: string) => void;
    chrome: object;
  };
  const host = world.gasolineHost;
  type Listener = (...args: unknown[]) => void;
  const event = () => {
    const listeners = new Set<Listener>();
    return {
      addListener: (listener: Listener) => listeners.add(listener),
      removeListener: (listener: Listener) => listeners.delete(listener),
      tell: (...args: unknown[]) => listeners.forEach((listener) => listener(...args)),
    };
  };
  const say = (said: object): void => host(JSON.stringify(said));
  const ports = new Map<number, { onMessage: ReturnType<typeof event>; onDisconnect: ReturnType<typeof event> }>();
  const replies = new Map<number, (reply: unknown) => void>();
  let next = 0;
  world.gasolineHear = (json) => {
    const told = JSON.parse(json) as { type: string; port: number; id: number; message: unknown; reply: unknown };
    const port = ports.get(told.port);
    if (told.type === "message") port?.onMessage.tell(told.message, port);
    if (told.type === "disconnect" && ports.delete(told.port)) port?.onDisconnect.tell(port);
    if (told.type === "reply") replies.get(told.id)?.(told.reply);
  };
  const runtime = {
    id,
    connect: ({ name }: { name: string }) => {
      const number = ++next;
      const port = {
        name,
        onMessage: event(),
        onDisconnect: event(),
        postMessage: (message: unknown) => say({ type: "post", port: number, message }),
        disconnect: () => {
          ports.delete(number);
          say({ type: "disconnect", port: number });
        },
      };
      ports.set(number, port);
      say({ type: "connect", port: number, name });
      return port;
    },
    sendMessage: (message: unknown) =>
      new Promise((resolve) => {
        replies.set(++next, resolve);
        say({ type: "send", id: next, message });
      }),
  };
  // The page's world keeps closed roots to itself; here they are open.
  world.chrome = { runtime, dom: { openOrClosedShadowRoot: (at: Element) => at.shadowRoot } };
}

/** Runs in the page's world before its scripts: closed shadow roots are open to the other worlds, and closed to this one. */
export function closeRoots(): void {
  const of = Element.prototype;
  const attach = Object.getOwnPropertyDescriptor(of, "attachShadow")?.value as (init: ShadowRootInit) => ShadowRoot;
  const { get: root } = Object.getOwnPropertyDescriptor(of, "shadowRoot") as { get: (this: void) => unknown };
  const closed = new WeakSet<Element>();
  of.attachShadow = function (init) {
    const made = Reflect.apply(attach, this, [{ ...init, mode: "open" }]);
    if (init.mode === "closed") closed.add(this);
    return made;
  };
  Object.defineProperty(of, "shadowRoot", {
    configurable: true,
    enumerable: true,
    get(this: Element): unknown {
      return closed.has(this) ? null : Reflect.apply(root, this, []);
    },
  });
}
