// A browser that speaks the extension's protocol and shows one page with one error. It answers
// screenshots, unless it is told to leave a command waiting.
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

// One red pixel.
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

export const ERROR = "the checkout has no total";

interface Command {
  id: string;
  correlation_id: string;
  kind: string;
}

export class Browser {
  waiting = false; // answer nothing
  readonly taken: Command[] = [];
  readonly cancelled: string[] = []; // ids of commands that the daemon had it cancel
  readonly #url: string;
  readonly #state: string;
  readonly #stop = new AbortController();
  #run: Promise<void> | undefined;
  #bearer: string | undefined; // of this run of the daemon

  constructor(port: number, state: string) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#state = state;
  }

  async ask(method: string, path: string, body?: unknown): Promise<ReturnType<typeof JSON.parse>> {
    this.#bearer ??= await this.#pair();
    return this.#fetch(method, path, this.#bearer, body);
  }

  /** Gets a key as the native messaging host does, and makes the bearer of it that this run of the daemon takes. */
  async #pair(): Promise<string> {
    const token = readFileSync(join(this.#state, "token"), "utf8").trim();
    const { key_id, key } = await this.#fetch("POST", "/pair/key", token, {
      session: "s1",
      name: "a browser of the test",
    });
    const { boot } = await this.#fetch("POST", "/prove", undefined, { nonce: randomBytes(32).toString("hex"), key_id });
    const mac = createHmac("sha256", new Uint8Array(Buffer.from(key, "hex")))
      .update(`gasoline 1 bearer\n${boot}`)
      .digest("hex");
    return `${key_id}.${mac}`;
  }

  async #fetch(
    method: string,
    path: string,
    bearer: string | undefined,
    body?: unknown,
  ): Promise<ReturnType<typeof JSON.parse>> {
    const res = await fetch(this.#url + path, {
      method,
      headers: {
        "content-type": "application/json",
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: this.#stop.signal,
    });
    const text = await res.text();
    if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${text}`);
    return text.startsWith("{") ? JSON.parse(text) : text;
  }

  async open(): Promise<void> {
    await this.#sync(true);
    this.#run = this.#serve();
  }

  async #sync(first: boolean): Promise<void> {
    const page_url = "http://localhost:3000/cart";
    const now = Date.now();
    await this.ask("POST", "/sync", {
      v: 1,
      session: "s1",
      version: "1",
      settings: { pilot: true, grants: ["http://localhost/*"] },
      tabs: [{ id: 5, url: page_url, title: "Shop", active: true, focused: true, granted: true, status: "complete" }],
      groups: first
        ? [
            {
              tab: 5,
              frame: 0,
              document: "d1",
              page_url,
              since: "document_start",
              exceptions: [{ seq: 1, t: now, mono: 1, type: "TypeError", message: ERROR, mechanism: "onerror" }],
            },
          ]
        : [],
    });
  }

  async #serve(): Promise<void> {
    let acks = "";
    let confirmed = "";
    while (!this.#stop.signal.aborted) {
      try {
        const poll = (await this.ask(
          "GET",
          `/pending-queries?session=s1&wait=5&ack=${acks}&cancelled=${confirmed}`,
        )) as {
          commands: Command[];
          cancel?: string[];
        };
        acks = poll.commands.map((c) => c.id).join(",");
        confirmed = (poll.cancel ?? []).join(",");
        this.cancelled.push(...(poll.cancel ?? []));
        for (const c of poll.commands) {
          if (c.kind === "flush") {
            // Nothing is held back.
            await this.ask("POST", "/query-result", {
              id: c.id,
              correlation_id: c.correlation_id,
              session: "s1",
              status: "complete",
              result: { frames: 1 },
            });
            continue;
          }
          this.taken.push(c);
          if (this.waiting || c.kind !== "screenshot") continue;
          await this.ask("POST", "/query-result", {
            id: c.id,
            correlation_id: c.correlation_id,
            session: "s1",
            status: "complete",
            result: {
              format: "png",
              data: PICTURE,
              width: 1,
              height: 1,
              url: "http://localhost:3000/cart",
              title: "Shop",
              route: "visible",
            },
          });
        }
        if (acks === "" && confirmed === "") await this.#sync(false);
      } catch (e) {
        if (!this.#stop.signal.aborted) throw e;
      }
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }
}
