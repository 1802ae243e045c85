// A receiver of OTLP/JSON on loopback. It takes nothing that does not have the form of the shared fixtures.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));

export type Json = Record<string, unknown>;

export interface Span {
  service: string;
  scope: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: number;
  start: bigint;
  end: bigint;
  status: { code: number; message?: string };
  attributes: Json;
  events: { name: string; attributes: Json }[];
}

export interface Log {
  service: string;
  scope: string;
  traceId: string;
  spanId: string;
  severity: number;
  time: bigint;
  body: string;
  attributes: Json;
}

/** What the receiver answers; undefined: 200. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** The connection is cut in place of an answer. */
  cut?: boolean;
  /** No answer comes. */
  silent?: boolean;
}

export class Receiver {
  spans: Span[] = [];
  logs: Log[] = [];
  requests: { status: number; path: string; bytes: number; text: string; headers: http.IncomingHttpHeaders }[] = [];
  /** What is wrong with what came. */
  wrong: string[] = [];
  reply: (n: number, path: string) => Reply | undefined = () => undefined;
  private waiting: (() => void)[] = [];

  private constructor(readonly server: http.Server) {}

  /** With a key and its certificate it speaks TLS. */
  static async listen(secure?: { key: string; cert: string }, port = 0, host = "127.0.0.1"): Promise<Receiver> {
    const server = secure ? https.createServer(secure) : http.createServer();
    const receiver = new Receiver(server);
    server.on("request", (req, res) => receiver.take(req, res));
    await new Promise<void>((done) => server.listen(port, host, done));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(() => done()));
  }

  /** Resolves when what came is enough; fails with what came after the time. */
  async until(enough: (r: Receiver) => boolean, ms = 120_000): Promise<void> {
    const end = performance.now() + ms;
    while (!enough(this)) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`after ${ms} ms there came ${JSON.stringify([this.spans, this.logs], text)}`);
      await new Promise<void>((done) => {
        const timer = setTimeout(done, left);
        this.waiting.push(() => (clearTimeout(timer), done()));
      });
    }
  }

  span(name: string | RegExp): Span {
    const found = this.spans.find((s) => (typeof name === "string" ? s.name === name : name.test(s.name)));
    if (!found) throw new Error(`no span ${String(name)} in ${JSON.stringify(this.spans.map((s) => s.name))}`);
    return found;
  }

  log(body: string | RegExp): Log {
    const found = this.logs.find((l) => (typeof body === "string" ? l.body === body : body.test(l.body)));
    if (!found) throw new Error(`no log ${String(body)} in ${JSON.stringify(this.logs.map((l) => l.body))}`);
    return found;
  }

  private take(req: http.IncomingMessage, res: http.ServerResponse): void {
    const chunks: Uint8Array[] = [];
    req.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    req.on("end", () => {
      const raw = Buffer.concat(chunks);
      const plain = req.headers["content-encoding"] === "gzip" ? gunzipSync(new Uint8Array(raw)) : raw;
      const path = req.url ?? "";
      // The same bytes again are taken once, as by the daemon.
      const known = this.requests.some((r) => r.status === 200 && r.text === plain.toString());
      this.requests.push({ status: 0, path, bytes: raw.length, text: plain.toString(), headers: req.headers });
      const { status = 200, headers = {}, body = "{}", cut, silent } = this.reply(this.requests.length, path) ?? {};
      this.requests[this.requests.length - 1]!.status = cut || silent ? 0 : status;
      if (silent) return;
      if (cut) {
        req.socket.destroy();
      } else {
        if (status === 200 && !known) this.store(path, plain.toString());
        res.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
      }
      for (const wake of this.waiting.splice(0)) wake();
    });
  }

  private store(path: string, body: string): void {
    const request = JSON.parse(body) as Json;
    const known = path === "/v1/traces" ? forms.traces : path === "/v1/logs" ? forms.logs : undefined;
    if (!known) return void this.wrong.push(`a request for ${path}`);
    for (const form of formsOf(request)) if (!known.has(form)) this.wrong.push(`${path}: ${form}`);
    for (const group of list(request[path === "/v1/traces" ? "resourceSpans" : "resourceLogs"])) {
      const service = String(plainOf(list((group["resource"] as Json)["attributes"]))["service.name"]);
      for (const scoped of list(group["scopeSpans"])) {
        const scope = String((scoped["scope"] as Json)["name"]);
        for (const s of list(scoped["spans"])) this.spans.push(spanOf(service, scope, s));
      }
      for (const scoped of list(group["scopeLogs"])) {
        const scope = String((scoped["scope"] as Json)["name"]);
        for (const l of list(scoped["logRecords"])) this.logs.push(logOf(service, scope, l));
      }
    }
  }
}

const text = (_: string, v: unknown): unknown => (typeof v === "bigint" ? String(v) : v);
const plainText = (v: unknown): string => (typeof v === "string" ? v : "");
const list = (v: unknown): Json[] => (v ?? []) as Json[];

function plainOf(attributes: Json[]): Json {
  const out: Json = {};
  for (const { key, value } of attributes as unknown as { key: string; value: Json }[]) {
    const [kind, v] = Object.entries(value)[0] ?? [];
    out[key] = kind === "intValue" ? Number(v) : v;
  }
  return out;
}

const spanOf = (service: string, scope: string, s: Json): Span => ({
  service,
  scope,
  traceId: String(s["traceId"]),
  spanId: String(s["spanId"]),
  parentSpanId: plainText(s["parentSpanId"]),
  traceState: plainText(s["traceState"]),
  name: String(s["name"]),
  kind: Number(s["kind"]),
  start: BigInt(String(s["startTimeUnixNano"])),
  end: BigInt(String(s["endTimeUnixNano"])),
  status: s["status"] as Span["status"],
  attributes: plainOf(list(s["attributes"])),
  events: list(s["events"]).map((e) => ({ name: String(e["name"]), attributes: plainOf(list(e["attributes"])) })),
});

const logOf = (service: string, scope: string, l: Json): Log => ({
  service,
  scope,
  traceId: plainText(l["traceId"]),
  spanId: plainText(l["spanId"]),
  severity: Number(l["severityNumber"]),
  time: BigInt(String(l["timeUnixNano"])),
  body: String((l["body"] as Json)["stringValue"]),
  attributes: plainOf(list(l["attributes"])),
});

/** formsOf lists the members of a document by path and type: what stands in lists has the path of the list. */
function formsOf(value: unknown, path = "", out = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) formsOf(item, `${path}[]`, out);
  else if (typeof value === "object" && value !== null) {
    // All values are one form, wherever they stand.
    for (const [key, v] of Object.entries(value))
      formsOf(v, key === "value" || key === "body" ? "value" : `${path}.${key}`, out);
  } else out.add(`${path}: ${typeof value}`);
  return out;
}

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(join(here, "../../../schema/fixtures/otlp", name), "utf8"));
const values = formsOf([fixture("traces.json"), fixture("logs.json")]);
const withValues = (own: Set<string>): Set<string> =>
  new Set([...own, ...[...values].filter((f) => f.startsWith("value"))]);
const forms = { traces: withValues(formsOf(fixture("traces.json"))), logs: withValues(formsOf(fixture("logs.json"))) };
