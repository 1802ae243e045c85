import { formatWithOptions } from "node:util";
import { apply } from "../natives.ts";
import { SEVERITY } from "../record.ts";
import type { Runtime } from "../runtime.ts";
import { clip, exceptionOf, MAX_BODY } from "../values.ts";

const methods = {
  debug: SEVERITY.debug,
  log: SEVERITY.info,
  info: SEVERITY.info,
  warn: SEVERITY.warn,
  error: SEVERITY.error,
} as const;

const options = { depth: 3, maxArrayLength: 32, maxStringLength: 8192, breakLength: Infinity, compact: 3 } as const;

/** joined returns what console makes of texts and numbers without placeholders, undefined for anything else. */
function joined(args: readonly unknown[]): string | undefined {
  let out = "";
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (typeof arg === "string" ? i === 0 && arg.includes("%") : typeof arg !== "number" || Object.is(arg, -0)) {
      return undefined;
    }
    out += i === 0 ? String(arg) : ` ${String(arg)}`;
  }
  return out;
}

/** watchConsole records what console prints. The native calls run as before, after it. */
export function watchConsole(runtime: Runtime): void {
  for (const method of Object.keys(methods) as (keyof typeof methods)[]) {
    const native = console[method];
    const severity = methods[method];
    const ours = function (this: unknown, ...args: unknown[]): void {
      runtime.guard(() => {
        const [first] = args;
        const plain = args.length === 1 && typeof first === "string";
        const body = plain ? first : (joined(args) ?? formatWithOptions(options, ...args));
        const error = plain ? undefined : args.find((arg) => typeof arg === "object" && arg instanceof Error);
        // Many loggers write their lines of JSON by console.
        const line = plain && body[0] === "{" && body[body.length - 1] === "}" ? clip(body, MAX_BODY) : undefined;
        runtime.log("console", severity, body, error === undefined ? undefined : exceptionOf(error), line);
      });
      apply(native, this, args);
    };
    Object.defineProperty(ours, "name", { value: native.name });
    Object.defineProperty(ours, "length", { value: native.length });
    console[method] = ours;
  }
}
