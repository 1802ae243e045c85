import { apply, getter, listen, NativeWeakMap, weakGet, weakSet, type Fn } from "../natives.ts";
import { proxyConstructor, proxyMethod, type Stop } from "../patch.ts";
import type { Source } from "../realm.ts";
import { Connection, textMessage } from "./connection.ts";

const urlOf = getter<string>("EventSource", "url");
const readyState = getter<number>("EventSource", "readyState");
const dataOf = getter<unknown>("MessageEvent", "data");
const typeOf = getter<string>("Event", "type");

interface Stream {
  hear: Fn;
  /** names that we listen to */
  names: Record<string, true>;
}

/**
 * eventSourceSource records server-sent events. Named events only reach who asks for them by name, so it must know
 * which names the page asks for; addEventListener is patched for that when the page makes its first EventSource, so
 * that other pages keep the native one.
 */
export const eventSourceSource: Source = {
  name: "eventsource",
  start(realm, guard) {
    const streams = new NativeWeakMap<object, Stream>();
    let unpatchListen: Stop | undefined;
    const observe = (): void => {
      unpatchListen ??= proxyMethod(EventTarget.prototype, "addEventListener", (target, self, args) => {
        const stream = typeof self === "object" && self !== null ? (weakGet(streams, self) as Stream | undefined) : undefined;
        // Before the page's own, so that we hear an event even if the page stops it.
        if (stream && args.length > 1) guard.run(() => follow(self as object, stream, "" + (args[0] as string)));
        return apply(target, self, args);
      });
    };
    const unpatchClass = proxyConstructor(globalThis, "EventSource", (source) => {
      guard.run(() => {
        observe();
        const connection = new Connection(realm, "eventsource", urlOf(source));
        const hear = (event: Event): void =>
          void guard.run(() => {
            const data = dataOf(event);
            connection.message("incoming", textMessage(typeof data === "string" ? data : "", typeOf(event)));
          });
        const stream: Stream = {
          hear,
          names: { __proto__: null, open: true, error: true } as never,
        };
        weakSet(streams, source, stream);
        listen(source, "open", () => void guard.run(() => connection.event("open")));
        // It reconnects by itself after an error unless it is closed.
        listen(source, "error", () => void guard.run(() => connection.event(readyState(source) === 2 ? "close" : "error")));
        follow(source, stream, "message");
      });
    });
    return () => {
      unpatchClass();
      unpatchListen?.();
    };
  },
};

function follow(source: object, stream: Stream, name: string): void {
  if (stream.names[name]) return;
  stream.names[name] = true;
  listen(source, name, stream.hear);
}
