import { type IncomingHttpHeaders, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a path of the site answers. */
export interface Page {
  body: string | Buffer;
  type?: string;
  status?: number;
  headers?: Record<string, string>;
  /** ms before the answer begins */
  delay?: number;
  /** ms between the answer's headers and its body */
  pause?: number;
  /** the answer goes on after the body, until the site stops */
  endless?: boolean;
}

/** A site on this machine whose pages a test makes as it goes. Both 127.0.0.1 and localhost reach it. */
export class Site {
  readonly #pages = new Map<string, Page>();
  readonly hits: string[] = [];
  /** Every request as it came, with the headers that Chrome's network stack sent. */
  readonly requests: { method: string; url: string; headers: IncomingHttpHeaders }[] = [];
  #server: Server | undefined;
  #port = 0;

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const path = (request.url ?? "/").replace(/[?#].*$/, "");
      this.hits.push(request.url ?? "/");
      this.requests.push({ method: request.method ?? "", url: request.url ?? "/", headers: request.headers });
      const page = this.#pages.get(path) ?? { body: "not here", status: 404, type: "text/plain" };
      setTimeout(() => {
        response.writeHead(page.status ?? 200, {
          "Content-Type": page.type ?? "text/html; charset=utf-8",
          ...page.headers,
        });
        if (page.pause) {
          response.flushHeaders();
          setTimeout(() => response.end(page.body), page.pause);
        } else if (page.endless) response.write(page.body);
        else response.end(page.body);
      }, page.delay ?? 0);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  /** Makes a page at a path and returns its URL. */
  page(path: string, page: string | Page): string {
    this.#pages.set(path, typeof page === "string" ? { body: page } : page);
    return this.url(path);
  }

  /** The URL of a path, by the name of the host. */
  url(path: string, host: "127.0.0.1" | "localhost" = "127.0.0.1"): string {
    return `http://${host}:${this.#port}${path}`;
  }
}
