import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** Streamed is what the server knows of an endless answer. */
export interface Streamed {
  sent: number;
  closed: boolean;
}

/** TestServer serves the pages and answers of the tests on 127.0.0.1, port 0. */
export class TestServer {
  /** by path and query: pages that a test set */
  readonly pages = new Map<string, { html: string; headers?: Record<string, string> }>();
  readonly streams = new Map<string, Streamed>();
  /** What the last piece of /chat waits for, by its query. */
  readonly lastPiece = new Map<string, Promise<unknown>>();
  readonly seen: {
    method: string;
    url: string;
    headers: IncomingMessage["headers"];
    body: string;
  }[] = [];
  origin = "";
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  /** connections of answers that stopped in the middle */
  private readonly half: Socket[] = [];

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.on("upgrade", (request, socket) => this.upgrade(request, socket as Socket));
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((ready) => this.server.listen(0, "127.0.0.1", ready));
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  /** page sets a page and gives its URL. */
  page(html: string, headers?: Record<string, string>): string {
    const path = `/page/${this.pages.size}`;
    this.pages.set(path, headers ? { html, headers } : { html });
    return this.origin + path;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.origin);
    const body = await text(request);
    this.seen.push({
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body,
    });
    const page = this.pages.get(url.pathname);
    if (page) return send(response, 200, "text/html; charset=utf-8", page.html, page.headers);
    const name = url.searchParams.get("name") ?? "";
    const size = Number(url.searchParams.get("size") ?? 0);
    switch (url.pathname) {
      case "/json":
        return send(response, 200, "application/json", JSON.stringify({ items: [1, 2], password: "hunter2" }));
      case "/text":
        return send(response, 200, "text/plain; charset=utf-8", size ? "x".repeat(size) : "hello");
      case "/gzip":
        return send(response, 200, "text/plain", new Uint8Array(gzipSync("z".repeat(size))), {
          "content-encoding": "gzip",
        });
      case "/latin1":
        return send(response, 200, "text/plain; charset=iso-8859-1", new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
      case "/binary":
        return send(response, 200, "application/octet-stream", new Uint8Array(size || 1000));
      case "/status":
        return send(response, Number(url.searchParams.get("code")), "text/plain", "no luck");
      case "/typed": {
        // The answer's bytes and type are the request's: ?type=…&hex=… or &text=…
        const hex = url.searchParams.get("hex");
        const bytes = hex ? Buffer.from(hex, "hex") : Buffer.from(url.searchParams.get("text") ?? "");
        const type = url.searchParams.get("type") ?? "";
        const code = Number(url.searchParams.get("code") ?? 200);
        response.writeHead(code, {
          "content-length": bytes.length,
          ...(type === "" ? {} : { "content-type": type }),
        });
        response.end(bytes);
        return;
      }
      case "/empty":
        response.writeHead(204).end();
        return;
      case "/redirect":
        response.writeHead(302, { location: "/json" }).end();
        return;
      case "/echo":
        return send(
          response,
          200,
          "application/json",
          JSON.stringify({ method: request.method, headers: request.headers, body }),
        );
      case "/broken":
        response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" });
        response.write("half");
        this.half.push(request.socket);
        return;
      case "/break":
        for (const socket of this.half.splice(0)) socket.destroy();
        return send(response, 200, "text/plain", "broken");
      case "/refused":
        request.socket.destroy();
        return;
      case "/hang":
        return; // answered by nobody
      case "/endless":
        return this.endless(response, name, url.searchParams.get("type") ?? "application/json");
      case "/drip":
        // Two chunks with a pause that a test decides by what it waits for.
        response.writeHead(200, { "content-type": "text/plain" });
        response.write("first,");
        setTimeout(() => response.end("second"), 200);
        return;
      case "/dictated": {
        // Three pieces at once, then one every 50 ms until nobody listens.
        const state: Streamed = { sent: 0, closed: false };
        this.streams.set(name, state);
        response.writeHead(200, { "content-type": url.searchParams.get("type") ?? "text/plain" });
        const piece = () => `data: word ${state.sent++}\n\n`;
        response.write(piece() + piece() + piece());
        const timer = setInterval(() => response.write(piece()), 50);
        response.on("close", () => {
          clearInterval(timer);
          state.closed = true;
        });
        return;
      }
      case "/chat": {
        // Three pieces and an end, which ?how= tells: an event that says what failed, or a connection that breaks.
        response.writeHead(200, { "content-type": url.searchParams.get("type") ?? "text/event-stream" });
        const how = url.searchParams.get("how");
        const pieces = ['data: {"delta":"tok1"}\n\nda', 'ta: {"delta":"tok2 \u{1f600}"}\r\n\r\n', ": note\n"];
        for (const piece of pieces) {
          response.write(piece);
          await new Promise((next) => setTimeout(next, 150));
        }
        await this.lastPiece.get(url.search)?.catch(() => undefined);
        if (how === "broken") request.socket.destroy();
        else response.end('event: error\ndata: {"error":\ndata: "Model overloaded"}\n\n');
        return;
      }
      case "/sse":
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: plain\n\nevent: tick\ndata: 1\n\nevent: tick\ndata: 2\n\nevent: unheard\ndata: x\n\n");
        return;
      case "/worker.js":
        return send(
          response,
          200,
          "text/javascript",
          "onmessage = () => { throw new TypeError('inside the worker') }; postMessage('up')",
        );
      case "/error.js":
        return send(response, 200, "text/javascript", "throw new Error('secret of another origin')");
      default:
        return send(response, 404, "text/plain", "not here");
    }
  }

  private endless(response: ServerResponse, name: string, type: string): void {
    const state: Streamed = { sent: 0, closed: false };
    this.streams.set(name, state);
    response.writeHead(200, { "content-type": type });
    const chunk = new Uint8Array(65_536).fill(97);
    const more = (): void => {
      while (!state.closed && response.write(chunk)) state.sent += chunk.length;
    };
    response.on("drain", more);
    response.on("close", () => (state.closed = true));
    more();
  }

  /** A WebSocket server that is enough for tests: echo, and on demand later or not at all, a flood, binary, or a close with a reason. */
  private upgrade(request: IncomingMessage, socket: Socket): void {
    const key = request.headers["sec-websocket-key"] ?? "";
    const accept = createHash("sha1")
      .update(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
      .digest("base64");
    if (request.url?.startsWith("/ws-refused")) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    let waiting: Uint8Array = new Uint8Array(0);
    socket.on("error", () => {});
    socket.on("data", (data: Uint8Array) => {
      waiting = joined(waiting, data);
      for (;;) {
        const frame = unframe(waiting);
        if (!frame) return;
        waiting = waiting.slice(frame.length);
        if (frame.opcode === 8) return void socket.end(framed(8, frame.payload));
        const said = new TextDecoder().decode(frame.payload);
        if (frame.opcode === 1 && said.startsWith("flood ")) {
          for (let i = 0; i < Number(said.slice(6)); i++) socket.write(framed(1, bytes("m" + i)));
        } else if (frame.opcode === 1 && said.startsWith("after ")) {
          setTimeout(() => socket.write(framed(1, bytes(said))), Number(said.slice(6)));
        } else if (frame.opcode === 1 && said === "no answer") {
          continue;
        } else if (frame.opcode === 1 && said === "bye") {
          socket.end(framed(8, joined(new Uint8Array([0x0f, 0xa0]), bytes("enough"))));
        } else {
          socket.write(framed(frame.opcode, frame.payload));
        }
      }
    });
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function joined(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return new TextDecoder().decode(joined(...chunks));
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers?: Record<string, string>,
): void {
  const data = typeof body === "string" ? bytes(body) : body;
  response.writeHead(status, { "content-type": type, "content-length": data.length, ...headers });
  response.end(data);
}

function framed(opcode: number, payload: Uint8Array): Uint8Array {
  const length = payload.length;
  const head = length < 126 ? [0x80 | opcode, length] : [0x80 | opcode, 126, length >> 8, length & 255];
  return joined(new Uint8Array(head), payload);
}

function unframe(data: Uint8Array): { opcode: number; payload: Uint8Array; length: number } | undefined {
  if (data.length < 6) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let size = data[1]! & 127;
  let at = 2;
  if (size === 126) {
    size = view.getUint16(2);
    at = 4;
  } else if (size === 127) {
    size = Number(view.getBigUint64(2));
    at = 10;
  }
  if (data.length < at + 4 + size) return undefined;
  const mask = data.slice(at, at + 4);
  const payload = data.slice(at + 4, at + 4 + size).map((byte, i) => byte ^ mask[i & 3]!);
  return { opcode: data[0]! & 15, payload, length: at + 4 + size };
}
