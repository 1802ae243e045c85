import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type * as declared from "../index.d.ts";
import { nanos } from "../src/clock.ts";
import { configured } from "../src/config.ts";
import * as index from "../src/index.ts";
import { type LogRecord, Worth, worthOf } from "../src/record.ts";
import { attribute, query, text, url } from "../src/redact.ts";
import { MAX_BYTES, MAX_EVENTS, Ring } from "../src/ring.ts";
import { parseTraceparent, parseTracestate, sessionHeader, traceparent, validSession } from "../src/trace.ts";
import { exceptionOf, valueOf } from "../src/values.ts";

const here = dirname(fileURLToPath(import.meta.url));
// What the package declares is what it has.
const same: typeof declared = index;
void (same satisfies typeof index);

const log = (severity: number, body: string, trace = ""): LogRecord => ({
  kind: "log",
  worth: worthOf(severity),
  time: 0,
  severity,
  logger: "",
  body,
  attributes: undefined,
  trace,
  span: "",
  sampled: true,
  size: 100,
});
const bodies = (ring: Ring): string[] => ring.take(Infinity, Infinity).map((item) => (item as LogRecord).body);

describe("ring", () => {
  test("what is worth least goes first, the oldest of it before the others", () => {
    const ring = new Ring();
    ring.push(log(9, "info"));
    ring.push(log(17, "error"));
    for (let i = 0; i < MAX_EVENTS; i++) ring.push(log(5, `debug ${i}`));
    expect(ring.count).toBe(MAX_EVENTS);
    expect([ring.dropped, ring.lost]).toEqual([2, 2]);
    const left = bodies(ring);
    expect(left.slice(0, 3)).toEqual(["error", "info", "debug 2"]);
    expect(ring.bytes).toBe(0);
  });

  test("bytes are a bound as well", () => {
    const ring = new Ring();
    for (let i = 0; i < 10; i++) ring.push({ ...log(9, String(i)), size: MAX_BYTES / 4 });
    expect(bodies(ring)).toEqual(["6", "7", "8", "9"]);
    ring.push({ ...log(17, "larger than all"), size: MAX_BYTES + 1 });
    expect(ring.count).toBe(0);
  });

  test("of a trace with an error 256 events stay", () => {
    const ring = new Ring();
    for (let i = 0; i < 300; i++) ring.push(log(5, `of it ${i}`, "t"));
    ring.push(log(17, "error", "t"));
    for (let i = 0; i < 3 * MAX_EVENTS; i++) ring.push(log(5, "noise"));
    const left = bodies(ring);
    expect(left[0]).toBe("error");
    expect(left.filter((b) => b.startsWith("of it"))).toHaveLength(256);
    expect(left[1]).toBe("of it 0");
  });

  test("without a daemon only errors and their traces stay", () => {
    const ring = new Ring();
    for (const item of [log(9, "of it", "t"), log(9, "other", "u"), log(17, "error", "t"), log(9, "none")])
      ring.push(item);
    ring.keepErrors();
    expect([bodies(ring), ring.dropped]).toEqual([["error", "of it"], 2]);
  });
});

describe("trace context", () => {
  const [t, s] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  test.each([
    [`00-${t}-${s}-01`, { trace: t, span: s, sampled: true, random: false }],
    [`00-${t}-${s}-00`, { trace: t, span: s, sampled: false, random: false }],
    [`00-${t}-${s}-03`, { trace: t, span: s, sampled: true, random: true }],
    [`01-${t}-${s}-01-more`, { trace: t, span: s, sampled: true, random: false }],
    [`00-${t}-${s}-01-more`, undefined],
    [`ff-${t}-${s}-01`, undefined],
    [`00-${"0".repeat(32)}-${s}-01`, undefined],
    [`00-${t}-${"0".repeat(16)}-01`, undefined],
    [`00-${t.toUpperCase()}-${s}-01`, undefined],
    [`00-${t}-${s}`, undefined],
    ["", undefined],
    [["00"], undefined],
  ])("%s", (header, want) => expect(parseTraceparent(header)).toEqual(want));
});

const read = (name: string): unknown => JSON.parse(readFileSync(join(here, "../../../schema/fixtures", name), "utf8"));

describe("trace contexts are those of all SDKs", () => {
  const { parents, states } = read("trace-context.json") as {
    parents: { name: string; headers: string[]; trace: string; span: string; sent?: string }[];
    states: { name: string; headers: string[]; sent: string }[];
  };
  test.each(parents)("traceparent: $name", ({ headers, trace, span, sent }) => {
    const parent = parseTraceparent(headers.length > 0 ? headers.join(", ") : undefined);
    expect(parent && traceparent(parent)).toBe(sent && `00-${trace}-${span}-${sent}`);
  });
  test.each(states)("tracestate: $name", ({ headers, sent }) => expect(parseTracestate(headers.join(", "))).toBe(sent));
});

describe("sessions are those of all SDKs", () => {
  const { made, cases } = read("session.json") as {
    made: { token: string; now: number; header: string }[];
    cases: { name: string; token: string; header: string; now: number; valid: boolean }[];
  };
  test.each(made)("made at $now", ({ token, now, header }) => {
    expect(sessionHeader(token, now * 1000)).toBe(header);
    expect(sessionHeader(token, now * 1000 + 999)).toBe(header);
  });
  test.each(cases)("$name: $valid", ({ token, header, now, valid }) => {
    expect(validSession(header, token, now * 1000)).toBe(valid);
    expect(validSession(header, token, now * 1000 + 999)).toBe(valid);
  });
  test("what is no text", () => expect(validSession(["1.1.x"], "token")).toBe(false));
});

describe("redaction", () => {
  const fixture = read("redaction.json") as {
    names: { name: string; secret: boolean }[];
    cases: { place: string; input: string; kinds: string[] }[];
    services: { cases: { place: string; input: string; want: string }[] };
  };
  const shown = (value: string): string => value.replace(/(?:<|%3C)[a-z]\w*:[0-9a-f]{8}(?:>|%3E)/g, "<*>");
  const clean = (place: string, value: string): string => {
    if (place === "query" || place === "form") return query(value);
    if (place === "url") return url(value);
    if (place === "json") return attribute("body", value);
    if (place.startsWith("attribute:")) return attribute(place.slice(10), value);
    if (place.startsWith("header:")) return attribute(`http.request.header.${place.slice(7).toLowerCase()}`, value);
    return text(value);
  };

  test.each(fixture.names)("the name $name", ({ name, secret }) => {
    expect(/^<\w+:[0-9a-f]{8}>$/.test(attribute(name, "hunter22"))).toBe(secret);
  });

  test.each(fixture.services.cases)("as the daemon: $place $input", ({ place, input, want }) => {
    const got = clean(place, input);
    expect(shown(got)).toBe(want);
    if (place === "text") expect(text(got)).toBe(got);
  });

  test("of the daemon's own cases it masks what shows by its form or has a name, and nothing that the daemon leaves", () => {
    const missed: string[] = [];
    for (const { place, input, kinds } of fixture.cases) {
      const got = clean(place, input);
      if (place === "text") expect(text(got)).toBe(got);
      if (kinds.length === 0 && !input.startsWith("<")) expect(got).toBe(input);
      if (kinds.length > 0 && got === input) missed.push(`${place} ${kinds.join()}`);
    }
    // Behind a name in prose, in lists, markup and programs only the daemon finds them.
    expect(missed.filter((m) => !/^(?:text|json|url) (?:secret|ssn|credentials)$/.test(m))).toEqual([]);
    expect(missed.length).toBeLessThanOrEqual(35);
  });

  test("a token is masked to its end, however long it is", () => {
    const [head, body] = [`eyJhbGciOiJIUzI1NiJ9.${"a1".repeat(3000)}.c2ln`, `${"sk"}-proj-${"b2".repeat(2000)}`];
    expect(shown(text(`got ${head} and ${body} here`))).toBe("got <*> and <*> here");
  });

  test.each([
    "eyJ",
    "a=",
    "1 ",
    "-----BEGIN ",
    "://",
    "Bearer ",
    'password="',
    "x:'",
    '\\"',
    `${"a".repeat(63)}:`,
    "sk-",
  ])("a long text of %j costs little", (part) => {
    const long = part.repeat((16 << 10) / part.length); // as long as a text gets
    const began = process.cpuUsage();
    text(long);
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000); // µs
  });

  test.each([
    ["password=hunter22 and more", "password=<password> and more"],
    ['{"user":"ann","apiKey": "hunter22"}', '{"user":"ann","apiKey": "<api_key>"}'],
    ["{ token: 'hunter22' }", "{ token: '<token>' }"],
    ["Authorization: Bearer hunter22hunter22", "Authorization: Bearer <authorization>"],
    ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln", "jwt <jwt>"],
    ["card 4111 1111 1111 1111 was paid", "card <card> was paid"],
    ["order 4111 1111 1111 1112 was paid", "order 4111 1111 1111 1112 was paid"],
    ["key AKIAIOSFODNN7EXAMPLE", "key <aws_key>"],
    ["postgres://ann:hunter22@db/shop", "postgres://<credentials>@db/shop"],
    ["-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----", "<private_key>"],
    ["tokens: 12, page_token=abc, 2026-11-22T10:00:00.000Z", "tokens: 12, page_token=abc, 2026-11-22T10:00:00.000Z"],
  ])("%s", (from, to) => {
    expect(text(from).replace(/<(\w+):[0-9a-f]{8}>/g, "<$1>")).toBe(to);
    expect(text(text(from))).toBe(text(from));
  });

  test("addresses and queries", () => {
    expect(query("a=1&token=x")).toMatch(/^a=1&token=<token:\w{8}>$/);
    expect(url("http://h/p?a=1&user[password]=x")).toMatch(/^http:\/\/h\/p\?a=1&user\[password\]=<password:\w{8}>$/);
  });
});

describe("values", () => {
  test("objects become JSON within bounds, and getters are not called", () => {
    const circle: Record<string, unknown> = { a: [1n, undefined, Number.NaN], date: new Date(0) };
    circle["self"] = circle;
    Object.defineProperty(circle, "trap", { enumerable: true, get: () => expect.unreachable() });
    expect(JSON.parse(String(valueOf(circle)))).toMatchObject({
      a: ["1", "undefined", "NaN"],
      date: "1970-01-01T00:00:00.000Z",
    });
    const hostile = new Proxy({}, { ownKeys: () => { throw new Error("no"); } }); // prettier-ignore
    expect(valueOf(hostile)).toBe("[unreadable]");
  });

  test("an error tells its cause, and one that throws when read does no harm", () => {
    const error = new Error("outer", { cause: new TypeError("inner") });
    expect(exceptionOf(error)["exception.stacktrace"]).toContain("Caused by: TypeError: inner");
    const two = new AggregateError([new RangeError("refused"), 7, new Error("late")], "all failed");
    const stack = String(exceptionOf(two)["exception.stacktrace"]);
    expect(stack).toMatch(/\nCaused by: RangeError: refused\n +at [^]*\nCaused by: Error: late\n +at /);
    expect(stack.match(/Caused by/g)).toHaveLength(2);
    expect(exceptionOf(Object.assign(new Error("x"), { errors: ["y"] }))["exception.stacktrace"]).not.toContain(
      "Caused by",
    );
    const hostile = Object.defineProperty(new Error("x"), "stack", { get: () => { throw new Error("no"); } }); // prettier-ignore
    expect(exceptionOf(hostile)["exception.message"]).toBe("[unreadable]");
    expect(exceptionOf("text")).toEqual({ "exception.type": "string", "exception.message": "'text'" });
  });

  test("nanoseconds", () => {
    expect(nanos(1_795_300_000_000.25)).toBe("1795300000000250000");
    expect(nanos(1.9999999999)).toBe("1999999");
  });
});

describe("environment", () => {
  const of = (env: Record<string, string>, program = "/srv/shop/main.js") => configured(env, ["node", program]);
  test("what gasoline run sets", () => {
    const config = of({
      GASOLINE_URL: "http://127.0.0.1:1234",
      GASOLINE_TOKEN: "t",
      OTEL_SERVICE_NAME: "shop",
      OTEL_RESOURCE_ATTRIBUTES: "a=b,service.instance.id=shop%2D7,service.version=1.2",
    });
    expect(config).toMatchObject({ service: "shop", instance: "shop-7", version: "1.2", gated: false, prove: false });
    expect(config?.url.port).toBe("1234");
  });
  test.each([
    [{ GASOLINE: "off" }, undefined],
    [{ NODE_ENV: "production" }, undefined],
    [{ GASOLINE_URL: "ftp://x" }, undefined],
    [{ GASOLINE_URL: "::" }, undefined],
    [{ GASOLINE_URL: "http://example.com" }, undefined],
  ])("%j is off", (env, want) => expect(of(env)).toBe(want));
  test("package managers are not watched", () => {
    expect(of({}, "/usr/lib/node_modules/npm/bin/npm-cli.js")).toBeUndefined();
    expect(of({})).toBeDefined();
  });
  test("production with a token is gated", () => {
    expect(of({ NODE_ENV: "production", GASOLINE_TOKEN: "t" })).toMatchObject({ gated: true, interval: 500 });
  });
});

test("nothing that is exported does harm where nothing was started", async () => {
  expect(index.span("x", () => 7)).toBe(7);
  index.captureError(new Error("x"));
  expect(index.currentIds()).toBeUndefined();
  expect(index.stats()).toBeUndefined();
  await index.flush();
  expect(Worth.Error).toBeGreaterThan(Worth.Explains);
});
