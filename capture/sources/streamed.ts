import type { Guard } from "../guard.ts";
import {
  byteLength,
  charCode,
  getter,
  indexOf,
  later,
  listen,
  lower,
  prefix,
  slice,
  unlisten,
  viewLength,
} from "../natives.ts";
import type { Realm } from "../realm.ts";
import { redactBody } from "../redact.ts";
import { overhear, type Ending } from "./body-stream.ts";
import { Connection, textMessage } from "./connection.ts";
import { bytesIn, charsetOf, decode, decoderFor, essence, firstBytes } from "./content.ts";
import { report, type Call, type End } from "./exchange.ts";
import { isA } from "./request.ts";

const reasonOf = getter<unknown>("AbortSignal", "reason");

/** What is told of a request whose body comes piece by piece, once it is known. */
const soon = 300;

/**
 * streamedBody records a body that comes piece by piece, as far as the page reads it: its messages, and the exchange at its
 * true end. One that goes on is told before, with the note "streaming" and no end; one that the page does not read is
 * "unread". failure says how an error ended the call.
 */
export function streamedBody(
  realm: Realm,
  guard: Guard,
  call: Call & { signal: unknown },
  end: End,
  response: object,
  contentType: string,
  failure: (error: unknown) => End,
): void {
  const signal = isA(call.signal, "AbortSignal") ? call.signal : undefined;
  const { bodies, bodyLimit, salt } = realm.config;
  const connection = bodies ? new Connection(realm, "fetch", end.url || call.url) : undefined;
  const reader = connection ? new Pieces(contentType, bodyLimit, connection) : undefined;
  let size = 0;
  let read = false;
  let told = "";
  let over = false;
  const tell = (note: string): void => {
    if (told === note) return;
    told = note;
    report(realm, call, { ...end, body: { size: -1, note: bodies ? note : "off" } });
  };
  const finish = (how: Ending, error?: unknown): void => {
    if (over) return;
    over = true;
    if (signal) unlisten(signal, "abort", aborted);
    reader?.end();
    const last = ending(how, failure(error), end);
    if (read) connection?.event("close", { code: undefined, reason: last.error || "it ended" });
    const text = reader?.head;
    const ended = how === "ended";
    report(realm, call, {
      ...end,
      ...last,
      body: bodies
        ? {
            text: text === undefined || text === "" ? undefined : redactBody(text, contentType, salt),
            size: ended ? size : -1,
            note: reader?.cut || !ended ? "truncated" : reader?.binary ? "binary" : undefined,
          }
        : { size: ended ? size : -1, note: "off" },
    });
  };
  // The page may abort while nothing of it reads.
  const aborted = (): void => void guard.run(() => finish("failed", reasonOf(signal)));
  if (signal) listen(signal, "abort", aborted);
  overhear(
    response,
    guard,
    {
      begin: () => {
        read = true;
        connection?.event("open");
        if (told !== "") tell("streaming");
      },
      piece: (bytes) => {
        const all = bytesIn(bytes, 1 << 30);
        if (!all) return;
        size += viewLength(all);
        reader?.take(all);
      },
      text: (whole) => {
        const length = byteLength(whole);
        size = length < 0 ? -1 : size + length;
        reader?.text(whole);
      },
      end: finish,
    },
    true,
  );
  later(() => {
    if (!over) guard.run(() => tell(read ? "streaming" : "unread"));
  }, soon);
}

/** ending says how a call ends whose body the page read so far; failed how an error ends it. */
export function ending(how: Ending, failed: End, end: End): End {
  if (how === "failed") return failed;
  return how === "stopped"
    ? { outcome: "aborted", error: "the page stopped reading" }
    : { outcome: end.outcome, error: end.error ?? "" };
}

/** A line that does not end is kept up to here. */
const maxLine = 65_536;

/** Pieces makes messages of what comes: events of server-sent events, lines of JSON lines, pieces of all else. */
class Pieces {
  /** the beginning of the body, ≤ limit characters */
  head = "";
  cut = false;
  binary = false;
  readonly #decoder: object;
  readonly #kind: "events" | "lines" | "pieces";
  readonly #limit: number;
  readonly #connection: Connection;
  #line = "";
  #dropped = 0;
  #event = "";
  #data: string | undefined;
  #wasReturn = false;

  constructor(contentType: string, limit: number, connection: Connection) {
    const type = essence(contentType);
    this.#kind =
      type === "text/event-stream"
        ? "events"
        : indexOf(type, "json") >= 0 && indexOf(lower(type), "grpc") < 0
          ? "lines"
          : "pieces";
    this.binary = this.#kind === "pieces";
    this.#decoder = decoderFor(this.#kind === "events" ? "utf-8" : charsetOf(contentType));
    this.#limit = limit;
    this.#connection = connection;
  }

  take(bytes: Uint8Array): void {
    if (this.#kind === "pieces") {
      this.#connection.message("incoming", { type: "binary", size: viewLength(bytes), data: undefined });
      return;
    }
    // A piece of many megabytes is looked at in parts.
    this.text(decode(this.#decoder, viewLength(bytes) > maxPiece ? firstBytes(bytes, maxPiece) : bytes));
    if (viewLength(bytes) > maxPiece) this.cut = true;
  }

  text(text: string): void {
    const room = this.#limit - this.head.length;
    if (text.length > room) this.cut = true;
    if (room > 0) this.head += prefix(text, room);
    for (let from = 0; from < text.length;) {
      if (this.#wasReturn && text[from] === "\n") from++;
      this.#wasReturn = false;
      let to = from;
      while (to < text.length && charCode(text, to) !== 10 && charCode(text, to) !== 13) to++;
      this.#add(slice(text, from, to));
      if (to === text.length) return;
      this.#wasReturn = charCode(text, to) === 13;
      this.#ended();
      from = to + 1;
    }
  }

  /** end tells what came of a message that did not end. */
  end(): void {
    if (this.#kind === "pieces") return;
    const rest = decode(this.#decoder);
    if (rest !== "") this.text(rest);
    if (this.#line !== "") this.#ended();
    if (this.#kind === "events") this.#fire();
  }

  #add(part: string): void {
    const room = maxLine - this.#line.length;
    if (part.length <= room) this.#line += part;
    else {
      this.#line += prefix(part, room);
      this.#dropped += part.length - room;
      this.cut = true;
    }
  }

  #ended(): void {
    const line = this.#line;
    this.#line = "";
    if (this.#kind === "lines") {
      const text = charCode(line, 0) === 0x1e ? slice(line, 1) : line; // a record separator of JSON text sequences
      if (text !== "") this.#tell(text, "text");
      return;
    }
    if (line === "") return this.#fire();
    const colon = indexOf(line, ":");
    if (colon === 0) return; // a comment
    const name = colon < 0 ? line : slice(line, 0, colon);
    const value = colon < 0 ? "" : slice(line, line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") this.#event = value;
    else if (name === "data") {
      const before = this.#data;
      this.#data = before === undefined ? value : prefix(before + "\n" + value, maxLine);
    }
  }

  #fire(): void {
    if (this.#data !== undefined) this.#tell(this.#data, this.#event || "message");
    this.#event = "";
    this.#data = undefined;
  }

  #tell(text: string, type: string): void {
    const message = textMessage(text, type);
    if (this.#dropped > 0 && message.size >= 0) message.size += this.#dropped;
    this.#dropped = 0;
    this.#connection.message("incoming", message);
  }
}

const maxPiece = 1 << 20;
