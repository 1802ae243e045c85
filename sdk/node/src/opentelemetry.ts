import type { Parent } from "./trace.ts";

// OpenTelemetry's API keeps what was registered in a global, under names that it promises to keep.
const api = Symbol.for("opentelemetry.js.api.1");
const logs = Symbol.for("io.opentelemetry.js.api.logs");
const key = Symbol.for("OpenTelemetry Context Key SPAN");

const ids = /^[0-9a-f]{48}$/;

interface Registered {
  trace?: unknown;
  context?: { active(): { getValue(key: symbol): unknown } };
}

const registered = (): Registered | undefined => (globalThis as unknown as Record<symbol, Registered | undefined>)[api];

/** foreignSpans reports whether an OpenTelemetry SDK makes the spans of this process. */
export const foreignSpans = (): boolean => registered()?.trace !== undefined;

/** foreignLogs reports whether an OpenTelemetry SDK sends what loggers write. */
export const foreignLogs = (): boolean => (globalThis as unknown as Record<symbol, unknown>)[logs] !== undefined;

/** foreignSpan returns the ids of the span that an OpenTelemetry SDK has active. */
export function foreignSpan(): Parent | undefined {
  const context = registered()?.context;
  if (!context) return undefined;
  try {
    const span = context.active().getValue(key) as
      | { spanContext(): { traceId: string; spanId: string; traceFlags: number } }
      | undefined;
    if (!span) return undefined;
    const { traceId, spanId, traceFlags } = span.spanContext();
    if (!ids.test(traceId + spanId)) return undefined;
    return { trace: traceId, span: spanId, sampled: (traceFlags & 1) === 1, random: (traceFlags & 2) === 2 };
  } catch {
    return undefined;
  }
}
