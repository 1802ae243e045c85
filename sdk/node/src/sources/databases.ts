import { subscribe } from "node:diagnostics_channel";
import { createRequire, isBuiltin } from "node:module";
import { rethrown } from "../frames.ts";
import { apply } from "../natives.ts";
import { ROLE, type Runtime, type Span } from "../runtime.ts";
import type { Value } from "../record.ts";
import { clip, word } from "../values.ts";
import { type Patch, wrap } from "./modules.ts";

const MAX_QUERY = 2048;

interface Call {
  system: string;
  /** The statement with its placeholders; values are never recorded. */
  text: string;
  operation?: string | undefined;
  database?: unknown;
  host?: unknown;
  port?: unknown;
}

function open(runtime: Runtime, scope: string, call: Call): Span | undefined {
  const operation = call.operation ?? (/^\s*(\w+)/.exec(call.text)?.[1] ?? "query").toUpperCase();
  const span = runtime.open(scope, `${operation} ${word(call.database, "")}`.trimEnd(), ROLE.client);
  if (!span) return undefined;
  span.attributes = { "db.system.name": call.system, "db.operation.name": operation };
  if (call.text) span.attributes["db.query.text"] = clip(call.text, MAX_QUERY);
  const set = (name: string, value: unknown) => {
    if (typeof value === "string" || typeof value === "number") span.attributes[name] = value as Value;
  };
  set("db.namespace", call.database);
  set("server.address", call.host);
  set("server.port", call.port);
  return span;
}

/** withoutTexts puts a placeholder where a statement has a text: drivers and programs write values there. */
const withoutTexts = (statement: string, literal = /'(?:[^']|'')*'/g): string =>
  clip(statement, 2 * MAX_QUERY).replace(literal, "?");

function fail(span: Span, error: unknown): void {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "string" || typeof code === "number") span.attributes["db.response.status_code"] = code;
  span.attributes["error.type"] = word(code ?? (error as Error | null)?.name, "Error");
  span.fail(error, false);
}

/** Traced is what the tracing channels of drivers carry. */
interface Traced {
  query?: unknown;
  command?: unknown;
  args?: unknown;
  database?: unknown;
  serverAddress?: unknown;
  serverPort?: unknown;
  error?: unknown;
  result?: unknown;
}

/** watchDrivers follows the drivers that tell their calls by tracing channels: mysql2 and ioredis. */
export function watchDrivers(runtime: Runtime): void {
  const spans = new WeakMap<object, Span>();
  const follow = (channel: string, scope: string, call: (m: Traced) => Call) => {
    const on = (event: string, take: (message: Traced) => void) =>
      subscribe(`tracing:${channel}:${event}`, (message) => runtime.guard(() => take(message as Traced)));
    on("start", (message) => {
      const span = open(runtime, scope, call(message));
      if (span) spans.set(message, span);
    });
    on("error", (message) => {
      const span = spans.get(message);
      if (span) fail(span, message.error);
    });
    // Of a call that threw at once there is no asyncStart.
    on("end", (message) => {
      if (message.error !== undefined) spans.get(message)?.end();
    });
    on("asyncStart", (message) => spans.get(message)?.end());
  };
  const mysql = ({ query, database, serverAddress, serverPort }: Traced): Call => ({
    system: "mysql",
    text: typeof query === "string" ? withoutTexts(query, /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"/gs) : "",
    database,
    host: serverAddress,
    port: serverPort,
  });
  follow("mysql2:query", "mysql2", mysql);
  follow("mysql2:execute", "mysql2", mysql);
  follow("ioredis:command", "ioredis", ({ command, args, database, serverAddress, serverPort }) => {
    const operation = String(command).toUpperCase();
    const key = Array.isArray(args) && typeof args[0] === "string" ? ` ${clip(args[0], 128)}` : "";
    return { system: "redis", operation, text: operation + key, database, host: serverAddress, port: serverPort };
  });
}

interface PgClient {
  database?: unknown;
  host?: unknown;
  port?: unknown;
}

interface PgQuery {
  text?: unknown;
  callback?: unknown;
  submit?: unknown;
}

type Callback = (error: unknown, result?: unknown) => void;

/** pg has no channel: its Client's query is wrapped. A query that the program submits itself is called through. */
const postgres =
  (runtime: Runtime): Patch =>
  (Client) => {
    wrap(
      (Client as { prototype: object }).prototype,
      "query",
      (native) =>
        function (this: unknown, ...args) {
          const client = this as PgClient;
          const [config] = args as [string | PgQuery | null | undefined];
          const text = typeof config === "string" ? config : config?.text;
          if (typeof text !== "string" || (typeof config === "object" && typeof config?.submit === "function")) {
            return apply(native, this, args);
          }
          let span: Span | undefined;
          runtime.guard(() => {
            const { database, host, port } = client;
            span = open(runtime, "pg", {
              system: "postgresql",
              text: withoutTexts(text),
              database,
              host,
              port,
            });
          });
          if (!span) return apply(native, this, args);
          const followed = span;
          const end = (error: unknown) => {
            runtime.guard(() => {
              if (error) fail(followed, error);
              followed.end();
            });
          };
          const inside = (callback: Callback): Callback => {
            const store = runtime.scopes.getStore();
            return function (this: unknown, error, result) {
              end(error);
              const call = () => apply(callback, this, [error, result]);
              if (store) runtime.scopes.run(store, call);
              else call();
            };
          };
          const at = args.findIndex((arg) => typeof arg === "function");
          if (at >= 0) {
            args[at] = inside(args[at] as Callback);
            return apply(native, this, args);
          }
          if (typeof config === "object" && typeof config?.callback === "function") {
            // The program's object stays as it is.
            args[0] = Object.assign(Object.create(Object.getPrototypeOf(config) as object) as object, config, {
              callback: inside(config.callback as Callback),
            });
            return apply(native, this, args);
          }
          const result = apply(native, this, args) as Promise<unknown>;
          return result.then(
            (value) => {
              end(undefined);
              return value;
            },
            (error: unknown) => {
              end(error ?? new Error("failed"));
              throw error;
            },
          );
        },
    );
  };

/** Run is a call of a driver that answers at once. */
interface Run {
  text: string;
  database: unknown;
}

/** sync makes a span of each call of a method that answers at once. of tells the statement, undefined: none. */
function sync(
  runtime: Runtime,
  on: object,
  method: string,
  scope: string,
  of: (self: unknown, args: unknown[]) => Run | undefined,
): void {
  wrap(
    on,
    method,
    (native) =>
      function (this: unknown, ...args) {
        let span: Span | undefined;
        runtime.guard(() => {
          const run = of(this, args);
          if (!run) return;
          span = open(runtime, scope, { system: "sqlite", text: withoutTexts(run.text), database: run.database });
        });
        const opened = span;
        if (!opened) return apply(native, this, args);
        try {
          const result = apply(native, this, args);
          if (method === "iterate") runtime.guard(() => untilDone(runtime, opened, result as Iterator<unknown>));
          else opened.end();
          return result;
        } catch (error) {
          runtime.guard(() => fail(opened, error));
          opened.end();
          throw rethrown(error, "node-do-not-add-exception-line");
        }
      },
  );
}

/** prepared calls what prepares a statement. One that cannot be prepared is a failed span: it will never run. */
function prepared(runtime: Runtime, scope: string, database: () => unknown, text: unknown, call: () => object): object {
  try {
    return call();
  } catch (error) {
    runtime.guard(() => {
      if (typeof text !== "string") return;
      const span = open(runtime, scope, {
        system: "sqlite",
        text: withoutTexts(text),
        database: database(),
      });
      if (!span) return;
      fail(span, error);
      span.end();
    });
    throw rethrown(error, "node-do-not-add-exception-line");
  }
}

/** untilDone ends a span with the iterator that was returned, which reads rows as the program asks for them. */
function untilDone(runtime: Runtime, span: Span, rows: Iterator<unknown>): void {
  for (const name of ["next", "return"] as const) {
    wrap(
      rows,
      name,
      (native) =>
        function (this: unknown, ...args) {
          try {
            const result = apply(native, this, args) as IteratorResult<unknown>;
            if (name === "return" || result.done) span.end();
            return result;
          } catch (error) {
            runtime.guard(() => fail(span, error));
            span.end();
            throw rethrown(error, "node-do-not-add-exception-line");
          }
        },
    );
  }
}

const runs = ["run", "get", "all", "iterate"] as const;

/** The statements of better-sqlite3 are native; their class is known with the first of them. */
const betterSqlite =
  (runtime: Runtime): Patch =>
  (wrappers) => {
    const known = new WeakSet<object>();
    wrap(
      wrappers as object,
      "prepare",
      (native) =>
        function (this: unknown, ...args) {
          const name = () => (this as { name: unknown }).name;
          const call = () => apply(native, this, args) as object;
          const statement = prepared(runtime, "better-sqlite3", name, args[0], call);
          runtime.guard(() => {
            const of = Object.getPrototypeOf(statement) as object;
            if (known.has(of)) return;
            known.add(of);
            for (const method of runs) {
              sync(runtime, of, method, "better-sqlite3", (self) => {
                const { source, database } = self as { source: string; database: { name: unknown } };
                return { text: source, database: database.name };
              });
            }
          });
          return statement;
        },
    );
    sync(runtime, wrappers as object, "exec", "better-sqlite3", (self, [text]) =>
      typeof text === "string" ? { text, database: (self as { name: unknown }).name } : undefined,
    );
  };

interface Sqlite {
  DatabaseSync: { prototype: object };
  StatementSync: { prototype: object };
}

/**
 * watchSqlite follows node:sqlite, where this Node has it. Loading it may print a warning, which comes then with the first
 * use.
 */
export function watchSqlite(runtime: Runtime): void {
  if (!isBuiltin("node:sqlite")) return;
  const { emitWarning } = process;
  const kept: unknown[][] = [];
  process.emitWarning = (...args: unknown[]) => void kept.push(args);
  let module: Sqlite;
  try {
    module = createRequire("/")("node:sqlite") as Sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  const warn = (): void => {
    for (const args of kept.splice(0)) apply(process.emitWarning, process, args);
  };
  const databases = new WeakMap<object, unknown>();
  const place = (database: unknown): string => {
    const at = (database as { location?(): string | null }).location?.();
    return at ?? ":memory:";
  };
  const { DatabaseSync, StatementSync } = module;
  wrap(
    DatabaseSync.prototype,
    "prepare",
    (native) =>
      function (this: unknown, ...args) {
        warn();
        const call = () => apply(native, this, args) as object;
        const statement = prepared(runtime, "node:sqlite", () => place(this), args[0], call);
        runtime.guard(() => databases.set(statement, place(this)));
        return statement;
      },
  );
  sync(runtime, DatabaseSync.prototype, "exec", "node:sqlite", (self, [text]) => {
    warn();
    return typeof text === "string" ? { text, database: place(self) } : undefined;
  });
  for (const method of runs) {
    sync(runtime, StatementSync.prototype, method, "node:sqlite", (self) => ({
      text: (self as { sourceSQL: string }).sourceSQL,
      database: databases.get(self as object),
    }));
  }
}

export const databases = (runtime: Runtime): [string, Patch][] => [
  ["pg/lib/client.js", postgres(runtime)],
  ["better-sqlite3/lib/methods/wrappers.js", betterSqlite(runtime)],
];
