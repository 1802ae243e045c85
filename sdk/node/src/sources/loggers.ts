import { subscribe } from "node:diagnostics_channel";
import { apply } from "../natives.ts";
import { foreignLogs } from "../opentelemetry.ts";
import { type Attributes, SEVERITY, severityOf } from "../record.ts";
import type { Runtime } from "../runtime.ts";
import { attributesOf, clip, exceptionOf, MAX_BODY, valueOf, word } from "../values.ts";
import { type Patch, wrap } from "./modules.ts";

/** watchPino records the lines that pino makes, with what the program's own redaction did to them. */
export function watchPino(runtime: Runtime): void {
  subscribe("tracing:pino_asJson:end", (message) => {
    runtime.guard(() => {
      const { arguments: args, result } = message as { arguments: ArrayLike<unknown>; result?: unknown };
      if (typeof result !== "string" || foreignLogs()) return;
      runtime.log("pino", severityOf(args[2]) ?? SEVERITY.info, "", undefined, result.slice(0, 64 << 10));
    });
  });
}

const winstonOwn = new Set(["level", "message", "timestamp"]);
const bunyanOwn = new Set(["level", "time", "pid", "hostname", "msg", "v", "name", "src"]);

const nestLevels: Record<string, number> = {
  verbose: SEVERITY.trace,
  debug: SEVERITY.debug,
  log: SEVERITY.info,
  warn: SEVERITY.warn,
  error: SEVERITY.error,
  fatal: SEVERITY.fatal,
};

/** Nest's logger prints by process.stdout. A stack is a text that it was given. */
const nest =
  (runtime: Runtime): Patch =>
  (exported) => {
    wrap(
      (exported as { ConsoleLogger: { prototype: object } }).ConsoleLogger.prototype,
      "printMessages",
      (native) =>
        function (this: unknown, ...args) {
          runtime.guard(() => {
            const [messages, context, level, , stack] = args as [unknown[], unknown, unknown, unknown, unknown];
            const { options } = this as { options?: { forceConsole?: boolean } };
            if (foreignLogs() || options?.forceConsole) return;
            for (const message of messages) {
              let attributes: Attributes | undefined;
              if (message instanceof Error) attributes = runtime.told.has(message) ? {} : exceptionOf(message);
              else if (typeof stack === "string" && stack !== "") {
                attributes = { "exception.type": "Error", "exception.stacktrace": clip(stack, MAX_BODY) };
              }
              const severity = nestLevels[word(level, "log")] ?? SEVERITY.info;
              runtime.log(word(context, "") || "nest", severity, String(valueOf(message)), attributes);
            }
          });
          return apply(native, this, args);
        },
    );
  };

export const loggers = (runtime: Runtime): [string, Patch][] => [
  ["@nestjs/common/services/console-logger.service.js", nest(runtime)],
  [
    "winston/lib/winston/logger.js",
    (Logger) => {
      wrap(
        (Logger as { prototype: object }).prototype,
        "write",
        (native) =>
          function (this: unknown, ...args) {
            runtime.guard(() => {
              const logger = this as { silent?: boolean; isLevelEnabled(level: string): boolean };
              const info = args[0] as { level: string; message: unknown; stack?: unknown };
              if (typeof info !== "object" || info === null || logger.silent === true || foreignLogs()) return;
              if (!logger.isLevelEnabled(info.level)) return;
              const attributes = attributesOf(info, winstonOwn);
              if (info instanceof Error) attributes["exception.type"] = info.name;
              if (typeof info.stack === "string") {
                attributes["exception.message"] = String(info.message);
                attributes["exception.stacktrace"] = info.stack;
                delete attributes["stack"];
              }
              runtime.log(
                "winston",
                severityOf(info.level) ?? SEVERITY.info,
                String(valueOf(info.message)),
                attributes,
              );
            });
            return apply(native, this, args);
          },
      );
    },
  ],
  [
    "bunyan/lib/bunyan.js",
    (Logger) => {
      wrap(
        (Logger as { prototype: object }).prototype,
        "_emit",
        (native) =>
          function (this: unknown, ...args) {
            runtime.guard(() => {
              const record = args[0] as { level: number; msg: unknown; name?: unknown };
              if (args[1] === true || foreignLogs()) return;
              const attributes = attributesOf(record, bunyanOwn);
              runtime.log(
                word(record.name, "bunyan"),
                severityOf(record.level) ?? SEVERITY.info,
                String(valueOf(record.msg)),
                attributes,
              );
            });
            return apply(native, this, args);
          },
      );
    },
  ],
];
