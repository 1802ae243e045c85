import { createHash, createHmac, randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { type Config, tell } from "./config.ts";
import { Encoder } from "./encode.ts";
import { clearTimer, httpRequest, httpsRequest, mono, setTimer } from "./natives.ts";
import { type Answer, poster, type Poster, type Target } from "./post.ts";
import { type Item, type LogRecord, SEVERITY, type SpanRecord, Worth } from "./record.ts";
import { Ring } from "./ring.ts";
import { now } from "./clock.ts";

const BATCH_EVENTS = 200;
const BATCH_BYTES = 256 << 10;
/** What is larger is compressed, but for this machine: there the program would pay more than the connection saves. */
const GZIP_BYTES = 4 << 10;
const TOTAL_MS = 5000;
const BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
const CIRCUIT_FAILURES = 5;
const EXIT_MS = 500;
/**
 * How long the thread that sends at the end may take until it is connected to this machine's daemon: 40 ms, but for a
 * machine with far too much to do.
 */
const BEGIN_MS = 2000;
/** What that thread says: that it waits for others now, that it sent what there was, that it did not find the key of the pin. */
const BEGUN = 1;
const SENT = 2;
const STRANGER = 3;
/** Between batches: what is written takes the program's own time, and this bounds it to 10,000 events a second. */
const PACE_MS = 20;

/** Part is a request on its way: its bytes stay the same, so that the daemon knows them again. */
interface Part {
  path: "/v1/logs" | "/v1/traces";
  items: Item[];
  body?: Uint8Array;
  gzip?: boolean;
}

/** Stats are counters since the start. */
export interface Stats {
  /** Events that wait. */
  waiting: number;
  /** Events that the daemon took. */
  sent: number;
  /** Events that were dropped here: over the bounds, or refused. */
  dropped: number;
  /** Requests that failed. */
  failures: number;
}

/** Sender sends what the ring holds: one request at a time, and never so that the process waits for it. */
export class Sender {
  readonly ring = new Ring();
  sent = 0;
  failures = 0;
  private readonly encoder: Encoder;
  private parts: Part[] = [];
  private post: Poster | undefined;
  private postToken = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private due = 0;
  private earliest = 0;
  private busy = false;
  private inRow = 0;
  private idle: (() => void)[] = [];
  private warned = false;

  constructor(private readonly config: Config) {
    this.encoder = new Encoder(config);
  }

  /** Adds an event. It never throws and does nothing slow. */
  push(item: Item): void {
    const { ring } = this;
    ring.push(item);
    if (this.inRow >= CIRCUIT_FAILURES) {
      // While nobody answers, only what explains an error is kept.
      if (item.worth < Worth.Error && ring.count % 256 === 0) ring.keepErrors();
      return;
    }
    if (this.busy || this.inRow > 0) return;
    if (item.worth === Worth.Error || ring.count >= BATCH_EVENTS || ring.bytes >= BATCH_BYTES) this.schedule(0);
    else if (this.timer === undefined) this.schedule(this.config.interval);
  }

  stats(): Stats {
    const waiting = this.ring.count + this.parts.reduce((n, p) => n + p.items.length, 0);
    return { waiting, sent: this.sent, dropped: this.ring.lost, failures: this.failures };
  }

  /** Sends what waits. Resolves when all of it is gone, a request has failed, or the time is over. */
  flush(ms = EXIT_MS): Promise<void> {
    return new Promise((resolve) => {
      if (!this.pending()) return resolve();
      setTimer(resolve, ms).unref();
      this.idle.push(resolve);
      if (this.inRow === 0) this.schedule(0);
    });
  }

  pending(): boolean {
    return this.busy || this.parts.length > 0 || this.ring.count > 0;
  }

  private schedule(ms: number): void {
    if (this.busy) return;
    const at = mono();
    const due = this.idle.length > 0 ? at + ms : Math.max(at + ms, this.earliest);
    if (this.timer !== undefined) {
      if (due >= this.due) return;
      clearTimer(this.timer);
    }
    this.due = due;
    this.timer = setTimer(() => {
      this.timer = undefined;
      void this.run();
    }, due - at);
    this.timer.unref();
  }

  private async run(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    let wait = -1;
    try {
      this.next();
      while (wait < 0 && this.parts.length > 0) {
        const part = this.parts[0] as Part;
        const answer = await this.send(part);
        wait = this.settle(part, answer);
        if (wait >= 0 || this.parts.length > 0) continue;
        // What was dropped is told at once where something was taken; else it waits for the next events.
        const told = answer.status < 300 && this.ring.dropped > 0;
        if (told || (this.idle.length > 0 && this.ring.count > 0)) this.next();
      }
    } catch {
      // What cannot be written is dropped: it would fail again.
      const part = this.parts.shift();
      if (part) this.drop(part.items.length);
    }
    this.busy = false;
    this.earliest = mono() + PACE_MS;
    if (wait >= 0 || !this.pending()) {
      for (const resolve of this.idle.splice(0)) resolve();
    }
    if (wait >= 0) this.schedule(wait);
    else if (this.pending()) this.schedule(this.ring.count >= BATCH_EVENTS ? 0 : this.config.interval);
  }

  /** Makes requests of the next events, when there are none. */
  private next(events = BATCH_EVENTS, bytes = BATCH_BYTES): void {
    if (this.parts.length > 0) return;
    this.parts = parts(this.report(this.ring.take(events, bytes)));
  }

  /** Adds a record that says how many were dropped since the last one. */
  private report(items: Item[]): Item[] {
    const { dropped } = this.ring;
    if (dropped === 0) return items;
    this.ring.dropped = 0;
    return [...items, droppedRecord(dropped)];
  }

  private drop(n: number): void {
    this.ring.dropped += n;
    this.ring.lost += n;
  }

  private encode(part: Part): Uint8Array {
    if (part.body) return part.body;
    const text =
      part.path === "/v1/logs"
        ? this.encoder.logs(part.items as LogRecord[])
        : this.encoder.spans(part.items as SpanRecord[]);
    const plain = new TextEncoder().encode(text);
    part.gzip = !this.config.local && plain.length > GZIP_BYTES;
    return (part.body = part.gzip ? new Uint8Array(gzipSync(plain, { level: 1 })) : plain);
  }

  private target(token: string): Target {
    const { url, pin, prove } = this.config;
    return {
      protocol: url.protocol,
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
      token,
      pin,
      prove,
    };
  }

  private async send(part: Part): Promise<Answer> {
    const token = this.config.token();
    if (token === "") return { status: 0, text: "there is no token", retry: 0 };
    if (!this.post || token !== this.postToken) {
      this.post?.close();
      const tls = this.config.url.protocol === "https:";
      this.postToken = token;
      this.post = poster(this.target(token), {
        request: tls ? httpsRequest : httpRequest,
        Agent: tls ? https.Agent : http.Agent,
        crypto: { createHash, createHmac, randomBytes },
        setTimer,
        clearTimer,
      });
    }
    const body = this.encode(part);
    return this.post.post(part.path, body, part.gzip === true, TOTAL_MS);
  }

  /** Draws the conclusion of an answer. Returns how long to wait, in ms; less than 0: go on. */
  private settle(part: Part, { status, retry, text, stranger }: Answer): number {
    if (status >= 200 && status < 300) {
      this.inRow = 0;
      const refused = refusedBy(text);
      this.sent += Math.max(0, part.items.length - refused);
      this.drop(refused);
      this.parts.shift();
      return -1;
    }
    this.failures++;
    if (status === 413 && part.items.length > 1) {
      const half = part.items.length >> 1;
      this.parts.splice(
        0,
        1,
        { path: part.path, items: part.items.slice(0, half) },
        { path: part.path, items: part.items.slice(half) },
      );
      return -1;
    }
    if (status >= 400 && status < 500 && status !== 429 && status !== 408 && status !== 401) {
      // It would be refused again.
      this.parts.shift();
      this.drop(part.items.length);
      return -1;
    }
    if (stranger) this.warn();
    this.inRow = stranger ? CIRCUIT_FAILURES : this.inRow + 1;
    if (this.inRow >= CIRCUIT_FAILURES) {
      this.ring.keepErrors();
      return MAX_BACKOFF_MS;
    }
    const most = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (this.inRow - 1));
    return Math.max(retry * 1000, Math.random() * most);
  }

  /** Says once that another program is where the daemon should be. */
  private warn(): void {
    if (this.warned) return;
    this.warned = true;
    tell(`who answers at ${this.config.url.host} has not the key of GASOLINE_URL's pin: nothing is sent`);
  }

  /**
   * Sends what is left while the process ends, and waits at most half a second for who takes it. A thread does it: no
   * event of this one runs any more.
   */
  flushSync(ms = EXIT_MS): void {
    if ((!this.pending() && this.ring.dropped === 0) || this.inRow > 0) return;
    const token = this.config.token();
    if (token === "") return;
    const bodies: [path: string, body: Uint8Array, gzip: boolean][] = [];
    const left = [...this.parts, ...parts(this.report(this.ring.take(Infinity, Infinity)))];
    this.parts = [];
    for (const part of left) bodies.push([part.path, this.encode(part), part.gzip === true]);
    const done = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(`(${inThread.toString()})(require, (${poster.toString()}))`, {
      eval: true,
      workerData: {
        target: this.target(token),
        local: this.config.local,
        bodies,
        done,
        ms,
        words: [BEGUN, SENT, STRANGER],
      },
      execArgv: [],
      env: {},
      stdin: false,
    });
    worker.on("error", () => undefined);
    worker.unref();
    Atomics.wait(done, 0, 0, BEGIN_MS);
    Atomics.wait(done, 0, BEGUN, ms);
    if (Atomics.load(done, 0) === STRANGER) this.warn();
  }
}

/** Runs as the text of a thread of its own and names nothing of this file. */
function inThread(load: (name: string) => unknown, make: typeof poster): void {
  const { workerData } = load("node:worker_threads") as {
    workerData: {
      target: Target;
      local: boolean;
      bodies: [string, Uint8Array, boolean][];
      done: Int32Array;
      ms: number;
      words: [begun: number, sent: number, stranger: number];
    };
  };
  const { target, local, bodies, done, ms, words } = workerData;
  const [begun, sent, stranger] = words;
  const say = (word: number) => {
    Atomics.store(done, 0, word);
    Atomics.notify(done, 0);
  };
  let end = sent;
  const tls = target.protocol === "https:";
  const { request, Agent } = load(tls ? "node:https" : "node:http") as typeof http;
  const crypto = load("node:crypto") as Parameters<typeof make>[1]["crypto"];
  let waits = false;
  const ready = () => {
    if (!waits) say(begun);
    waits = true;
  };
  const post = make(target, { request, Agent, crypto, setTimer: setTimeout, clearTimer: clearTimeout, ready });
  const keep = setTimeout(() => undefined, 10 * ms);
  // What is far away gets half a second with all that is on the way.
  if (!local) ready();
  const send = async () => {
    for (const [path, body, gzip] of bodies) {
      const answer = await post.post(path, body, gzip, 4 * ms);
      if (!answer.stranger) continue;
      end = stranger;
      return;
    }
  };
  void send().finally(() => {
    clearTimeout(keep);
    say(end);
    post.close();
  });
}

function parts(items: Item[]): Part[] {
  const logs = items.filter((item) => item.kind === "log");
  const spans = items.filter((item) => item.kind === "span");
  const out: Part[] = [];
  // Spans first: who reads a log line looks for its span.
  if (spans.length > 0) out.push({ path: "/v1/traces", items: spans });
  if (logs.length > 0) out.push({ path: "/v1/logs", items: logs });
  return out;
}

function refusedBy(text: string): number {
  if (!text.includes("rejected")) return 0;
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: Record<string, unknown> };
    return Number(partialSuccess?.["rejectedLogRecords"] ?? partialSuccess?.["rejectedSpans"] ?? 0) || 0;
  } catch {
    return 0;
  }
}

const droppedRecord = (n: number): LogRecord => ({
  kind: "log",
  worth: Worth.Warn,
  time: now(),
  severity: SEVERITY.warn,
  logger: "gasoline",
  body: `${n} events were dropped in this process: there were more than could be kept or taken`,
  attributes: { "gasoline.dropped": n },
  trace: "",
  span: "",
  sampled: false,
  size: 0,
});
