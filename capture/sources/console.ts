import { append, apply, bare, mapDelete, mapGet, mapSet, NativeMap, now, prefix } from "../natives.ts";
import { format } from "../format.ts";
import { proxyMethod, type Stop } from "../patch.ts";
import type { Source } from "../realm.ts";
import { budgetOf, consoleLimits } from "../serialize.ts";
import { framesOf, traceBelow, type Trace } from "../stack.ts";
import { textArgument } from "./request.ts";

/** Line is what a call prints: a text, and arguments that follow it. */
interface Line {
  text: string | undefined;
  args: readonly unknown[];
  /** warn, where the method complains instead */
  level: string | undefined;
}

const none: readonly unknown[] = [];

const lineOf = (text: string | undefined, level?: string, args: readonly unknown[] = none): Line => ({
  text,
  level,
  args,
});

/** What a method prints of its arguments, where it is not all of them; undefined: nothing. Its label is a text already. */
type Print = (args: readonly unknown[], label: string, tally: Tally) => Line | undefined;

interface Method {
  name: string;
  /** the level it is recorded with */
  level: string;
  /** it says where it was called */
  traced?: true;
  /** its first argument is a label: the platform turns it into text, and what is missing is "default" */
  labelled?: true;
  print?: Print;
}

/** https://console.spec.whatwg.org: everything that prints, or that a later call prints of. */
const methods: readonly Method[] = [
  { name: "log", level: "log" },
  { name: "info", level: "info" },
  { name: "warn", level: "warn", traced: true },
  { name: "error", level: "error", traced: true },
  { name: "debug", level: "debug" },
  { name: "trace", level: "debug", traced: true },
  {
    name: "assert",
    level: "error",
    traced: true,
    print: (args) => (args.length > 0 && args[0] ? undefined : failed(args)),
  },
  { name: "dir", level: "log" },
  { name: "dirxml", level: "log" },
  { name: "table", level: "log" },
  { name: "group", level: "log" },
  { name: "groupCollapsed", level: "log" },
  { name: "clear", level: "log", print: () => lineOf("The console was cleared") },
  { name: "count", level: "log", labelled: true, print: (_, label, tally) => tally.count(label) },
  { name: "countReset", level: "log", labelled: true, print: (_, label, tally) => tally.reset(label) },
  { name: "time", level: "log", labelled: true, print: (_, label, tally) => tally.begin(label) },
  { name: "timeLog", level: "log", labelled: true, print: (args, label, tally) => tally.time(label, args, false) },
  { name: "timeEnd", level: "log", labelled: true, print: (_, label, tally) => tally.time(label, [], true) },
];

/**
 * consoleSource records console calls: the text as printed, the arguments as data. The record is made before the
 * native runs, because a page may change its objects right after; the native is called exactly once, with the same
 * receiver.
 */
export const consoleSource: Source = {
  name: "console",
  start(realm, guard) {
    const tally = new Tally(() => realm.config.lateSince);
    const record = (method: Method, args: readonly unknown[], label: string, top: Function): void => {
      const { name, print } = method;
      const line: Line | undefined = print ? print(args, label, tally) : lineOf(undefined, undefined, args);
      if (!line) return;
      const level = line.level ?? method.level;
      const trace: Trace | undefined = method.traced ? traceBelow(top as never) : undefined;
      const budget = budgetOf(consoleLimits, realm.config.salt);
      const { message: said, args: data } = format(line.args, budget);
      const message = line.text === undefined ? said : line.text + (said === "" ? "" : " " + said);
      const stack = trace ? framesOf(trace.stack) : undefined;
      const place = stack && stack.length > 0 ? stack[0] : undefined;
      const { t, mono } = realm.at();
      realm.emit("logs", {
        t,
        mono,
        level,
        message,
        args: data,
        logger: name === method.level ? undefined : name === "groupCollapsed" ? "group" : name,
        url: place?.url,
        line: place?.line,
        column: place?.column,
        stack,
        flags: budget.cut ? ["truncated"] : undefined,
      });
    };
    const stops: Stop[] = [];
    const watch = (target: object): void => {
      for (let i = 0; i < methods.length; i++) {
        const method = bare(methods[i]!);
        append(
          stops,
          proxyMethod(target, method.name, (native, self, args, top) => {
            if (guard.idle) {
              // Before the guard: what the page's toString prints is a line like any.
              const label = !method.labelled ? "" : labelOf(args);
              guard.run(() => record(method, args, label, top));
            }
            return apply(native, self, args);
          }),
        );
      }
    };
    watch(console);
    return () => {
      for (let i = 0; i < stops.length; i++) stops[i]!();
    };
  },
};

const labelOf = (args: unknown[]): string =>
  args.length > 0 && args[0] !== undefined ? textArgument(args, 0) : "default";

const maxLabels = 1000;
const maxLabel = 200;

/** Tally keeps the counters and timers of a console, as the browser does, which shows them to nobody. ≤ 1,000 of each. */
class Tally {
  readonly #counts = new NativeMap<string, number>();
  readonly #timers = new NativeMap<string, number>();
  readonly #late: () => boolean;
  #counted = 0;
  #timed = 0;

  /** late says that calls may have been made before this began to listen. */
  constructor(late: () => boolean) {
    this.#late = late;
  }

  count(label: string): Line {
    const before = mapGet(this.#counts, label) as number | undefined;
    if (before === undefined && ++this.#counted > maxLabels) {
      this.#counted = maxLabels;
      return lineOf(shown(label) + ": (counted by the browser alone: there are more than 1,000 counters)");
    }
    const count = (before ?? 0) + 1;
    mapSet(this.#counts, label, count);
    return lineOf(shown(label) + ": " + count);
  }

  reset(label: string): Line | undefined {
    if (mapDelete(this.#counts, label)) {
      this.#counted--;
      return undefined;
    }
    return this.#unknown() ? undefined : lineOf("Count for '" + shown(label) + "' does not exist", "warn");
  }

  begin(label: string): Line | undefined {
    if (mapGet(this.#timers, label) !== undefined) return lineOf("Timer '" + shown(label) + "' already exists", "warn");
    if (this.#timed >= maxLabels) return undefined;
    this.#timed++;
    mapSet(this.#timers, label, now());
    return undefined;
  }

  /** time prints what a timer says, and ends it; args[0] is its label. */
  time(label: string, args: readonly unknown[], end: boolean): Line {
    const began = mapGet(this.#timers, label) as number | undefined;
    const text = shown(label) + ": ";
    const more: unknown[] = [];
    for (let i = 1; i < args.length; i++) append(more, args[i]);
    if (began === undefined) {
      if (this.#unknown()) return lineOf(text + "(began before it was recorded)", undefined, more);
      return lineOf("Timer '" + shown(label) + "' does not exist", "warn");
    }
    const ms = now() - began;
    if (end) {
      mapDelete(this.#timers, label);
      this.#timed--;
    }
    return lineOf(text + round(ms * 1000) / 1000 + " ms", undefined, more);
  }

  /** unknown says that a label may well be the browser's though it is none of ours. */
  #unknown(): boolean {
    return this.#late() || this.#timed >= maxLabels || this.#counted >= maxLabels;
  }
}

const round = Math.round;
const shown = (label: string): string => prefix(label, maxLabel);

/** What console.assert prints of a failed assertion. */
function failed(args: readonly unknown[]): Line {
  const told: unknown[] = [];
  const text = args.length > 1 ? args[1] : undefined;
  append(told, typeof text === "string" ? "Assertion failed: " + text : "Assertion failed");
  for (let i = typeof text === "string" ? 2 : 1; i < args.length; i++) append(told, args[i]);
  return lineOf(undefined, undefined, told);
}
