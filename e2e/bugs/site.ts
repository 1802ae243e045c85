import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Socket } from "../tests/support/socket.ts";
import type { Bug } from "./bug.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** What pages import from npm's packages, as one module each: /npm/NAME.js. */
const LIBRARIES: Record<string, string> = {
  react: `export * as React from "react"; export * as ReactDOM from "react-dom"; export { createRoot } from "react-dom/client";`,
  vue: `export * from "vue/dist/vue.esm-bundler.js";`,
  preact: `export * from "preact"; export * from "preact/hooks";`,
  lit: `export * from "lit";`,
};

const made = new Map<string, Promise<string>>();

/** The module of a library, in its form for development: that form tells of mistakes. */
function library(name: string): Promise<string> {
  const bundle = async (): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: LIBRARIES[name]!, resolveDir: root, loader: "js" },
      bundle: true,
      write: false,
      format: "esm",
      define: {
        "process.env.NODE_ENV": '"development"',
        __VUE_OPTIONS_API__: "true",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
      logLevel: "error",
    });
    return outputFiles[0]!.text;
  };
  if (!made.has(name)) made.set(name, bundle());
  return made.get(name)!;
}

/** Serves one application at an origin of its own; its files can be swapped while it runs. */
export class BugSite {
  /** What was answered to which file, by its path. */
  readonly served = new Map<string, string>();
  readonly #turns = new Map<string, number>();
  readonly #listeners = new Set<ServerResponse>();
  readonly #server: Server;
  #files: ReadonlyMap<string, string>;

  private constructor(private readonly bug: Bug) {
    this.#files = bug.files;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("upgrade", (request, stream) => {
      const said = this.#files.get(`WS ${pathOf(request)}`);
      if (said === undefined) return stream.destroy();
      const lines = said.split("\n").filter(Boolean);
      const socket = new Socket(stream, request);
      const next = (): void => {
        const line = lines.shift();
        const [, code, reason] = /^close (\d+) (.*)$/.exec(line ?? "") ?? [];
        if (code) socket.close(Number(code), reason!);
        else if (line !== undefined) socket.send(line);
      };
      socket.onText = next;
      next();
    });
  }

  static async start(bug: Bug): Promise<BugSite> {
    const site = new BugSite(bug);
    await new Promise<void>((done, fail) => site.#server.once("error", fail).listen(0, "127.0.0.1", done));
    return site;
  }

  /** Where it is. localhost reaches it, too: another origin. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves other files from now on. A page that listens is told which ones changed. */
  swap(files: ReadonlyMap<string, string>, changed: string[] = []): void {
    this.#files = files;
    for (const listener of this.#listeners)
      for (const path of changed) listener.write(`data: ${JSON.stringify({ path, t: this.#turns.size })}\n\n`);
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let sent = request.url ?? "";
    for await (const part of request) sent += part;
    const path = pathOf(request);
    const route = `${request.method} ${path}`;
    const headers = this.bug.headers.get(path) ?? {};
    const answers = [...this.#files].filter(([key]) => key === route || key.startsWith(`${route} `));
    const fit = answers.find(([, text]) => sent.includes(/^.* if (.+)/.exec(text)?.[1] ?? "\0"));
    if (fit) return routed(fit[1], headers, response);
    const turns = answers.filter(([, text]) => !/^.* if /.test(text));
    if (turns.length > 0) {
      // After the last answer the first one comes again, where the archive says how often something is tried.
      const n = this.#turns.get(route) ?? 0;
      this.#turns.set(route, n + 1);
      return routed(
        turns[this.bug.times > 1 ? n % turns.length : Math.min(n, turns.length - 1)]![1],
        headers,
        response,
      );
    }
    if (path === "/hot") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("\n");
      this.#listeners.add(response.once("close", () => this.#listeners.delete(response)));
      return;
    }
    const name = /^\/npm\/(\w+)\.js$/.exec(path)?.[1];
    const file = path === "/" ? "index.html" : path.slice(1);
    // Paths of an application that routes by itself lead to its page.
    const shown = this.#files.has(file) || extname(file) !== "" ? file : "index.html";
    const reads = request.method === "GET" || request.method === "HEAD";
    const text = !reads ? undefined : name && LIBRARIES[name] ? await library(name) : this.#files.get(shown);
    const api = path.startsWith("/api/");
    if (text === undefined || (api && shown !== file))
      return void response.writeHead(404, { "content-type": "text/plain", ...headers }).end("not here");
    if (!name) this.served.set(shown, text);
    const type = TYPES[extname(name ? path : shown)] ?? "text/plain";
    const start = type.startsWith("text/html")
      ? `<!doctype html><html lang=en><meta charset=utf-8><link rel=icon href="data:,">\n`
      : "";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...headers }).end(start + text);
  }
}

/** Sends what a route says: a line with the status and what else matters, then the body. */
function routed(text: string, headers: Record<string, string>, response: ServerResponse): void {
  const [line = "", ...body] = text.split("\n");
  const [status = "200", ...words] = line.split(" ");
  const said = (word: string): string | undefined => words[words.indexOf(word) + 1 || words.length];
  const send = (): void => {
    if (status === "drop") return void response.destroy();
    const type = words.includes("html") ? "text/html" : words.includes("text") ? "text/plain" : "application/json";
    response
      .writeHead(Number(status), { "content-type": type, "cache-control": "no-store", ...headers })
      .end(body.join("\n").trim());
  };
  setTimeout(send, Number(said("after") ?? 0));
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "/").replace(/[?#].*$/, "");
}
