import { apply, getter, listen, NativeWeakMap, weakGet, weakSet, type Fn } from "../natives.ts";
import { proxyConstructor, proxyMethod, type Stop } from "../patch.ts";
import type { Source } from "../realm.ts";
import { Connection, textMessage } from "./connection.ts";
import { textArgument } from "./request.ts";

const urlOf = getter<string>("EventSource", "url");
const readyState = getter<number>("EventSource", "readyState");
const dataOf = getter<unknown>("MessageEvent", "data");
const typeOf = getter<string>("Event", "type");

interface Stream {
  hear: Fn;
  /** records the end, once */
  close: (reason?: string) => void;
  closed: boolean;
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
        const stream =
          typeof self === "object" && self !== null ? (weakGet(streams, self) as Stream | undefined) : undefined;
        // Before the page's own, so that we hear an event even if the page stops it.
        if (stream && args.length > 1 && guard.idle) {
          const name = textArgument(args, 0);
          guard.run(() => follow(self as object, stream, name));
        }
        return apply(target, self, args);
      });
    };
    const unpatchClass = proxyConstructor(globalThis, "EventSource", (source) => {
      guard.run(() => {
        observe();
        const connection = new Connection(realm, "eventsource", urlOf(source));
        const on = (hear: (event: Event) => void) => (event: Event) => {
          // What a script dispatches on its stream did not come over it.
          if (event.isTrusted) guard.run(() => hear(event));
        };
        const hear = on((event) => {
          const data = dataOf(event);
          connection.message("incoming", textMessage(typeof data === "string" ? data : "", typeOf(event)));
        });
        let opened = false;
        const close = (reason?: string): void => {
          if (stream.closed) return;
          stream.closed = true;
          connection.event("close", { code: undefined, reason });
        };
        const stream: Stream = {
          hear,
          close,
          closed: false,
          names: { __proto__: null, open: true, error: true } as never,
        };
        weakSet(streams, source, stream);
        listen(
          source,
          "open",
          on(() => {
            opened = true;
            connection.event("open");
          }),
        );
        // It reconnects by itself after an error unless it is closed, which the platform does when the answer is none of 200
        // and text/event-stream; it tells the page nothing of that answer, and its timing neither.
        listen(
          source,
          "error",
          on(() =>
            readyState(source) === 2
              ? close("the answer was no event stream: an error, or another type, as of a login page")
              : connection.event("error", {
                  code: undefined,
                  reason: opened ? "the connection ended" : "it did not connect",
                }),
          ),
        );
        follow(source, stream, "message");
      });
    });
    const unpatchClose = proxyMethod(EventSource.prototype, "close", (target, self, args) => {
      const result: unknown = apply(target, self, args);
      const stream =
        typeof self === "object" && self !== null ? (weakGet(streams, self) as Stream | undefined) : undefined;
      if (stream) guard.run(() => stream.close());
      return result;
    });
    return () => {
      unpatchClass();
      unpatchClose();
      unpatchListen?.();
    };
  },
};

function follow(source: object, stream: Stream, name: string): void {
  if (stream.names[name]) return;
  stream.names[name] = true;
  listen(source, name, stream.hear);
}
