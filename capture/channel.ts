import { append, bare, dispatch, getter, listen, random, stopImmediate, unlisten, type Fn } from "./natives.ts";

/** Channel carries JSON text between the page's world and the content script's, synchronously, unseen by the page. */
export interface Channel {
  /** post hands text over. False: the other side is not there yet and nothing was kept. */
  post(json: string): boolean;
  /** onMessage sets who receives the other side's text; one receiver. */
  onMessage(receive: (json: string) => void): void;
}

/** Told is what the page's side says of an element: JSON text, and nodes that it names. */
export interface Told {
  json: string;
  nodes: readonly Node[];
}

/** PageChannel is the end in the page's world. After the content side closed, post swallows what it is given. */
export interface PageChannel extends Channel {
  /** onOpen is called once both sides are connected, at once if they are. */
  onOpen(opened: () => void): void;
  /** onFlush is called when the content side wants everything now: the page is going away. */
  onFlush(flush: () => void): void;
  /** reopened tells the content side that document.open() took its listeners away. */
  reopened(): void;
  /** answer says something of an element when the content side asks about it. */
  answer(element: Element, tell: () => Told | undefined): void;
  /** tag says that something may be said of elements with a tag. */
  tag(name: string): void;
}

/** ContentChannel is the end in the content script's world. */
export interface ContentChannel extends Channel {
  /** open says whether the page's side took the offer and the channel was not closed. */
  readonly open: boolean;
  /** tags are those of elements of which the page side may say something. */
  readonly tags: readonly string[];
  /** about asks the page side about an element. */
  about(element: Element): Told | undefined;
  /** flush makes the page side hand over what it holds, before it returns. */
  flush(): void;
  /** onHide is called on pagehide and when the page becomes hidden, after the page side was flushed. */
  onHide(hidden: () => void): void;
  onReopened(reopened: () => void): void;
  /** close tells the page side for good that nobody listens any more, and removes our listeners. */
  close(): void;
}

const maxEarly = 100;
const offer = "gasoline-channel";
const NativeFocusEvent = globalThis.FocusEvent;
const NativeCustomEvent = globalThis.CustomEvent;
const NativeEventTarget = globalThis.EventTarget;
const NativeEvent = globalThis.Event;
const relatedTarget = getter<EventTarget | null>("FocusEvent", "relatedTarget");
const detailOf = getter<unknown>("CustomEvent", "detail");
const fontsOf = getter<EventTarget>("Document", "fonts");

/*
 * The worlds meet at the document's FontFaceSet: both find it, each document has one of its own, and an event there
 * passes no window and no node. What a page added to a window before the document came hears nothing of it.
 *
 * The page's side waits there, and the content side offers a private EventTarget in the relatedTarget of an event: both
 * worlds then hold wrappers of the same object. The content side offers once and takes nothing, so a page that makes
 * offers reaches nobody, and a document without the page's side stays without a channel. Works where origins are
 * opaque, where postMessage cannot be used.
 */

/** waitForOffer waits for the content side's offer. connected is called with the target, opened when both sides listen. */
function waitForOffer(connected: (target: EventTarget) => void, opened: () => void): void {
  const place = fontsOf(document);
  const take = (event: Event): void => {
    const offered = relatedTarget(event);
    if (!offered) return;
    stopImmediate(event);
    unlisten(place, offer, take);
    connected(offered);
    dispatch(offered, new NativeCustomEvent("taken"));
    // Only now does the other side listen.
    opened();
  };
  listen(place, offer, take);
}

/** makeOffer offers a target to the page's side, which takes it before this returns, or never. */
function makeOffer(connected: (target: EventTarget) => void): void {
  const own = new NativeEventTarget();
  const taken = (): void => {
    unlisten(own, "taken", taken);
    connected(own);
  };
  listen(own, "taken", taken);
  dispatch(fontsOf(document), new NativeFocusEvent(offer, bare({ relatedTarget: own })));
  // Who kept the target for later comes too late.
  unlisten(own, "taken", taken);
}

/** End is one side's view of the shared target: what it says and what it hears are told apart by event type. */
class End {
  target: EventTarget | undefined;
  closed = false;
  #receive: ((json: string) => void) | undefined;
  /** what came before there was a receiver: the other side may speak within our own start */
  readonly #early: string[] = [];
  readonly #says: string;

  constructor(says: string) {
    this.#says = says;
  }

  connect(target: EventTarget, hears: string): void {
    this.target = target;
    listen(target, hears, (event: Event) => {
      const json = detailOf(event);
      if (typeof json !== "string") return;
      if (this.#receive) this.#receive(json);
      else if (this.#early.length < maxEarly) append(this.#early, json);
    });
  }

  get open(): boolean {
    return this.target !== undefined && !this.closed;
  }

  say(type: string, json?: string): boolean {
    if (!this.target) return false;
    if (!this.closed) dispatch(this.target, new NativeCustomEvent(type, bare({ detail: json })));
    return true;
  }

  post(json: string): boolean {
    return this.say(this.#says, json);
  }

  onMessage(receive: (json: string) => void): void {
    this.#receive = receive;
    for (let i = 0; i < this.#early.length; i++) receive(this.#early[i]!);
    this.#early.length = 0;
  }
}

/**
 * openPageSide starts the page's end. Call it at document_start, before any script of the page and before the content
 * side starts.
 */
export function openPageSide(): PageChannel {
  let flush: (() => void) | undefined;
  let opened: (() => void) | undefined;
  let tags = "";
  // Of elements the worlds speak by events at the elements themselves: what else an event carries is told as the host where it
  // is in a shadow root. The page hears nothing of a type that it does not know.
  const secret = "gasoline-" + random() + random();
  const end = new End("up");
  waitForOffer(
    (target) => {
      end.connect(target, "down");
      listen(target, "flush", () => flush?.());
      listen(target, "close", () => (end.closed = true));
    },
    () => {
      end.say("secret", secret);
      if (tags !== "") end.say("tag", tags);
      opened?.();
    },
  );
  return {
    post: (json) => end.post(json),
    onMessage: (receive) => end.onMessage(receive),
    onOpen: (fn) => {
      opened = fn;
      if (end.open) fn();
    },
    onFlush: (fn) => (flush = fn),
    reopened: () => void end.say("reopened"),
    answer: (element, tell) =>
      listen(element, secret, () => {
        const told = tell();
        if (!told || !end.say("told", told.json)) return;
        const { nodes } = told;
        for (let i = 0; i < nodes.length; i++) dispatch(nodes[i], new NativeEvent(secret, bare({ composed: true })));
      }),
    tag: (name) => {
      if (!end.say("tag", name)) tags += tags === "" ? name : " " + name;
    },
  };
}

/** openContentSide starts the content script's end. open tells at once, and for good, whether the page's side is there. */
export function openContentSide(): ContentChannel {
  let hidden: (() => void) | undefined;
  let reopened: (() => void) | undefined;
  const tags: string[] = [];
  let secret = "";
  let told: string | undefined;
  const end = new End("down");
  makeOffer((target) => {
    end.connect(target, "up");
    listen(target, "secret", (event: Event) => (secret = String(detailOf(event))));
    listen(target, "tag", (event: Event) => void tags.push(...String(detailOf(event)).split(" ")));
    listen(target, "told", (event: Event) => (told = String(detailOf(event))));
    listen(target, "reopened", () => {
      attach(listen);
      reopened?.();
    });
  });
  const hide: Fn = () => {
    if (end.closed) return;
    end.say("flush");
    hidden?.();
  };
  const hideIfHidden: Fn = () => {
    if (document.visibilityState === "hidden") hide();
  };
  // pagehide, not unload: an unload listener would keep the page out of the back/forward cache.
  const attach = (change: typeof listen): void => {
    change(window, "pagehide", hide, true);
    change(document, "visibilitychange", hideIfHidden, true);
  };
  attach(listen);
  return {
    post: (json) => end.post(json),
    onMessage: (receive) => end.onMessage(receive),
    get open() {
      return end.open;
    },
    tags,
    about: (element) => {
      if (!end.open) return undefined;
      told = undefined;
      const nodes: Node[] = [];
      // The first is our own question.
      const name: Fn = (event: Event) => told !== undefined && nodes.push(event.composedPath()[0] as Node);
      listen(window, secret, name, true);
      dispatch(element, new NativeEvent(secret));
      unlisten(window, secret, name, true);
      return told === undefined ? undefined : { json: told, nodes };
    },
    flush: () => void end.say("flush"),
    onHide: (fn) => (hidden = fn),
    onReopened: (fn) => (reopened = fn),
    close: () => {
      end.say("close");
      end.closed = true;
      attach(unlisten as typeof listen);
    },
  };
}
