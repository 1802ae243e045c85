import { nanos, now } from "./clock.ts";
import type { Config } from "./config.ts";
import { attribute, secret, text } from "./redact.ts";
import {
  type Attributes,
  type Item,
  type LogRecord,
  SEVERITY,
  severityOf,
  type SpanEvent,
  type SpanRecord,
  type Value,
} from "./record.ts";
import { attributesOf, clip, MAX_BODY, word } from "./values.ts";

const quoted: (text: string) => string = JSON.stringify;

/** Encoder writes items as OTLP/JSON, with secrets masked. The text is put together by hand, at a third of the cost. */
export class Encoder {
  private readonly resource: string;

  constructor(config: Config) {
    this.resource = `{"attributes":${attributes({
      "service.name": config.service,
      "service.instance.id": config.instance,
      ...(config.version && { "service.version": config.version }),
      ...(config.environment && { "deployment.environment.name": config.environment }),
      "process.pid": process.pid,
      "telemetry.sdk.name": "gasoline",
      "telemetry.sdk.language": "nodejs",
    })}}`;
  }

  /** Returns an ExportLogsServiceRequest. */
  logs(items: readonly LogRecord[]): string {
    const observed = nanos(now());
    const scopes = group(items, (item) => item.logger);
    const groups = [...scopes].map(
      ([name, list]) =>
        `{"scope":{"name":${quoted(name)}},"logRecords":[${list.map((item) => log(item, observed)).join(",")}]}`,
    );
    return `{"resourceLogs":[{"resource":${this.resource},"scopeLogs":[${groups.join(",")}]}]}`;
  }

  /** Returns an ExportTraceServiceRequest. */
  spans(items: readonly SpanRecord[]): string {
    const scopes = group(items, (item) => item.scope);
    const groups = [...scopes].map(
      ([name, list]) => `{"scope":{"name":${quoted(name)}},"spans":[${list.map(span).join(",")}]}`,
    );
    return `{"resourceSpans":[{"resource":${this.resource},"scopeSpans":[${groups.join(",")}]}]}`;
  }
}

function group<I extends Item>(items: readonly I[], by: (item: I) => string): Map<string, I[]> {
  const out = new Map<string, I[]>();
  for (const item of items.slice().sort(byTime)) {
    const list = out.get(by(item));
    if (list) list.push(item);
    else out.set(by(item), [item]);
  }
  return out;
}

const byTime = (a: Item, b: Item): number => a.time - b.time;

function log(item: LogRecord, observed: string): string {
  if (item.line !== undefined) read(item, item.line);
  const { trace, span, severity } = item;
  let out =
    `{"timeUnixNano":"${nanos(item.time)}","observedTimeUnixNano":"${observed}","severityNumber":${severity},` +
    `"severityText":"${levelOf(severity)}","body":{"stringValue":${quoted(text(item.body))}},` +
    `"attributes":${item.attributes ? attributes(item.attributes) : "[]"}`;
  if (trace !== "") {
    out += `,"traceId":"${trace}"`;
    if (span !== "") out += `,"spanId":"${span}"`;
    out += item.sampled ? `,"flags":1` : `,"flags":0`;
  }
  return `${out}}`;
}

/** What a line of pino holds besides its fields. */
const pinoOwn = new Set(["level", "time", "pid", "hostname", "msg", "v", "name"]);

/** read takes message and fields from a line of JSON, which a logger has made with its own redaction. */
function read(item: LogRecord, line: string): void {
  item.line = undefined as never;
  try {
    const fields = JSON.parse(line) as Record<string, unknown>;
    const message = fields["msg"] ?? fields["message"];
    item.body = clip(typeof message === "string" ? message : line, MAX_BODY);
    if (typeof fields["name"] === "string") item.logger = fields["name"];
    const failed = fields["err"] as { type?: unknown; message?: unknown; stack?: unknown } | null | undefined;
    const out: Attributes = {};
    if (typeof failed === "object" && failed !== null && typeof failed.stack === "string") {
      out["exception.type"] = word(failed.type, "Error");
      out["exception.message"] = word(failed.message, "");
      out["exception.stacktrace"] = clip(failed.stack, MAX_BODY);
      if (item.body === line) item.body = out["exception.message"];
    }
    item.attributes = attributesOf(fields, pinoOwn, out);
    item.severity = severityOf(fields["level"] ?? fields["severity"]) ?? item.severity;
    const { trace_id: trace, span_id: span } = fields;
    if (item.trace === "" && typeof trace === "string" && /^(?!0{32})[0-9a-f]{32}$/.test(trace)) {
      item.trace = trace;
      item.span = typeof span === "string" && /^(?!0{16})[0-9a-f]{16}$/.test(span) ? span : "";
    }
  } catch {
    item.body = clip(line, MAX_BODY);
  }
}

function span(item: SpanRecord): string {
  let out = `{"traceId":"${item.trace}","spanId":"${item.span}"`;
  if (item.parent !== "") out += `,"parentSpanId":"${item.parent}"`;
  if (item.state !== "") out += `,"traceState":${quoted(item.state)}`;
  const message = item.message === "" ? "" : `,"message":${quoted(text(item.message))}`;
  return (
    `${out},"flags":1,"name":${quoted(text(item.name))},"kind":${item.role},"startTimeUnixNano":"${nanos(item.time)}",` +
    `"endTimeUnixNano":"${nanos(item.end)}","attributes":${attributes(item.attributes)},` +
    `"events":[${item.events.map(event).join(",")}],"status":{"code":${item.status}${message}}}`
  );
}

const event = (e: SpanEvent): string =>
  `{"timeUnixNano":"${nanos(e.time)}","name":${quoted(e.name)},"attributes":${attributes(e.attributes)}}`;

function attributes(from: Attributes): string {
  let out = "";
  for (const key of Object.keys(from)) {
    out += `${out === "" ? "" : ","}{"key":${quoted(key)},"value":${value(key, from[key] as Value)}}`;
  }
  return `[${out}]`;
}

function value(key: string, v: Value): string {
  if (typeof v === "string" || secret(key)) return `{"stringValue":${quoted(attribute(key, String(v)))}}`;
  if (typeof v === "boolean") return `{"boolValue":${v}}`;
  if (Number.isSafeInteger(v)) return `{"intValue":"${v}"}`;
  // JSON has no NaN.
  return `{"doubleValue":${Number.isFinite(v) ? v : `"${v}"`}}`;
}

function levelOf(severity: number): string {
  if (severity >= SEVERITY.fatal) return "FATAL";
  if (severity >= SEVERITY.error) return "ERROR";
  if (severity >= SEVERITY.warn) return "WARN";
  if (severity >= SEVERITY.info) return "INFO";
  return severity >= SEVERITY.debug ? "DEBUG" : "TRACE";
}
