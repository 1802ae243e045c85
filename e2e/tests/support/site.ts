import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Socket } from "./socket.ts";

/** What a path of the site answers, when it is always the same. */
export interface Fixed {
  body?: string | Buffer;
  type?: string;
  status?: number;
  headers?: Record<string, string>;
  /** ms before the answer begins */
  delay?: number;
}

/** What a path of the site answers: HTML, a fixed answer, or whatever a function makes. */
export type Answer = string | Fixed | ((request: IncomingMessage, response: ServerResponse, body: string) => void);

/** One request that came. */
export interface Hit {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A site on this machine whose pages a test makes as it goes. 127.0.0.1 and localhost reach it, which are two sites to a browser. */
export class Site {
  readonly hits: Hit[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #sockets = new Map<string, (socket: Socket) => void>();
  readonly #server: Server;
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("upgrade", (request, stream) => {
      const opened = this.#sockets.get(pathOf(request));
      if (opened) opened(new Socket(stream, request));
      else stream.destroy();
    });
  }

  static async start(): Promise<Site> {
    const site = new Site();
    await new Promise<void>((done, fail) => site.#server.once("error", fail).listen(0, "127.0.0.1", done));
    site.#port = (site.#server.address() as AddressInfo).port;
    return site;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    this.#server.closeAllConnections();
    await closed;
  }

  get port(): number {
    return this.#port;
  }

  /** Makes a path and returns its URL. */
  page(path: string, answer: Answer): string {
    this.#answers.set(path, answer);
    return this.url(path);
  }

  /** Makes a path that answers JSON. */
  json(path: string, value: unknown, more: Fixed = {}): string {
    return this.page(path, { body: JSON.stringify(value), type: "application/json", ...more });
  }

  /** Makes a path that takes WebSockets. */
  sockets(path: string, opened: (socket: Socket) => void): void {
    this.#sockets.set(path, opened);
  }

  url(path: string, host = "127.0.0.1"): string {
    return `http://${host}:${this.#port}${path}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const part of request) body += part;
    this.hits.push({ method: request.method ?? "", url: request.url ?? "/", headers: request.headers, body });
    const answer = this.#answers.get(pathOf(request)) ?? { body: "not here", status: 404, type: "text/plain" };
    if (typeof answer === "function") return answer(request, response, body);
    const fixed = typeof answer === "string" ? { body: answer } : answer;
    const send = (): void => {
      response.writeHead(fixed.status ?? 200, {
        "content-type": fixed.type ?? "text/html; charset=utf-8",
        ...fixed.headers,
      });
      response.end(fixed.body ?? "");
    };
    if (fixed.delay) setTimeout(send, fixed.delay);
    else send();
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "/").replace(/[?#].*$/, "");
}
