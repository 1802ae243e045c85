import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** The server's end of a WebSocket: text frames of at most 64 KiB, enough for a test's site. */
export class Socket {
  /** Called with each text that came. */
  onText: (text: string) => void = () => {};
  #left = "";

  constructor(
    private readonly stream: Duplex,
    request: IncomingMessage,
  ) {
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    stream.on("error", () => stream.destroy());
    stream.on("data", (data: Buffer) => this.#read(data));
  }

  send(text: string): void {
    this.#write(0x1, Buffer.from(text));
  }

  /** Closes with a code and a reason. */
  close(code: number, reason: string): void {
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    this.#write(0x8, payload);
    this.stream.end();
  }

  #write(opcode: number, payload: Buffer): void {
    const { length } = payload;
    this.stream.write(
      Buffer.from(length < 126 ? [0x80 | opcode, length] : [0x80 | opcode, 126, length >> 8, length & 255]),
    );
    this.stream.write(payload);
  }

  #read(data: Buffer): void {
    this.#left += data.toString("latin1"); // a character for each byte
    for (;;) {
      const left = this.#left;
      const at = (i: number): number => left.charCodeAt(i);
      if (left.length < 6) return;
      const short = at(1) & 127;
      const head = short === 126 ? 4 : 2;
      const end = head + 4 + (short === 126 ? (at(2) << 8) | at(3) : short);
      if (left.length < end) return;
      // Browsers mask every frame.
      const payload = Buffer.from(
        Array.from({ length: end - head - 4 }, (_, i) => at(head + 4 + i) ^ at(head + (i & 3))),
      );
      this.#left = left.slice(end);
      const opcode = at(0) & 15;
      if (opcode === 0x1) this.onText(payload.toString());
      if (opcode === 0x8) this.stream.end();
    }
  }
}
