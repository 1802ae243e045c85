/** The header by which a developer's own requests are told from others in production. */
export declare const SESSION = "gasoline-session";

/**
 * Returns a value of the header gasoline-session: valid for an hour, made with the token that the service has in
 * GASOLINE_TOKEN. now is epoch ms.
 */
export declare function sessionHeader(token: string, now?: number): string;

/**
 * Runs a function in a span of its own. What it throws, or what its promise is rejected with, is in the span and comes
 * out as it was. Attributes that are no scalars become JSON of at most 4,096 characters.
 */
export declare function span<T>(name: string, run: () => T, attributes?: Record<string, unknown>): T;

/** Records an error that the program handles: in the current span, or else as a log. The same error counts once. */
export declare function captureError(error: unknown): void;

/** Returns the ids of the current span, for a logger that is not known here. */
export declare function currentIds(): { traceId: string; spanId: string } | undefined;

/**
 * Returns an error handler for Express that records and passes on: app.use(expressErrors()) behind the routes. Only
 * programs that were bundled into one file need it.
 */
export declare function expressErrors(): (
  error: unknown,
  request: object,
  response: unknown,
  next: (error: unknown) => void,
) => void;

/**
 * Returns a middleware for Koa that records what those behind it throw: app.use(koaErrors()) first. Only programs that
 * were bundled into one file need it.
 */
export declare function koaErrors(): (context: { req: object }, next: () => Promise<unknown>) => Promise<void>;

/** Sends what waits. Resolves when it is gone, a request has failed, or the time (500 ms) is over. It never rejects. */
export declare function flush(ms?: number): Promise<void>;

/** Counters of this process. */
export interface Stats {
  /** Events that wait. */
  waiting: number;
  /** Events that the daemon took. */
  sent: number;
  /** Events that were dropped here: over the bounds, or refused. */
  dropped: number;
  /** Requests that failed. */
  failures: number;
}

/** Returns the counters, undefined where nothing was started. */
export declare function stats(): Stats | undefined;
