import { AsyncLocalStorage } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import { now } from "./clock.ts";
import type { Config } from "./config.ts";
import { apply, mono } from "./natives.ts";
import { foreignSpan, foreignSpans } from "./opentelemetry.ts";
import { type Attributes, type LogRecord, type SpanEvent, worthOf, Worth } from "./record.ts";
import { Sender } from "./sender.ts";
import { Served } from "./served.ts";
import { newSpan, newTrace, type Parent, parseTraceparent } from "./trace.ts";
import { clip, exceptionOf, MAX_BODY } from "./values.ts";

export const ROLE = { internal: 1, server: 2, client: 3, consumer: 5 } as const;
const MAX_SPAN_EVENTS = 16;
/** Errors outside of any request that production tells, for each second. */
const STRAY_MS = 1000;

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Span is one that is open. Its ids never change. */
export class Span implements Parent {
  readonly trace: string;
  readonly span = newSpan();
  readonly parent: string;
  readonly state: string;
  readonly sampled: boolean;
  readonly random: boolean;
  /** False in production for requests that are not the developer's: nothing in them is recorded. */
  readonly recorded: boolean;
  attributes: Attributes = {};
  status = 0;
  message = "";
  ended = false;
  private readonly time = now();
  private readonly since = mono();
  private readonly events: SpanEvent[] = [];

  constructor(
    private readonly runtime: Runtime,
    readonly scope: string,
    public name: string,
    readonly role: number,
    parent: (Parent & { state?: string }) | undefined,
    recorded = true,
  ) {
    this.trace = parent?.trace ?? newTrace();
    this.parent = parent?.span ?? "";
    this.state = parent?.state ?? "";
    this.sampled = parent?.sampled ?? true;
    this.random = parent?.random ?? false;
    this.recorded = recorded;
  }

  /** Adds what was thrown, once for each error. escaped: nobody had caught it. */
  fail(error: unknown, escaped: boolean): void {
    if (this.ended || !this.runtime.fresh(error)) return;
    this.status = 2;
    const attributes = exceptionOf(error);
    this.message ||= clip(String(attributes["exception.message"] ?? ""), 1024);
    attributes["exception.escaped"] = escaped;
    if (this.events.length < MAX_SPAN_EVENTS) this.events.push({ time: now(), name: "exception", attributes });
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    if (!this.recorded || !this.sampled) return;
    const { trace, span, parent, state, name, role, attributes, events, status, message, scope, time } = this;
    let size = 320 + name.length;
    for (const key in attributes) size += 48 + key.length + String(attributes[key]).length;
    for (const e of events) size += 128 + 2 * String(e.attributes["exception.stacktrace"] ?? "").length;
    this.runtime.sender.push({
      kind: "span",
      worth: status === 2 ? Worth.Error : Worth.Info,
      time,
      end: time + (mono() - this.since),
      scope,
      name,
      role,
      attributes,
      events,
      status,
      message,
      trace,
      span,
      parent,
      state,
      size,
    });
  }
}

/** Runtime is what all sources share. There is one in a process. */
export class Runtime {
  readonly sender: Sender;
  readonly scopes = new AsyncLocalStorage<Span>();
  /** The spans of requests that this process serves, and how a framework tells their routes. */
  readonly served = Served;
  readonly routes = new WeakMap<object, () => unknown>();
  /** Out of whose context an error is just being thrown: while nobody has caught it, no context is there any more. */
  thrown: Span | undefined;
  /** Errors that a span has told. */
  readonly told = new WeakSet<object>();
  private inside = false;
  private lastStray = -Infinity;

  constructor(readonly config: Config) {
    this.sender = new Sender(config);
  }

  /** Opens a span of the current one, or undefined where none is to be recorded. */
  open(scope: string, name: string, role: number): Span | undefined {
    if (foreignSpans()) return undefined;
    const current = this.scopes.getStore();
    if (current ? !current.recorded : this.config.gated) return undefined;
    return new Span(this, scope, name, role, current && !current.ended ? current : undefined);
  }

  /** Gives an emitter's emit that has the listeners of what is served run in its span, whoever tells the event. */
  bound(emit: Method): Method {
    const { scopes, served } = this;
    const within = (span: Span, self: unknown, args: unknown[]): unknown => {
      let thrown = true;
      // What is caught and thrown again is told to have been thrown here.
      try {
        const result = scopes.run(span, () => apply(emit, self, args));
        thrown = false;
        return result;
      } finally {
        if (thrown) {
          this.thrown = span;
          queueMicrotask(() => (this.thrown = undefined));
        }
      }
    };
    return function (this: unknown, ...args) {
      const span = served.get(this as object);
      // Most events have no listener. To enter a context copies those of the whole program.
      return span &&
        scopes.getStore()?.trace !== span.trace &&
        (args[0] === "error" || (this as EventEmitter).listenerCount(args[0] as string))
        ? within(span, this, args)
        : apply(emit, this, args);
    };
  }

  /** Reports whether a traceparent is that of the request which is served: a proxy sends on what it got. */
  copied(header: unknown): boolean {
    const current = this.scopes.getStore();
    const parent = parseTraceparent(header);
    return parent !== undefined && parent.trace === current?.trace && parent.span === current.parent;
  }

  /** Records a log of the current span. It never throws, and what it calls cannot come back to it. */
  log(logger: string, severity: number, body: string, attributes?: Attributes, line?: string): void {
    const span = this.scopes.getStore();
    if (!this.wants(span, severity)) return;
    const other = span ? undefined : foreignSpan();
    const record: LogRecord = {
      kind: "log",
      worth: worthOf(severity),
      time: now(),
      severity,
      logger,
      body: body.length > MAX_BODY ? clip(body, MAX_BODY) : body,
      attributes,
      trace: span?.trace ?? other?.trace ?? "",
      span: span?.span ?? other?.span ?? "",
      sampled: span?.sampled ?? other?.sampled ?? false,
      size: 240 + 2 * Math.min(body.length, MAX_BODY),
    };
    if (line !== undefined) {
      record.line = line;
      record.size += 2 * line.length;
    }
    if (attributes) for (const key in attributes) record.size += 48 + key.length + String(attributes[key]).length;
    this.sender.push(record);
  }

  /** Runs what looks at the program's data. What it throws is nobody's, and what it logs is not recorded. */
  guard(look: () => void): void {
    if (this.inside) return;
    this.inside = true;
    try {
      look();
    } catch {
      // The program must not notice.
    } finally {
      this.inside = false;
    }
  }

  /** Reports whether an error was not told yet, and takes it as told. What is no object is always new. */
  fresh(error: unknown): boolean {
    if (typeof error !== "object" || error === null) return true;
    if (this.told.has(error)) return false;
    this.told.add(error);
    return true;
  }

  private wants(span: Span | undefined, severity: number): boolean {
    if (span) return span.recorded;
    if (!this.config.gated) return true;
    if (severity < 17) return false;
    const at = mono();
    if (at - this.lastStray < STRAY_MS) return false;
    this.lastStray = at;
    return true;
  }
}
