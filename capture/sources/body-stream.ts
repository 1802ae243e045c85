import { isError } from "../error-shape.ts";
import {
  append,
  apply,
  defineProperty,
  descriptor,
  getPrototypeOf,
  getter,
  method,
  NativePromise,
  NativeWeakMap,
  peek,
  settled,
  weakGet,
  weakSet,
  type Fn,
} from "../natives.ts";
import type { Guard } from "../guard.ts";
import { proxyMethod, type Around, type Stop } from "../patch.ts";

/** Ending is how a page's reading ends: there is no more, it stopped, or the connection broke. */
export type Ending = "ended" | "stopped" | "failed";

/** Heard is told what a page reads of a body. */
export interface Heard {
  /** the page has begun to read; nothing may have come yet */
  begin(): void;
  /** a piece as it was read; it belongs to the page and is only looked at */
  piece(bytes: unknown): void;
  /** all that there was, where the page asked for the whole as text */
  text(whole: string): void;
  /** the last call */
  end(how: Ending, error?: unknown): void;
}

/** Who reads a stream first is listened to; a copy that is read beside it is not. */
interface Tap {
  heard: Heard;
  reader: object | undefined;
  begun: boolean;
  over: boolean;
}

const streams = new NativeWeakMap<object, Tap>();
const readers = new NativeWeakMap<object, Tap>();
const responses = new NativeWeakMap<object, Tap>();

const getBody = getter<object | null>("Response", "body");
const valuesOf = method<[], object>("ReadableStream", "values");
const pipeTo = method<[object, object?], Promise<void>>("ReadableStream", "pipeTo");
const NativeTransform = globalThis.TransformStream;
const enqueue = method<[unknown], void>("TransformStreamDefaultController", "enqueue");
const locked = getter<boolean>("WritableStream", "locked");
const streamLocked = getter<boolean>("ReadableStream", "locked");
/** The writable ends of what a stream may be led through. */
const writables = [
  getter<object>("TransformStream", "writable"),
  getter<object>("TextDecoderStream", "writable"),
  getter<object>("TextEncoderStream", "writable"),
  getter<object>("CompressionStream", "writable"),
  getter<object>("DecompressionStream", "writable"),
];

const of = (map: WeakMap<object, Tap>, key: unknown): Tap | undefined =>
  typeof key === "object" && key !== null ? (weakGet(map, key) as Tap | undefined) : undefined;

const asyncIterator: typeof Symbol.asyncIterator = Symbol.asyncIterator;
let patched: Stop | undefined;

/** overhearNothing takes the natives that were replaced back, where nobody wrapped ours. */
export function overhearNothing(): void {
  patched?.();
  patched = undefined;
}

/**
 * overhear tells what the page itself reads of a response's body: by a reader, a loop, a pipe, and with `whole` by text(),
 * json() and their like. Nothing is copied and nothing is held open. The natives are replaced when the first such response
 * comes, before the page has it.
 */
export function overhear(response: object, guard: Guard, heard: Heard, whole: boolean): void {
  const body = getBody(response);
  if (!body) return;
  patched ??= patch(guard);
  const tap: Tap = { heard, reader: undefined, begun: false, over: false };
  weakSet(streams, body, tap);
  if (whole) weakSet(responses, response, tap);
}

function patch(guard: Guard): Stop {
  const undo: Stop[] = [];
  const proxy = (owner: object, name: string, around: Around): void => append(undo, proxyMethod(owner, name, around));
  const stream = ReadableStream.prototype;
  const piece = (tap: Tap, reader: object, bytes: unknown): void => {
    if (tap.over) return;
    tap.reader ??= reader;
    if (tap.reader === reader) guard.run(() => tap.heard.piece(bytes));
  };
  const begin = (tap: Tap): void => {
    if (tap.begun) return;
    tap.begun = true;
    guard.run(() => tap.heard.begin());
  };
  const end = (tap: Tap, reader: object, how: Ending, error?: unknown): void => {
    if (tap.over || (tap.reader !== undefined && tap.reader !== reader)) return;
    tap.over = true;
    guard.run(() => tap.heard.end(how, error));
  };
  /** What a read gives: {done, value}, made by the platform. */
  const reads = (native: Fn, self: unknown, args: unknown[]): unknown => {
    const promise = apply(native, self, args) as unknown;
    const tap = of(readers, self);
    if (!tap || tap.over) return promise;
    begin(tap);
    return between(
      promise,
      (result: { done: boolean; value?: unknown }) =>
        result.done ? end(tap, self as object, "ended") : piece(tap, self as object, result.value),
      (error) => end(tap, self as object, "failed", error),
    );
  };
  const stops = (native: Fn, self: unknown, args: unknown[]): unknown => {
    const result = apply(native, self, args) as unknown;
    const tap = of(readers, self) ?? of(streams, self);
    // Of a stream that is locked the native refuses it.
    if (tap && (of(readers, self) || !streamLocked(self))) end(tap, tap.reader ?? (self as object), "stopped");
    return result;
  };
  const leads = (native: Fn, self: unknown, args: unknown[]): unknown => {
    const made = apply(native, self, args) as object;
    const tap = of(streams, self);
    if (tap) weakSet(readers, made, tap);
    return made;
  };
  proxy(stream, "getReader", leads);
  proxy(stream, "values", leads);
  // They are one function, and stay one.
  const before = descriptor(stream, asyncIterator)?.value as unknown;
  const alike = (): void => {
    const values = descriptor(stream, "values");
    if (values) defineProperty(stream, asyncIterator, { __proto__: null, ...values, enumerable: false } as never);
  };
  alike();
  const ours = descriptor(stream, asyncIterator)?.value as unknown;
  append(undo, () => {
    if (ours !== before && descriptor(stream, asyncIterator)?.value === ours) alike();
  });
  proxy(stream, "cancel", stops);
  const names = ["ReadableStreamDefaultReader", "ReadableStreamBYOBReader"] as const;
  for (let i = 0; i < names.length; i++) {
    const proto = (globalThis[names[i]!] as { prototype: object }).prototype;
    proxy(proto, "read", reads);
    proxy(proto, "cancel", stops);
  }
  const iterator = getPrototypeOf(valuesOf(new ReadableStream())) as object;
  proxy(iterator, "next", reads);
  proxy(iterator, "return", stops);
  proxy(stream, "tee", (native, self, args) => {
    const both = apply(native, self, args) as object[];
    const tap = of(streams, self);
    if (tap) {
      weakSet(streams, both[0]!, tap);
      weakSet(streams, both[1]!, tap);
    }
    return both;
  });
  /** passed puts a stream of ours between, which tells what goes through, and gives its readable end. */
  const passed = (tap: Tap, self: object): { readable: object; done: Promise<void> } => {
    const through = new NativeTransform({
      __proto__: null,
      transform: (chunk: unknown, controller: object) => {
        piece(tap, self, chunk);
        enqueue(controller, chunk);
      },
    } as never);
    const done = pipeTo(self, through.writable);
    begin(tap);
    settled(
      done,
      () => end(tap, self, "ended"),
      (error) => end(tap, self, isError(error) ? "failed" : "stopped", error),
    );
    return { readable: through.readable, done };
  };
  proxy(stream, "pipeTo", (native, self, args) => {
    const tap = of(streams, self);
    const to = args.length > 0 ? args[0] : undefined;
    // What stays with the page when a pipe ends, we would have led away.
    const options = args.length > 1 && typeof args[1] === "object" && args[1] !== null ? args[1] : undefined;
    const keeps = options !== undefined && peek(options, "preventCancel") !== undefined;
    if (!tap || keeps || !guard.idle || streamLocked(self) || !free(to)) return apply(native, self, args);
    return apply(native, passed(tap, self as object).readable, args);
  });
  proxy(stream, "pipeThrough", (native, self, args) => {
    const tap = of(streams, self);
    if (!tap || !guard.idle || streamLocked(self) || !free(endOf(args.length > 0 ? args[0] : undefined)))
      return apply(native, self, args);
    return apply(native, passed(tap, self as object).readable, args);
  });
  proxy(Response.prototype, "clone", (native, self, args) => {
    const copy = apply(native, self, args) as object;
    const tap = of(responses, self);
    if (tap) {
      // Both have a new stream now.
      const bodies = [getBody(self), getBody(copy)];
      for (let i = 0; i < 2; i++) if (bodies[i]) weakSet(streams, bodies[i]!, tap);
      weakSet(responses, copy, tap);
    }
    return copy;
  });
  const wholes = ["text", "json", "arrayBuffer", "blob", "bytes", "formData"];
  for (let i = 0; i < wholes.length; i++) {
    const name = wholes[i]!;
    proxy(Response.prototype, name, (native, self, args) => {
      const promise = apply(native, self, args) as unknown;
      const tap = of(responses, self);
      if (!tap || tap.over) return promise;
      begin(tap);
      return between(
        promise,
        (value: unknown) => {
          if (tap.over || (tap.reader !== undefined && tap.reader !== self)) return;
          tap.reader = self as object;
          if (name === "text") guard.run(() => tap.heard.text(value as string));
          else if (name === "arrayBuffer" || name === "bytes") piece(tap, self as object, value);
          end(tap, self as object, "ended");
        },
        (error) => end(tap, self as object, "failed", error),
      );
    });
  }
  return () => {
    for (let i = 0; i < undo.length; i++) undo[i]!();
  };
}

/** free says that a value is a WritableStream that nobody writes to: what the native would refuse is left to it. */
function free(value: unknown): boolean {
  try {
    return locked(value) === false;
  } catch {
    return false;
  }
}

function endOf(through: unknown): unknown {
  if (typeof through !== "object" || through === null) return undefined;
  for (let i = 0; i < writables.length; i++) {
    try {
      const end = writables[i]!(through);
      if (end) return end;
    } catch {
      // not that class
    }
  }
  // A pair of the page's own.
  try {
    return streamLocked(peek(through, "readable")) === false ? peek(through, "writable") : undefined;
  } catch {
    return undefined;
  }
}

/**
 * between gives a promise that settles as the native's, after we have seen it. The native's own may not have a handler of
 * ours: one that has a handler never counts as unhandled. What is no native promise, of somebody who replaced the method
 * before us, is handed on as it is. failed may give a reason in the place of the native's.
 */
export function between<T>(
  promise: unknown,
  seen: (value: T) => void,
  failed: (reason: unknown) => unknown,
  strange?: () => void,
): unknown {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const made = new NativePromise<T>((ok, err) => {
    resolve = ok;
    reject = err;
  });
  try {
    settled(
      promise,
      (value: T) => {
        seen(value);
        resolve(value);
      },
      (reason: unknown) => {
        reject(failed(reason) ?? reason);
      },
    );
    return made;
  } catch {
    strange?.();
    return promise;
  }
}
