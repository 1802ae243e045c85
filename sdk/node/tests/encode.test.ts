// What is written for records, by the daemon's own words.
import { describe, expect, test } from "vitest";
import { configured } from "../src/config.ts";
import { Encoder } from "../src/encode.ts";
import { type Attributes, type LogRecord, severityOf, type SpanRecord, worthOf } from "../src/record.ts";

const [TRACE, SPAN] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
const config = configured(
  {
    GASOLINE_TOKEN: "t",
    OTEL_SERVICE_NAME: "shop",
    OTEL_RESOURCE_ATTRIBUTES: "service.version=1.2,service.instance.id=a",
  },
  ["node", "/srv/main.js"],
);
if (!config) throw new Error("off");
const encoder = new Encoder({ ...config, environment: "test" });

const log = (more: Partial<LogRecord>): LogRecord => ({
  kind: "log",
  worth: worthOf(9),
  time: 1_795_300_000_000.25,
  severity: 9,
  logger: "console",
  body: "text",
  attributes: undefined,
  trace: "",
  span: "",
  sampled: false,
  size: 1,
  ...more,
});

interface Written {
  resourceLogs: {
    resource: unknown;
    scopeLogs: { scope: { name: string }; logRecords: Record<string, unknown>[] }[];
  }[];
}
const logs = (...items: LogRecord[]) => (JSON.parse(encoder.logs(items)) as Written).resourceLogs[0]!;
const one = (more: Partial<LogRecord>) => logs(log(more)).scopeLogs[0]!.logRecords[0]!;
const plain = (record: Record<string, unknown>) =>
  Object.fromEntries((record["attributes"] as { key: string; value: unknown }[]).map(({ key, value }) => [key, value]));

describe("logs", () => {
  test("a record without anything", () => {
    const record = one({});
    expect(record).toEqual({
      timeUnixNano: "1795300000000250000",
      observedTimeUnixNano: expect.stringMatching(/^\d{19}$/) as string,
      severityNumber: 9,
      severityText: "INFO",
      body: { stringValue: "text" },
      attributes: [],
    });
  });

  test("ids and whether they are sampled", () => {
    expect(one({ trace: TRACE, span: SPAN, sampled: true })).toMatchObject({ traceId: TRACE, spanId: SPAN, flags: 1 });
    const { spanId, flags } = one({ trace: TRACE });
    expect([spanId, flags]).toEqual([undefined, 0]);
  });

  test.each([
    [1, "TRACE"],
    [4, "TRACE"],
    [5, "DEBUG"],
    [8, "DEBUG"],
    [9, "INFO"],
    [12, "INFO"],
    [13, "WARN"],
    [16, "WARN"],
    [17, "ERROR"],
    [20, "ERROR"],
    [21, "FATAL"],
    [24, "FATAL"],
  ])("the severity %i is %s", (severity, text) => expect(one({ severity })["severityText"]).toBe(text));

  test("attributes by their type, and secrets of any type masked", () => {
    const attributes: Attributes = {
      text: 'a "b"\n\u2028',
      yes: true,
      n: 7,
      low: -0,
      f: 1.5,
      nan: NaN,
      inf: -Infinity,
      huge: 2 ** 60,
      pin: 1234,
      "": "",
    };
    expect(plain(one({ attributes }))).toEqual({
      text: { stringValue: 'a "b"\n\u2028' },
      yes: { boolValue: true },
      n: { intValue: "7" },
      low: { intValue: "0" },
      f: { doubleValue: 1.5 },
      nan: { doubleValue: "NaN" },
      inf: { doubleValue: "-Infinity" },
      huge: { doubleValue: 2 ** 60 },
      pin: { stringValue: expect.stringMatching(/^<pin:\w{8}>$/) as string },
      "": { stringValue: "" },
    });
  });

  test("records are grouped by logger and in the order of their times", () => {
    const { scopeLogs, resource } = logs(
      log({ logger: "b", body: "3", time: 3 }),
      log({ logger: "a", body: "2", time: 2 }),
      log({ logger: "b", body: "1", time: 1 }),
    );
    expect(scopeLogs.map(({ scope, logRecords }) => [scope.name, ...logRecords.map((r) => (r["body"] as { stringValue: string }).stringValue)])).toEqual([["b", "1", "3"], ["a", "2"]]); // prettier-ignore
    expect(plain(resource as Record<string, unknown>)).toEqual({
      "service.name": { stringValue: "shop" },
      "service.instance.id": { stringValue: "a" },
      "service.version": { stringValue: "1.2" },
      "deployment.environment.name": { stringValue: "test" },
      "process.pid": { intValue: String(process.pid) },
      "telemetry.sdk.name": { stringValue: "gasoline" },
      "telemetry.sdk.language": { stringValue: "nodejs" },
    });
  });
});

describe("lines of JSON", () => {
  const line = (fields: unknown, more: Partial<LogRecord> = {}) =>
    one({ line: JSON.stringify(fields), body: "", ...more });

  test("message, name, level and fields are read, in pino's words and in others'", () => {
    const pino = line({ level: 40, time: 1, pid: 1, hostname: "h", name: "till", msg: "low", left: 2, v: 1 });
    expect(pino).toMatchObject({ severityNumber: 13, body: { stringValue: "low" } });
    expect(plain(pino)).toEqual({ left: { intValue: "2" } });
    const other = line({ severity: "ERROR", message: "no stock", user: { id: 7 } });
    expect(other).toMatchObject({ severityNumber: 17, body: { stringValue: "no stock" } });
    expect(plain(other)["user"]).toEqual({ stringValue: '{"id":7}' });
  });

  test("without a message the line is the body, and without a level the caller's stays", () => {
    expect(line({ a: 1 }, { severity: 5 })).toMatchObject({ severityNumber: 5, body: { stringValue: '{"a":1}' } });
  });

  test("an error under err is an exception, whose message stands where there is none", () => {
    const err = { type: "TypeError", message: "no price", stack: "TypeError: no price\n    at f (a.js:1:1)" };
    const alone = line({ level: 50, err });
    expect(alone["body"]).toEqual({ stringValue: "no price" });
    expect(plain(alone)).toMatchObject({
      "exception.type": { stringValue: "TypeError" },
      "exception.message": { stringValue: "no price" },
      "exception.stacktrace": { stringValue: err.stack },
    });
    expect(line({ msg: "failed", err })["body"]).toEqual({ stringValue: "failed" });
    expect(plain(line({ msg: "x", err: { stack: "s" } }))["exception.type"]).toEqual({ stringValue: "Error" });
    expect(plain(line({ msg: "x", err: null }))["exception.type"]).toBeUndefined();
    expect(plain(line({ msg: "x", err: "text" }))).toEqual({ err: { stringValue: "text" } });
  });

  test("ids are taken where the record has none and they are ids", () => {
    const ids = { msg: "x", trace_id: TRACE, span_id: SPAN };
    expect(line(ids)).toMatchObject({ traceId: TRACE, spanId: SPAN });
    expect(line(ids, { trace: "a".repeat(32), span: "b".repeat(16) })).toMatchObject({ traceId: "a".repeat(32), spanId: "b".repeat(16) }); // prettier-ignore
    expect(line({ ...ids, span_id: "short" })["spanId"]).toBeUndefined();
    expect(line({ ...ids, span_id: "0".repeat(16) })["spanId"]).toBeUndefined();
    for (const bad of ["0".repeat(32), TRACE.toUpperCase(), TRACE.slice(1), 7]) {
      expect(line({ ...ids, trace_id: bad })["traceId"]).toBeUndefined();
    }
  });

  test("what is no JSON stays as it is", () => {
    const record = one({ line: "{no json}", body: "" });
    expect([record["body"], record["attributes"]]).toEqual([{ stringValue: "{no json}" }, []]);
    expect(one({ line: `{${"x".repeat(20_000)}}` })["body"]).toMatchObject({
      stringValue: expect.stringMatching(/… \(20002 characters\)$/) as string,
    });
  });
});

test("spans", () => {
  const span: SpanRecord = {
    kind: "span",
    worth: worthOf(9),
    time: 1,
    end: 2.5,
    scope: "http",
    name: "GET /items/:id",
    role: 2,
    attributes: { "http.route": "/items/:id" },
    events: [{ time: 2, name: "exception", attributes: { "exception.message": "token=hunter22" } }],
    status: 2,
    message: "password=hunter22",
    trace: TRACE,
    span: SPAN,
    parent: "a".repeat(16),
    state: 'vendor="1"',
    size: 1,
  };
  const written = (s: SpanRecord) =>
    (
      JSON.parse(encoder.spans([s])) as {
        resourceSpans: { scopeSpans: { scope: { name: string }; spans: Record<string, unknown>[] }[] }[];
      }
    ).resourceSpans[0]!.scopeSpans[0]!; // prettier-ignore
  const { scope, spans } = written(span);
  expect(scope.name).toBe("http");
  expect(spans[0]).toMatchObject({
    traceId: TRACE,
    spanId: SPAN,
    parentSpanId: "a".repeat(16),
    traceState: 'vendor="1"',
    flags: 1,
    name: "GET /items/:id",
    kind: 2,
    startTimeUnixNano: "1000000",
    endTimeUnixNano: "2500000",
    attributes: [{ key: "http.route", value: { stringValue: "/items/:id" } }],
    events: [{ timeUnixNano: "2000000", name: "exception" }],
    status: { code: 2, message: expect.stringMatching(/^password=<password:\w{8}>$/) as string },
  });
  expect(JSON.stringify(spans)).not.toContain("hunter22");
  const [bare] = written({ ...span, parent: "", state: "", status: 0, message: "", events: [] }).spans;
  expect(bare).toMatchObject({ status: { code: 0 }, events: [] });
  for (const absent of ["parentSpanId", "traceState"]) expect(bare).not.toHaveProperty(absent);
});

test.each([
  ["emerg", 21],
  ["alert", 21],
  ["crit", 21],
  ["FATAL", 21],
  ["error", 17],
  ["Warn", 13],
  ["warning", 13],
  ["notice", 9],
  ["info", 9],
  ["http", 5],
  ["verbose", 5],
  ["debug", 5],
  ["silly", 1],
  ["trace", 1],
  ["loud", undefined],
  [9, undefined],
  [10, 1],
  [19, 1],
  [20, 5],
  [30, 9],
  [40, 13],
  [50, 17],
  [59, 17],
  [60, 21],
  [61, undefined],
  [true, undefined],
])("the level %j is %j", (level, severity) => expect(severityOf(level)).toBe(severity));
