import { apply, append } from "../natives.ts";
import { format } from "../format.ts";
import { proxyMethod, type Stop } from "../patch.ts";
import type { Source } from "../realm.ts";
import { budgetOf, consoleLimits } from "../serialize.ts";
import { framesOf, traceBelow, type Trace } from "../stack.ts";

/** Console method → the level it is recorded with, and whether it says where it was called. */
const methods: readonly (readonly [name: string, level: string, traced: boolean])[] = [
  ["log", "log", false],
  ["info", "info", false],
  ["warn", "warn", true],
  ["error", "error", true],
  ["debug", "debug", false],
  ["trace", "debug", true],
  ["assert", "error", true],
  ["dir", "log", false],
  ["table", "log", false],
  ["group", "log", false],
  ["groupCollapsed", "log", false],
];

/**
 * consoleSource records console calls: the text as printed, the arguments as data. The record is made before the
 * native runs, because a page may change its objects right after; the native is called exactly once, with the same
 * receiver.
 */
export const consoleSource: Source = {
  name: "console",
  start(realm, guard) {
    const record = (name: string, level: string, traced: boolean, args: readonly unknown[], top: Function): void => {
      if (name === "assert") {
        if (args.length > 0 && args[0]) return;
        args = failed(args);
      }
      const trace: Trace | undefined = traced ? traceBelow(top as never) : undefined;
      const budget = budgetOf(consoleLimits, realm.config.salt);
      const { message, args: data } = format(args, budget);
      const stack = trace ? framesOf(trace.stack) : undefined;
      const place = stack && stack.length > 0 ? stack[0] : undefined;
      const { t, mono } = realm.at();
      realm.emit("logs", {
        t,
        mono,
        level,
        message,
        args: data,
        logger: name === level ? undefined : name === "groupCollapsed" ? "group" : name,
        url: place?.url,
        line: place?.line,
        column: place?.column,
        stack,
        flags: budget.cut ? ["truncated"] : undefined,
      });
    };
    const stops: Stop[] = [];
    for (let i = 0; i < methods.length; i++) {
      const [name, level, traced] = methods[i]!;
      append(
        stops,
        proxyMethod(console, name, (target, self, args, top) => {
          guard.run(() => record(name, level, traced, args, top));
          return apply(target, self, args);
        }),
      );
    }
    return () => {
      for (let i = 0; i < stops.length; i++) stops[i]!();
    };
  },
};

/** What console.assert prints of a failed assertion. */
function failed(args: readonly unknown[]): unknown[] {
  const told: unknown[] = [];
  const text = args.length > 1 ? args[1] : undefined;
  append(told, typeof text === "string" ? "Assertion failed: " + text : "Assertion failed");
  for (let i = typeof text === "string" ? 2 : 1; i < args.length; i++) append(told, args[i]);
  return told;
}
