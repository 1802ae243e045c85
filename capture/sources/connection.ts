import { byteLength, cancelLater, later, now, prefix } from "../natives.ts";
import type { EventFor } from "../record.ts";
import type { Realm } from "../realm.ts";
import { nextId } from "./exchange.ts";
import { shownURL } from "./request.ts";

/** Message is what is known of one message. Size is in bytes. */
export interface Message {
  /** text, binary, or an SSE event's name */
  type: string;
  size: number;
  /** of a text message, uncut */
  data: string | undefined;
}

const maxData = 4096;
/** Up to this many messages a second are recorded one by one. */
const maxRate = 20;

/** fetch is the body of a fetch that comes piece by piece. */
type Protocol = "websocket" | "eventsource" | "fetch";

type Recorded = EventFor<"websocket">;

/**
 * Connection records the messages of one socket or event stream. Above 20 messages a second it counts: after each
 * second the last message is recorded with how many were skipped. Each, recorded or not, has its place in `order`.
 */
export class Connection {
  readonly #realm: Realm;
  readonly #protocol: Protocol;
  readonly #id = nextId();
  readonly #url: string;
  #order = 0;
  #since = 0;
  #inWindow = 0;
  #skipped = 0;
  #last: Recorded | undefined;
  #timer: number | undefined;

  constructor(realm: Realm, protocol: Protocol, url: string) {
    this.#realm = realm;
    this.#protocol = protocol;
    this.#url = shownURL(url, realm.config);
  }

  /** event records open, close and error. What was being counted is told first, so that order is kept. */
  event(event: string, more?: { code: number | undefined; reason: string | undefined }): void {
    this.#tell();
    const recorded = this.#record(event, undefined, undefined);
    this.#realm.emit(
      "websocket",
      { ...recorded, code: more?.code, reason: more?.reason ? prefix(more.reason, 200) : undefined },
      event === "error",
    );
  }

  /** message records or counts one message. */
  message(direction: "incoming" | "outgoing", message: Message): void {
    const { scope } = this.#realm;
    if (direction === "outgoing") scope?.sent(this, this.#url);
    else scope?.heard(this);
    const at = now();
    if (at - this.#since >= 1000) {
      this.#tell();
      this.#since = at;
      this.#inWindow = 0;
    }
    const recorded = this.#record("message", direction, message);
    if (++this.#inWindow <= maxRate) return this.#realm.emit("websocket", recorded);
    this.#skipped++;
    this.#last = recorded;
    this.#timer ??= later(() => this.#tell(), 1000);
  }

  #tell(): void {
    if (this.#timer !== undefined) cancelLater(this.#timer);
    this.#timer = undefined;
    const last = this.#last;
    if (!last) return;
    const seconds = (now() - this.#since) / 1000;
    const rate = round(this.#inWindow / (seconds > 0.001 ? seconds : 0.001));
    this.#realm.emit("websocket", { ...last, skipped: this.#skipped - 1, rate, flags: ["sampled"] });
    this.#last = undefined;
    this.#skipped = 0;
  }

  #record(event: string, direction: "incoming" | "outgoing" | undefined, message: Message | undefined): Recorded {
    const { t, mono } = this.#realm.at();
    const data = message?.data;
    const cut = data !== undefined && data.length > maxData;
    return {
      t,
      mono,
      connection: this.#id,
      protocol: this.#protocol,
      url: this.#url,
      event,
      direction,
      order: ++this.#order,
      type: message?.type,
      size: message?.size ?? 0,
      data: data === undefined ? undefined : prefix(data, maxData),
      flags: cut ? ["truncated"] : undefined,
    };
  }
}

const round = Math.round;

/** textMessage describes a text message. */
export function textMessage(data: string, type = "text"): Message {
  return { type, size: byteLength(data), data };
}
