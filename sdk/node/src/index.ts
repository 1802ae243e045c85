// What a program can do besides being watched. Everything here does nothing where nothing was started.
import { rethrown } from "./frames.ts";
import { ROLE } from "./runtime.ts";
import { running } from "./start.ts";
import { SEVERITY } from "./record.ts";
import { exceptionOf, valueOf } from "./values.ts";

export { SESSION, sessionHeader } from "./trace.ts";

/** Runs a function in a span of its own. What it throws, or what its promise is rejected with, is in the span. */
export function span<T>(name: string, run: () => T, attributes: Record<string, unknown> = {}): T {
  const runtime = running();
  const opened = runtime?.open("gasoline", name, ROLE.internal);
  if (!runtime || !opened) return run();
  runtime.guard(() => {
    for (const key of Object.keys(attributes)) opened.attributes[key] = valueOf(attributes[key]);
  });
  const fail = (error: unknown): void => {
    runtime.guard(() => opened.fail(error, true));
    opened.end();
  };
  try {
    const result = runtime.scopes.run(opened, run);
    if (result instanceof Promise) {
      return result.then(
        (value: unknown) => {
          opened.end();
          return value;
        },
        (error: unknown) => {
          fail(error);
          throw error;
        },
      ) as T;
    }
    opened.end();
    return result;
  } catch (error) {
    fail(error);
    throw rethrown(error, "node-do-not-add-exception-line");
  }
}

/** Records an error that the program handles: in the current span, or else as a log. */
export function captureError(error: unknown): void {
  const runtime = running();
  runtime?.guard(() => {
    const current = runtime.scopes.getStore();
    if (current && !current.ended) return current.fail(error, false);
    const attributes = exceptionOf(error);
    runtime.log("gasoline", SEVERITY.error, String(attributes["exception.message"] ?? ""), attributes);
  });
}

/** Returns the ids of the current span, for a logger that is not known here. */
export function currentIds(): { traceId: string; spanId: string } | undefined {
  const current = running()?.scopes.getStore();
  return current && { traceId: current.trace, spanId: current.span };
}

/**
 * Returns an error handler for Express that records and passes on: app.use(expressErrors()) behind the routes. It is
 * needed only in programs that were bundled into one file.
 */
export function expressErrors() {
  return (error: unknown, request: object, _response: unknown, next: (error: unknown) => void): void => {
    record(request, error);
    next(error);
  };
}

/** Returns a middleware for Koa that records what those behind it throw: app.use(koaErrors()) first. */
export function koaErrors() {
  return async (context: { req: object }, next: () => Promise<unknown>): Promise<void> => {
    try {
      await next();
    } catch (error) {
      record(context.req, error);
      throw error;
    }
  };
}

function record(request: object, error: unknown): void {
  const runtime = running();
  runtime?.guard(() => runtime.served.get(request)?.fail(error, true));
}

/** Sends what waits. Resolves when it is gone or the time (500 ms) is over. */
export function flush(ms?: number): Promise<void> {
  return running()?.sender.flush(ms) ?? Promise.resolve();
}

/** Returns counters of this process: events that wait, were sent, were dropped, and requests that failed. */
export function stats(): { waiting: number; sent: number; dropped: number; failures: number } | undefined {
  return running()?.sender.stats();
}
