import { apply, getter, listen, NativeWeakMap, weakGet, weakSet } from "../natives.ts";
import { proxyConstructor, proxyMethod } from "../patch.ts";
import type { Source } from "../realm.ts";
import { Connection, textMessage, type Message } from "./connection.ts";
import { binarySize, textOf } from "./request.ts";

const urlOf = getter<string>("WebSocket", "url");
const readyState = getter<number>("WebSocket", "readyState");
const dataOf = getter<unknown>("MessageEvent", "data");
const codeOf = getter<number>("CloseEvent", "code");
const reasonOf = getter<string>("CloseEvent", "reason");

/** webSocketSource records what WebSockets of the page's thread say. Our listeners are the first on each instance. */
export const webSocketSource: Source = {
  name: "websocket",
  start(realm, guard) {
    const connections = new NativeWeakMap<object, Connection>();
    const unpatchClass = proxyConstructor(globalThis, "WebSocket", (socket) => {
      guard.run(() => {
        const connection = new Connection(realm, "websocket", urlOf(socket));
        weakSet(connections, socket, connection);
        const on = (name: string, hear: (event: Event) => void): void =>
          listen(socket, name, (event: Event) => {
            // What a script dispatches on its socket did not come over it.
            if (event.isTrusted) guard.run(() => hear(event));
          });
        on("open", () => connection.event("open"));
        on("message", (event) => connection.message("incoming", messageOf(dataOf(event))));
        on("error", () => connection.event("error"));
        on("close", (event) => connection.event("close", { code: codeOf(event), reason: reasonOf(event) }));
      });
    });
    const unpatchSend = proxyMethod(WebSocket.prototype, "send", (target, self, args) => {
      const result: unknown = apply(target, self, args);
      // After it: what the native refused (still connecting, wrong argument) was not sent.
      guard.run(() => {
        const connection =
          typeof self === "object" && self !== null
            ? (weakGet(connections, self) as Connection | undefined)
            : undefined;
        if (connection && args.length > 0 && readyState(self) === 1) connection.message("outgoing", messageOf(args[0]));
      });
      return result;
    });
    return () => {
      unpatchClass();
      unpatchSend();
    };
  },
};

function messageOf(data: unknown): Message {
  if (typeof data === "string") return textMessage(data);
  // The size of a Blob is known without reading it.
  const size = binarySize(data);
  if (size >= 0) return { type: "binary", size, data: undefined };
  // Another object was sent as what its toString said, which must not run twice.
  if ((typeof data === "object" && data !== null) || typeof data === "function")
    return { type: "text", size: -1, data: undefined };
  return textMessage(textOf(data));
}
