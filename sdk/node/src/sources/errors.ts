import { SEVERITY } from "../record.ts";
import { foreignSpans } from "../opentelemetry.ts";
import { ROLE, type Runtime, Span } from "../runtime.ts";
import { withoutOurs } from "../frames.ts";
import { exceptionOf } from "../values.ts";

/** watchErrors records what nobody caught. What Node does about it stays what it was. */
export function watchErrors(runtime: Runtime): void {
  process.on("uncaughtExceptionMonitor", (error: unknown, origin: string) => {
    runtime.guard(() => {
      withoutOurs(error);
      const current = runtime.scopes.getStore() ?? runtime.thrown;
      // Outside of a request it gets a span of its own: the exception of a span is one, and that of a log is text.
      const own = !runtime.config.gated && !foreignSpans();
      const span =
        current && !current.ended
          ? current
          : own
            ? new Span(runtime, "node", "uncaught error", ROLE.internal, current)
            : undefined;
      if (span?.recorded && span.sampled) {
        span.fail(error, true);
        span.end();
        return;
      }
      const attributes = exceptionOf(error);
      const message = String(attributes["exception.message"] ?? "");
      attributes["exception.escaped"] = true;
      runtime.log(origin, SEVERITY.fatal, `${String(attributes["exception.type"])}: ${message}`, attributes);
    });
  });
}

/** watchEnd sends what is left when the process ends by itself, by process.exit, by an error or by a signal. */
export function watchEnd(runtime: Runtime): void {
  process.on("exit", () => runtime.guard(() => runtime.sender.flushSync()));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    const ours = () => {
      // A program that listens itself decides when it ends.
      if (process.listenerCount(signal) > 1) return;
      runtime.guard(() => runtime.sender.flushSync());
      process.removeListener(signal, ours);
      process.kill(process.pid, signal);
    };
    try {
      process.on(signal, ours);
    } catch {
      // This system does not know the signal, or this is not the main thread.
    }
  }
}
