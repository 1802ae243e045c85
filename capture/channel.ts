import { append, bare, dispatch, getter, listen, stopImmediate, unlisten, type Fn } from "./natives.ts";

/** Channel carries JSON text between the page's world and the content script's, synchronously, unseen by the page. */
export interface Channel {
  /** post hands text over. False: the other side is not there yet and nothing was kept. */
  post(json: string): boolean;
  /** onMessage sets who receives the other side's text; one receiver. */
  onMessage(receive: (json: string) => void): void;
  /** onOpen is called once both sides are connected, at once if they are. */
  onOpen(opened: () => void): void;
  readonly open: boolean;
}

/** PageChannel is the end in the page's world. After the content side closed, post swallows what it is given. */
export interface PageChannel extends Channel {
  /** onFlush is called when the content side wants everything now: the page is going away. */
  onFlush(flush: () => void): void;
  /** reopened tells the content side that document.open() took its listeners away. */
  reopened(): void;
}

/** ContentChannel is the end in the content script's world. */
export interface ContentChannel extends Channel {
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
const relatedTarget = getter<EventTarget | null>("FocusEvent", "relatedTarget");
const detailOf = getter<unknown>("CustomEvent", "detail");

/**
 * connect finds the other side, whichever starts first. Each side offers a private EventTarget in the relatedTarget of
 * a FocusEvent on window: both worlds then hold wrappers of the same object. The first one's offer finds nobody, so it
 * waits; the second one's offer is taken and answered before it returns. Works where origins are opaque, where
 * postMessage cannot be used.
 */
function connect(connected: (target: EventTarget) => void, opened: () => void): void {
  const own = new NativeEventTarget();
  let done = false;
  listen(own, "taken", () => {
    if (done) return;
    done = true;
    connected(own);
    opened();
  });
  dispatch(window, new NativeFocusEvent(offer, bare({ relatedTarget: own })));
  if (done) return;
  const take = (event: Event): void => {
    const offered = relatedTarget(event);
    if (!offered) return;
    stopImmediate(event);
    unlisten(window, offer, take, true);
    connected(offered);
    dispatch(offered, new NativeCustomEvent("taken"));
    // Only now does the other side listen.
    opened();
  };
  listen(window, offer, take, true);
}

/** End is one side's view of the shared target: what it says and what it hears are told apart by event type. */
class End {
  target: EventTarget | undefined;
  closed = false;
  private receive: ((json: string) => void) | undefined;
  /** what came before there was a receiver: the other side may speak within our own start */
  private readonly early: string[] = [];
  private opened: (() => void) | undefined;
  private readonly says: string;

  constructor(says: string, hears: string, also: (target: EventTarget) => void) {
    this.says = says;
    connect(
      (target) => {
        this.target = target;
        listen(target, hears, (event: Event) => {
          const json = detailOf(event);
          if (typeof json !== "string") return;
          if (this.receive) this.receive(json);
          else if (this.early.length < maxEarly) append(this.early, json);
        });
        also(target);
      },
      () => this.opened?.(),
    );
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
    return this.say(this.says, json);
  }

  onMessage(receive: (json: string) => void): void {
    this.receive = receive;
    for (let i = 0; i < this.early.length; i++) receive(this.early[i]!);
    this.early.length = 0;
  }

  onOpen(opened: () => void): void {
    this.opened = opened;
    if (this.open) opened();
  }
}

/** openPageSide starts the page's end. Call it at document_start, before any script of the page. */
export function openPageSide(): PageChannel {
  let flush: (() => void) | undefined;
  const end = new End("up", "down", (target) => {
    listen(target, "flush", () => flush?.());
    listen(target, "close", () => (end.closed = true));
  });
  return {
    post: (json) => end.post(json),
    onMessage: (receive) => end.onMessage(receive),
    onOpen: (opened) => end.onOpen(opened),
    get open() {
      return end.open;
    },
    onFlush: (fn) => (flush = fn),
    reopened: () => void end.say("reopened"),
  };
}

/** openContentSide starts the content script's end. */
export function openContentSide(): ContentChannel {
  let hidden: (() => void) | undefined;
  let reopened: (() => void) | undefined;
  const end = new End("down", "up", (target) => {
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
    onOpen: (opened) => end.onOpen(opened),
    get open() {
      return end.open;
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
