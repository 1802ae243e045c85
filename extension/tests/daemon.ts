import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import type { CommandKind, Commands } from "@gasoline/schema/commands";
import type {
  Agent,
  Command,
  ExtensionSettings,
  Film,
  Group,
  PairAnswer,
  PairProof,
  Problem,
  ProveAnswer,
  ProveRequest,
  Result,
  Sync,
  SyncAnswer,
  Tab,
  Tracking,
  TrackingAnswer,
} from "@gasoline/schema/wire";
import type { Door } from "./door.ts";

interface Held {
  session: string;
  answer: (commands: Command[], cancel: string[]) => void;
}

/** To which tab a command is sent, for how long, and for which site. */
interface Sent {
  tab?: number;
  timeoutMS?: number;
  site?: string;
}

/**
 * Stands in for the daemon: the part of the protocol that the extension speaks, with everything it
 * said kept for the test to look at. The events of a document count once, as in the real one.
 */
export class FakeDaemon {
  /** The keys of the browsers that are paired, by id. */
  readonly keys: Map<string, Buffer>;
  /** The code that it made, as "gasoline pair" does; "" while there is none. */
  code = "";
  boot = randomBytes(32).toString("hex");
  /** It is a stranger: it says yes to everything and knows no key. */
  forges = false;
  /** What every request but a challenge is answered, instead of what it asks for. */
  refusal: { status: number; code: string; message: string; fix: string } | undefined;
  /** How long it takes to answer an upload. */
  uploadMS = 0;
  readonly requests: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  readonly syncs: Sync[] = [];
  /** Batches of films. */
  readonly films: Film[] = [];
  /** What it answers to them. */
  filmEnded: string | undefined;
  readonly results = new Map<string, Result>();
  settings: ExtensionSettings | undefined;
  tabs: Tab[] = [];
  /** The agents that are there; what the user chooses changes their tabs. */
  agents: Agent[] = [];
  /** The server whose pages are shown without their policy. */
  insecure = "";
  run = randomUUID();
  readonly #door: Door;
  #up = false;
  #groups = new Map<string, Group>();
  #seen = new Set<string>();
  #pending: { command: Command; leased: number }[] = [];
  #cancels: string[] = []; // ids that the next poll is told
  readonly taken = new Set<string>(); // ids that the extension acknowledged
  readonly cancelled = new Set<string>(); // ids that the extension confirmed
  #held: Held[] = [];
  #watchers = new Set<() => void>();
  #id = 0;

  /** Its port is the door's. It knows the key that a native host hands over. */
  constructor(door: Door) {
    this.#door = door;
    this.keys = new Map([[door.key.id, door.key.key]]);
  }

  get port(): number {
    return this.#door.port;
  }

  /** Begins a run of its own. */
  start(): void {
    this.run = randomUUID();
    this.boot = randomBytes(32).toString("hex");
    this.#door.enter((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (!(error instanceof SyntaxError)) throw error;
        // As the daemon answers, whoever asks: other programs may look who listens on this port.
        response.writeHead(400, { "Content-Type": "application/json" });
        response.end(JSON.stringify({ error: { code: "invalid_param", message: "the body is no JSON" } }));
      });
    });
    this.#up = true;
  }

  /** Stops at once: open polls are cut, as by a crash. */
  stop(): void {
    if (!this.#up) return;
    this.#up = false;
    this.#held = [];
    this.#door.leave();
  }

  /** All events of a kind that came so far, each once. */
  events<K extends keyof Group>(kind: K): NonNullable<Group[K]> extends (infer E)[] ? E[] : never {
    return [...this.#groups.values()].flatMap((group) => (group[kind] as unknown[] | undefined) ?? []) as never;
  }

  /** The groups that came so far, joined by document. */
  get groups(): Group[] {
    return [...this.#groups.values()];
  }

  /**
   * Resolves with what look finds in what this daemon was told: it looks again whenever something came. Fails after two
   * minutes, or as many ms as are given.
   */
  async until<T>(what: string, look: () => T | undefined | false, ms = 120_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const again = (): void => {
        try {
          const found = look();
          if (!found) return;
          resolve(found);
        } catch (error) {
          reject(error);
        }
        clearTimeout(timer);
        this.#watchers.delete(again);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(again);
        reject(new Error(`never came: ${what}\n${this.#summary()}`));
      }, ms);
      this.#watchers.add(again);
      again();
    });
  }

  /** Sends a command and waits for its answer. */
  async command<K extends CommandKind>(
    kind: K,
    params: Commands[K]["params"],
    { tab = 0, timeoutMS = 60_000, site }: Sent = {},
  ): Promise<Omit<Result, "result"> & { result: Commands[K]["result"] }> {
    const id = this.send(kind, params, { tab, timeoutMS, ...(site === undefined ? {} : { site }) });
    // A command answers by its own deadline.
    const result = await this.until(
      `answer to ${kind}`,
      () => this.results.get(id),
      Math.max(120_000, timeoutMS + 60_000),
    );
    return result as never;
  }

  /** Sends a command without waiting. Returns its id. */
  send(kind: string, params: unknown, { tab = 0, timeoutMS = 60_000, site }: Sent = {}): string {
    const id = `${this.run}-${++this.#id}`;
    const command = {
      id,
      correlation_id: `c${this.#id}`,
      kind,
      params,
      tab,
      timeout_ms: timeoutMS,
      client: "test",
      ...(site === undefined ? {} : { site }),
    };
    this.#pending.push({ command, leased: 0 });
    this.#lease();
    return id;
  }

  /** Leases a command again that was leased before, as after an ack that was lost. */
  leaseAgain(command: Command): void {
    this.#pending.push({ command, leased: 0 });
    this.#lease();
  }

  /** Has the extension end a command, with the next answer to its poll. */
  cancel(id: string): void {
    this.#cancels.push(id);
    this.#lease();
  }

  #lease(): void {
    const held = this.#held.shift();
    if (!held) return;
    const due = this.#pending.filter(({ leased }) => Date.now() - leased > 2000);
    if (due.length === 0 && this.#cancels.length === 0) {
      this.#held.unshift(held);
      return;
    }
    for (const item of due) item.leased = Date.now();
    held.answer(
      due.map(({ command }) => command),
      this.#cancels.splice(0),
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://daemon");
    response.setHeader("Connection", "close"); // as the daemon: Chrome repeats what is cut on connections that it uses again
    const body = await read(request);
    if (body === undefined) return;
    this.requests.push({ method: request.method ?? "", path: url.pathname, headers: request.headers, body });
    this.#notify();
    const [id = "", given] = (/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "").split(".");
    const key = this.keys.get(id);
    const known = key !== undefined && given === mac(key, "bearer", this.boot);
    const nonce = request.headers["x-gasoline-nonce"];
    if (known && typeof nonce === "string")
      response.setHeader("X-Gasoline-Proof", mac(key, "answer", nonce, this.boot));
    const reply = (status: number, answer: unknown): void => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
      this.#notify();
    };
    if (this.forges) return reply(200, this.#forge());
    if (url.pathname === "/prove") return reply(200, this.#prove(JSON.parse(body) as ProveRequest));
    if (url.pathname === "/pair") return reply(...this.#pair(JSON.parse(body) as PairProof));
    if (!known) return reply(401, { error: { code: "unauthorized", message: "unknown token", fix: "pair" } });
    if (this.refusal) {
      const { status, ...error } = this.refusal;
      return reply(status, { error });
    }
    switch (url.pathname) {
      case "/sync":
        if (this.uploadMS > 0) await new Promise((resolve) => setTimeout(resolve, this.uploadMS));
        return reply(200, this.#sync(JSON.parse(body) as Sync));
      case "/tracking":
        return reply(200, this.#track(JSON.parse(body) as Tracking));
      case "/pending-queries":
        return this.#poll(url, response, reply);
      case "/films/begin":
        return reply(200, { name: "by-user", path: "/state/videos/by-user.webm" });
      case "/films":
        this.films.push(JSON.parse(body) as Film);
        return reply(200, this.filmEnded === undefined ? {} : { ended: this.filmEnded });
      case "/query-result": {
        const result = JSON.parse(body) as Result;
        const known = this.results.has(result.id);
        if (!known) this.results.set(result.id, result);
        return reply(200, { status: known ? "duplicate" : "ok" });
      }
      default:
        return reply(404, { error: { code: "not_found", message: url.pathname } });
    }
  }

  #forge(): object {
    const command = {
      id: "1",
      correlation_id: "c",
      kind: "screenshot",
      params: {},
      tab: 0,
      timeout_ms: 8000,
      client: "stranger",
    };
    return {
      ...this.#prove({ nonce: "", key_id: "" }),
      proof: randomBytes(32).toString("hex"),
      token: "t",
      commands: [command],
    };
  }

  #prove({ nonce, key_id = "" }: ProveRequest): ProveAnswer {
    const { run, boot } = this;
    const code =
      this.code !== "" && key_id === `code-${this.code.slice(0, 8)}` ? Buffer.from(this.code.slice(8)) : undefined;
    const key = code ?? this.keys.get(key_id);
    const proof = key ? mac(key, "daemon", nonce, String(this.port), run, boot, key_id) : "";
    return { server: { name: "gasoline", version: "0.1.0-test", run, time: Date.now() }, boot, proof };
  }

  #pair({ code_id, nonce, mac: shown }: PairProof): [number, PairAnswer | Problem] {
    const code = Buffer.from(this.code.slice(8));
    if (code_id !== this.code.slice(0, 8) || shown !== mac(code, "pair", nonce)) {
      return [400, { error: { code: "invalid_param", message: "the code is not known" } }];
    }
    this.code = "";
    const key_id = randomBytes(8).toString("hex");
    const given = randomBytes(32);
    this.keys.set(key_id, given);
    const ours = randomBytes(32).toString("hex");
    const pad = Buffer.from(mac(code, "seal", nonce, ours), "hex");
    const sealed = Buffer.from(given.map((byte, i) => byte ^ (pad[i] ?? 0))).toString("hex");
    return [200, { key_id, nonce: ours, sealed, mac: mac(code, "sealed", nonce, ours, key_id, sealed) }];
  }

  #poll(url: URL, response: ServerResponse, reply: (status: number, answer: unknown) => void): void {
    const acked = new Set((url.searchParams.get("ack") ?? "").split(","));
    this.#pending = this.#pending.filter(({ command }) => !acked.has(command.id));
    for (const id of acked) this.taken.add(id);
    for (const id of (url.searchParams.get("cancelled") ?? "").split(",")) if (id !== "") this.cancelled.add(id);
    this.#notify();
    const hold = Number(url.searchParams.get("wait") ?? 0) * 1000;
    const held: Held = {
      session: url.searchParams.get("session") ?? "",
      answer: (commands, cancel) => {
        clearTimeout(timer);
        clearInterval(again);
        reply(200, { commands, cancel });
      },
    };
    const drop = (): void => {
      clearInterval(again);
      this.#held = this.#held.filter((other) => other !== held);
    };
    const timer = setTimeout(() => {
      drop();
      reply(200, { commands: [] });
    }, hold);
    const again = setInterval(() => this.#lease(), 500);
    response.on("close", () => {
      clearTimeout(timer);
      drop();
    });
    this.#held.push(held);
    this.#lease();
  }

  #sync(sync: Sync): SyncAnswer {
    this.syncs.push(sync);
    if (sync.settings) this.settings = sync.settings;
    if (sync.tabs) this.tabs = sync.tabs;
    const ack: Record<string, number> = {};
    for (const group of sync.groups ?? []) this.#store(sync.session, group, ack);
    return {
      ack,
      dropped: {},
      settings: { salt: "salt-of-the-test", body_limit: 16_384 },
      agents: this.agents,
      ...(this.insecure ? { insecure: this.insecure } : {}),
      server: { name: "gasoline", version: "0.1.0-test", run: this.run, time: Date.now() },
    };
  }

  #track({ use, release, agent }: Tracking): TrackingAnswer {
    for (const at of this.agents) {
      if (agent !== undefined && at.id !== agent) continue;
      if (release !== undefined && at.tab === release) delete at.tab;
      if (use !== undefined) at.tab = use;
    }
    return { agents: this.agents, ...(this.insecure ? { insecure: this.insecure } : {}) };
  }

  #store(session: string, group: Group, ack: Record<string, number>): void {
    const key = `${session} ${group.document} ${group.tab} ${group.frame}`;
    const stored = this.#groups.get(key) ?? { ...pick(group) };
    this.#groups.set(key, stored);
    stored.page_url = group.page_url;
    for (const [kind, list] of Object.entries(group)) {
      if (!Array.isArray(list)) continue;
      for (const event of list as { seq: number }[]) {
        const id = `${key} ${event.seq}`;
        ack[group.document] = Math.max(ack[group.document] ?? 0, event.seq);
        if (this.#seen.has(id)) continue;
        this.#seen.add(id);
        ((stored as unknown as Record<string, unknown[]>)[kind] ??= []).push(event);
      }
    }
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #summary(): string {
    const paths = this.requests.slice(-8).map(({ method, path }) => `${method} ${path}`);
    return `last requests: ${paths.join(", ")}\nlogs: ${JSON.stringify(
      this.events("logs")
        .slice(-5)
        .map((log) => log.message),
    )}
extension: ${JSON.stringify(this.events("extension_logs").slice(-5))}\nresults: ${JSON.stringify([...this.results.values()].slice(-2)).slice(0, 1500)}`;
  }
}

const mac = (key: Buffer, purpose: string, ...fields: string[]): string =>
  createHmac("sha256", new Uint8Array(key))
    .update(`gasoline 1 ${purpose}\n${fields.join("\n")}`)
    .digest("hex");

const pick = ({ tab, frame, document, page_url, since }: Group): Group => ({ tab, frame, document, page_url, since });

/** read returns a request's body, undefined when who sent it went away before its end. */
async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  try {
    for await (const chunk of request) chunks.push(new Uint8Array(chunk as Buffer));
  } catch {
    return undefined;
  }
  if (!request.complete) return undefined;
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return new TextDecoder().decode(request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes);
}
