/** Value is what an attribute may hold. Objects and lists become JSON text when the record is made. */
export type Value = string | number | boolean;
export type Attributes = Record<string, Value>;

/** Classes by worth. What is full loses the lowest first. */
export const enum Worth {
  Debug,
  Info,
  Warn,
  /** What belongs to a trace with an error and would have been dropped. */
  Explains,
  Error,
}

export interface LogRecord {
  kind: "log";
  worth: Worth;
  /** Epoch ms. */
  time: number;
  severity: number;
  logger: string;
  body: string;
  /** A line of JSON that body and attributes are read from when it is sent. */
  line?: string;
  attributes: Attributes | undefined;
  trace: string;
  span: string;
  sampled: boolean;
  /** About how many bytes it takes. */
  size: number;
}

export interface SpanEvent {
  time: number;
  name: string;
  attributes: Attributes;
}

export interface SpanRecord {
  kind: "span";
  worth: Worth;
  time: number;
  end: number;
  scope: string;
  name: string;
  /** OTLP's number: 1 internal, 2 server, 3 client. */
  role: number;
  attributes: Attributes;
  events: SpanEvent[];
  /** OTLP's number: 0 unset, 2 error. */
  status: number;
  message: string;
  trace: string;
  span: string;
  parent: string;
  state: string;
  size: number;
}

export type Item = LogRecord | SpanRecord;

export const SEVERITY = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;

/** worthOf returns the class of a severity. */
export function worthOf(severity: number): Worth {
  if (severity >= 17) return Worth.Error;
  if (severity >= 13) return Worth.Warn;
  return severity >= 9 ? Worth.Info : Worth.Debug;
}

/** byTens turns the levels of pino and bunyan (10 to 60) into OTLP's severities. */
function byTens(level: number): number {
  if (level >= 60) return SEVERITY.fatal;
  if (level >= 50) return SEVERITY.error;
  if (level >= 40) return SEVERITY.warn;
  if (level >= 30) return SEVERITY.info;
  return level >= 20 ? SEVERITY.debug : SEVERITY.trace;
}

const words: Record<string, number> = {
  emerg: SEVERITY.fatal,
  alert: SEVERITY.fatal,
  crit: SEVERITY.fatal,
  fatal: SEVERITY.fatal,
  error: SEVERITY.error,
  warn: SEVERITY.warn,
  warning: SEVERITY.warn,
  notice: SEVERITY.info,
  info: SEVERITY.info,
  http: SEVERITY.debug,
  verbose: SEVERITY.debug,
  debug: SEVERITY.debug,
  silly: SEVERITY.trace,
  trace: SEVERITY.trace,
};

/** severityOf reads a level as loggers write it: a word, or a number from 10 to 60; undefined when it is none. */
export function severityOf(level: unknown): number | undefined {
  if (typeof level === "number") return level >= 10 && level <= 60 ? byTens(level) : undefined;
  return typeof level === "string" ? words[level.toLowerCase()] : undefined;
}
