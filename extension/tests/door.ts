import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";

/** Who answers at a door. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A port of this machine that is held while the tests of one Playwright worker run: given back, it may be another
 * program's. Who is in answers; while nobody is, every connection is reset, which to a browser is a port where nobody listens.
 */
export class Door {
  readonly port: number;
  /** The key of the browsers that a native host gives it to; whoever comes in here first knows it. */
  readonly key = { id: randomBytes(8).toString("hex"), key: randomBytes(32) };
  readonly #server: Server;
  #answer: Answer | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (socket) => {
      if (!this.#answer) socket.resetAndDestroy();
    });
    server.on("request", (request, response) => this.#answer?.(request, response));
  }

  static async open(): Promise<Door> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Door(server);
  }

  /** Lets somebody in where nobody is. */
  enter(answer: Answer): void {
    if (this.#answer) throw new Error(`somebody answers on port ${this.port} already`);
    this.#answer = answer;
  }

  /** Who is in goes at once: what is under way is cut, as by a crash. */
  leave(): void {
    this.#answer = undefined;
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.leave();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
