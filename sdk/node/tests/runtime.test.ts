// What is kept and what is not, without a process around it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { configured } from "../src/config.ts";
import { createHash, createHmac, randomBytes } from "node:crypto";
import http from "node:http";
import { poster } from "../src/post.ts";
import { type Item, type LogRecord, type SpanRecord, Worth } from "../src/record.ts";
import { text } from "../src/redact.ts";
import { Ring } from "../src/ring.ts";
import { ROLE, Runtime, Span } from "../src/runtime.ts";

function runtimeOf(env: Record<string, string> = {}): Runtime {
  const config = configured({ GASOLINE_URL: "http://127.0.0.1:1", GASOLINE_TOKEN: "t", ...env }, [
    "node",
    "/srv/main.js",
  ]);
  if (!config) throw new Error("off");
  return new Runtime(config);
}
const kept = (runtime: Runtime): Item[] => runtime.sender.ring.take(Infinity, Infinity);
const bodies = (runtime: Runtime): string[] => kept(runtime).map((item) => (item as LogRecord).body);

describe("in production", () => {
  const production = { NODE_ENV: "production" };

  test("of what belongs to no request one error a second is kept", () => {
    const runtime = runtimeOf(production);
    runtime.log("a", 16, "warned");
    runtime.log("a", 17, "failed");
    runtime.log("a", 21, "failed again");
    expect(bodies(runtime)).toEqual(["failed"]);
    expect(runtime.open("a", "b", ROLE.client)).toBeUndefined();
  });

  test("of a request that is the developer's own all is kept, of another nothing", () => {
    const runtime = runtimeOf(production);
    const [own, other] = [true, false].map(
      (recorded) => new Span(runtime, "http", "GET /", ROLE.server, undefined, recorded),
    );
    runtime.scopes.run(other as Span, () => {
      runtime.log("a", 21, "other");
      expect(runtime.open("a", "b", ROLE.client)).toBeUndefined();
    });
    other?.end();
    runtime.scopes.run(own as Span, () => {
      runtime.log("a", 1, "own");
      runtime.open("a", "asked", ROLE.client)?.end();
    });
    own?.end();
    const items = kept(runtime);
    expect(items.map((i) => (i.kind === "log" ? i.body : i.name))).toEqual(["asked", "GET /", "own"]);
    expect(new Set(items.map((i) => i.trace))).toEqual(new Set([own?.trace]));
  });
});

describe("spans", () => {
  test("a span has its parent's trace, and ends once", () => {
    const runtime = runtimeOf();
    const parent = { trace: "a".repeat(32), span: "b".repeat(16), sampled: true, state: "v=1" };
    const span = new Span(runtime, "http", "GET /", ROLE.server, parent);
    span.end();
    span.end();
    span.fail(new Error("too late"), true);
    const [item, ...more] = kept(runtime) as SpanRecord[];
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      trace: parent.trace,
      parent: parent.span,
      state: "v=1",
      status: 0,
      role: 2,
      worth: Worth.Info,
    });
    expect(item?.span).toMatch(/^[0-9a-f]{16}$/);
    expect(item?.end).toBeGreaterThanOrEqual(item?.time ?? Infinity);
  });

  test("one that is not sampled is not kept", () => {
    const runtime = runtimeOf();
    new Span(runtime, "http", "GET /", ROLE.server, { trace: "a", span: "b", sampled: false }).end();
    expect(kept(runtime)).toEqual([]);
  });

  test("of its errors 16 are kept, the first says why, and each error counts once", () => {
    const runtime = runtimeOf();
    const span = new Span(runtime, "http", "GET /", ROLE.server, undefined);
    const first = new Error("first");
    for (const error of [first, first, ...Array.from({ length: 20 }, (_, i) => new Error(String(i)))])
      span.fail(error, true);
    span.end();
    const [item] = kept(runtime) as SpanRecord[];
    expect(item).toMatchObject({ status: 2, message: "first", worth: Worth.Error });
    expect(item?.events.map((e) => e.attributes["exception.message"])).toEqual(["first", ...Array.from({ length: 15 }, (_, i) => String(i))]); // prettier-ignore
  });

  test("a span of one that has ended begins a trace", () => {
    const runtime = runtimeOf();
    const ended = new Span(runtime, "http", "GET /", ROLE.server, undefined);
    ended.end();
    runtime.scopes.run(ended, () => {
      const span = runtime.open("a", "b", ROLE.client);
      expect([span?.parent, span?.trace === ended.trace]).toEqual(["", false]);
    });
  });

  test("its size grows with its attributes and stacks, and a record's with its text", () => {
    const runtime = runtimeOf();
    const size = (change: (span: Span) => void): number => {
      const span = new Span(runtime, "http", "GET /", ROLE.server, undefined);
      change(span);
      span.end();
      return kept(runtime)[0]?.size ?? 0;
    };
    const bare = size(() => undefined);
    expect(bare).toBeGreaterThan(300);
    expect(size((s) => (s.attributes = { key: "x".repeat(1000) })) - bare).toBeGreaterThan(1000);
    expect(size((s) => s.fail(new Error("x".repeat(1000)), true)) - bare).toBeGreaterThan(2000);
    const lines = [
      ["x"],
      ["x".repeat(5000)],
      ["x", { key: "y".repeat(1000) }],
      ["", undefined, "z".repeat(1000)],
    ] as const;
    for (const [body, attributes, line] of lines) runtime.log("a", 9, body, attributes && { ...attributes }, line);
    const [small, long, rich, read] = kept(runtime).map((i) => i.size) as [number, number, number, number];
    expect([long - small >= 9998, rich - small > 1000, read - small > 1900]).toEqual([true, true, true]);
  });
});

test("what looks at the program's data cannot come back to itself, and throws nothing", () => {
  const runtime = runtimeOf();
  let calls = 0;
  runtime.guard(() => {
    runtime.guard(() => calls++);
    throw new Error("no");
  });
  runtime.guard(() => (calls += 10));
  expect(calls).toBe(10);
});

describe("ring", () => {
  const item = (size: number, worth = Worth.Info): Item => ({ kind: "log", worth, size, trace: "" }) as Item;

  test("what is taken has its bounds, and is at least one", () => {
    const ring = new Ring();
    for (const size of [100, 10, 10, 10]) ring.push(item(size));
    expect(ring.take(9, 50).map((i) => i.size)).toEqual([100]);
    expect(ring.take(9, 20).map((i) => i.size)).toEqual([10, 10]);
    ring.push(item(10));
    expect(ring.take(1, 999)).toHaveLength(1);
    expect([ring.count, ring.bytes]).toEqual([1, 10]);
    expect(ring.take(0, 999)).toEqual([]);
  });

  test("many pushed and taken stay in their order", () => {
    const ring = new Ring();
    let next = 0;
    for (let i = 0; i < 6000; i++) {
      ring.push(item(i + 1));
      if (i % 2 === 0 && ring.count > 600) for (const { size } of ring.take(2, Infinity)) expect(size).toBe(++next);
    }
    for (const { size } of ring.take(Infinity, Infinity)) expect(size).toBe(++next);
    expect([next, ring.count, ring.bytes]).toEqual([6000, 0, 0]);
  });
});

describe("masking by the checks of a form", () => {
  const a = "abcdefghijklmnop";
  test.each([
    ["LTAI" + a, false],
    ["LTAI" + a.slice(1) + "7", true],
    ["AB" + "IA" + "ABCDEFGHIJKLMNOP", false],
    ["AB" + "IA" + "ABCDEFGHIJKLMNO7", true],
    ["AK" + "IAABCDEFGHIJKLMNOP", true],
    ["AK" + "IAABCDEFGHIJKLMNOPQ", false],
    ['password=""', false],
    ["password=''", false],
    ['password="x"', true],
    ["bearer abcdefgh", false],
    ["bearer abcdefg7", true],
    ["bearer abcdef7", false],
    ["see discord.com/api/webhooks/1234567890123456/" + "a1".repeat(20), true],
    ["$password: hunter22", false],
    ["pw=hunter22", true],
    ["1=hunter22", false],
    ["password = hunter22", true],
    ["password = hunter", false],
    ["token: abc7", true],
    ["token: abc", false],
    ["token: ab7", false],
    ["secret: abc", true],
    ["password=f(x)", false],
    ["password=$x", false],
  ])("%s: %s", (value, masked) => expect(text(value) !== value, text(value)).toBe(masked));
});

describe("a request of our own", () => {
  let close: () => unknown = () => undefined;
  afterEach(() => close());

  async function answered(answer: (req: IncomingMessage, res: ServerResponse) => void) {
    const seen: { headers: http.IncomingHttpHeaders; body: string; path: string; method: string }[] = [];
    const server = createServer((req, res) => {
      let body = "";
      req.setEncoding("utf8").on("data", (d: string) => (body += d)); // prettier-ignore
      req.on("end", () => {
        seen.push({ headers: req.headers, body, path: req.url ?? "", method: req.method ?? "" });
        answer(req, res);
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const target = { protocol: "http:", host: "127.0.0.1", port, token: "t", pin: "", prove: false };
    const post = poster(target, {
      request: http.request,
      Agent: http.Agent,
      crypto: { createHash, createHmac, randomBytes },
      setTimer: setTimeout,
      clearTimer: clearTimeout,
    });
    close = () => (post.close(), server.closeAllConnections(), server.close());
    return {
      seen,
      send: (gzip = false, ms = 2000) => post.post("/v1/logs", new TextEncoder().encode("body"), gzip, ms),
    };
  }

  test("has what the daemon asks for, over one connection", async () => {
    const ports = new Set<number | undefined>();
    const { seen, send } = await answered((req, res) => (ports.add(req.socket.remotePort), res.end("{}")));
    expect(await send()).toEqual({ status: 200, text: "{}", retry: 0 });
    await send(true);
    expect(ports.size).toBe(1);
    expect(seen[0]).toMatchObject({
      method: "POST",
      path: "/v1/logs",
      body: "body",
      headers: { authorization: "Bearer t", "content-type": "application/json", "content-length": "4" },
    });
    expect(seen.map((s) => s.headers["content-encoding"])).toEqual([undefined, "gzip"]);
  });

  test.each([
    ["2", 2],
    ["0", 0],
    ["-1", 0],
    ["3599", 3599],
    ["3600", 0],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ])("Retry-After: %s waits %i s", async (header, retry) => {
    const { send } = await answered((_, res) => res.writeHead(429, { "retry-after": header }).end("slow down"));
    expect(await send()).toEqual({ status: 429, text: "slow down", retry });
  });

  test("of a long answer the beginning is kept", async () => {
    const { send } = await answered((_, res) => res.end("x".repeat(100_000)));
    expect((await send()).text).toHaveLength(4096);
  });

  test("no answer in time is none, and is not asked for again", async () => {
    const { seen, send } = await answered(() => undefined);
    expect(await send(false, 100)).toMatchObject({ status: 0, text: "no answer in time" });
    expect(seen).toHaveLength(1);
  });

  test("a connection that breaks is tried once more", async () => {
    const { seen, send } = await answered((req, res) => (seen.length === 1 ? req.socket.destroy() : res.end("{}")));
    expect((await send()).status).toBe(200);
    expect(seen).toHaveLength(2);
  });
});
