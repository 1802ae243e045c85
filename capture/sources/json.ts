import { stackOf, isError } from "../error-shape.ts";
import { apply, indexOf, NativeWeakMap, peek, weakGet, weakSet, type Fn } from "../natives.ts";
import { proxyMethod } from "../patch.ts";
import type { Source } from "../realm.ts";
import { traceBelow, type Trace } from "../stack.ts";
import { between } from "./body-stream.ts";

const NativeSyntaxError = SyntaxError;
const capture = (Error as unknown as { captureStackTrace?: (error: object, below: Fn) => void }).captureStackTrace;

const nobody = (): void => {};

/** Errors without a stack → where the call was made that failed by them. */
const calls = new NativeWeakMap<object, Trace>();

/** callOf gives where the call was made that failed by an error which has no stack, where that is known. */
export const callOf = (error: unknown): Trace | undefined =>
  typeof error === "object" && error !== null ? (weakGet(calls, error) as Trace | undefined) : undefined;

/**
 * jsonSource makes a body that is no JSON fail by an error of the page. The browser parses what came later while no script
 * runs, takes the error for one of a script of another origin, and so fires no unhandledrejection for it, which its
 * console has. The error is the native's in all that a page can see.
 */
export const jsonSource: Source = {
  name: "json",
  start(realm, guard) {
    const around = (native: Fn, self: unknown, args: unknown[], top: Fn): unknown => {
      const promise = apply(native, self, args) as unknown;
      if (!guard.idle) return promise;
      const trace = guard.run(() => traceBelow(top as never));
      const over = realm.scope?.reading() ?? nobody;
      return between(promise, over, (reason) => {
        over();
        return guard.run(() => likeness(reason, trace)) ?? reason;
      });
    };
    const stops = [proxyMethod(Response.prototype, "json", around), proxyMethod(Request.prototype, "json", around)];
    return () => {
      for (let i = 0; i < stops.length; i++) stops[i]!();
    };
  },
};

/** likeness gives the error again as one of a script, where it was made while none ran. */
function likeness(reason: unknown, trace: Trace | undefined): object | undefined {
  if (!capture || !isError(reason) || peek(reason, "name") !== "SyntaxError") return undefined;
  const stack = stackOf(reason);
  if (typeof stack !== "string" || indexOf(stack, "\n    at ") >= 0) return undefined;
  const made = new NativeSyntaxError(peek(reason, "message") as string);
  // Below what was not called there is nothing: its stack is as empty as the native's.
  capture(made, nobody);
  if (trace) weakSet(calls, made, trace);
  return made;
}
