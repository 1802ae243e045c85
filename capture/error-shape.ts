import type { Cause, StackFrame } from "@gasoline/schema/wire";
import { className } from "./class-name.ts";
import {
  append,
  apply,
  descriptor,
  getPrototypeOf,
  getter,
  hasOwn,
  isArray,
  peek,
  prefix,
  prototypeOf,
  slice,
  type Fn,
} from "./natives.ts";
import { readStack } from "./stack.ts";

/** ErrorShape is an error as data. Stack is the raw text, frames its parsed form. */
export interface ErrorShape {
  type: string;
  message: string;
  raw: string;
  frames: StackFrame[];
}

const maxMessage = 4000;
const maxCauses = 5;
const maxErrors = 10;

// V8 turned `stack` from a data property into an accessor over time; both are read, an accessor of the page is not.
const nativeStack = descriptor(new Error("probe"), "stack")?.get as Fn | undefined;
const domName = getter<string>("DOMException", "name");
const domMessage = getter<string>("DOMException", "message");
const errorProto = Error.prototype;
const domProto = prototypeOf("DOMException");

/** isError says whether a value inherits from this realm's Error or DOMException, or looks like another realm's error. */
export function isError(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    let proto: object | null = getPrototypeOf(value);
    for (let up = 0; proto !== null && up < 10; up++) {
      if (proto === errorProto || proto === domProto) return true;
      proto = getPrototypeOf(proto);
    }
    return typeof stackOf(value) === "string" && typeof peek(value, "message") === "string";
  } catch {
    return false; // a proxy's trap threw
  }
}

/** stackOf reads an error's stack without running a getter of the page. Error.prepareStackTrace can make it anything. */
export function stackOf(error: object): unknown {
  const own = descriptor(error, "stack");
  if (own && hasOwn(own, "value")) return own.value;
  if (own && nativeStack && own.get === nativeStack) return apply(nativeStack, error, []);
  return undefined;
}

/**
 * shapeOf takes anything that was thrown apart. What is no error becomes type "Thrown" with a short text, as does an
 * error that is a proxy and whose traps throw.
 */
export function shapeOf(thrown: unknown, textOf: (value: unknown) => string): ErrorShape {
  if (isError(thrown)) {
    try {
      return { type: typeOf(thrown), message: messageOf(thrown), ...readStack(stackOf(thrown)) };
    } catch {
      // told as what it shows itself to be
    }
  }
  return {
    type: "Thrown",
    message: prefix(typeof thrown === "string" ? thrown : textOf(thrown), maxMessage),
    raw: "",
    frames: [],
  };
}

/** describeError is an error in one line: `TypeError: x is not a function`. A proxy whose traps throw is "[unreadable]". */
export function describeError(error: object): string {
  try {
    const message = messageOf(error);
    return typeOf(error) + (message ? ": " + message : "");
  } catch {
    return "[unreadable]";
  }
}

function typeOf(error: object): string {
  const dom = domText(domName, error);
  if (dom !== undefined) return dom;
  const name = peek(error, "name");
  const own = typeof name === "string" ? name : "";
  // A class that extends Error without setting a name is still told by its own one.
  if (own === "Error" || own === "") return className(getPrototypeOf(error)) || "Error";
  return prefix(own, 200);
}

function messageOf(error: object): string {
  const message = domText(domMessage, error) ?? peek(error, "message");
  return typeof message === "string" ? prefix(message, maxMessage) : "";
}

function domText(read: (self: unknown) => string, error: object): string | undefined {
  // Asked of what is none it throws, which is dear.
  let proto = getPrototypeOf(error);
  for (let up = 0; proto !== domProto && className(proto) !== "DOMException"; up++) {
    if (proto === null || proto === errorProto || up > 4) return undefined;
    proto = getPrototypeOf(proto);
  }
  try {
    return read(error);
  } catch {
    return undefined;
  }
}

/** causesOf follows error.cause (≤ 5) and adds the errors of an AggregateError (≤ 10). */
export function causesOf(error: unknown, textOf: (value: unknown) => string): Cause[] | undefined {
  const causes: Cause[] = [];
  try {
    follow(error, causes, textOf);
  } catch {
    // a proxy's trap threw: what there is so far
  }
  return causes.length > 0 ? causes : undefined;
}

function follow(error: unknown, causes: Cause[], textOf: (value: unknown) => string): void {
  let at: unknown = error;
  for (let i = 0; i < maxCauses && isError(at); i++) {
    const own = descriptor(at, "cause");
    if (!own || !hasOwn(own, "value") || own.value === undefined || own.value === at) break;
    at = own.value as unknown;
    append(causes, causeOf(at, textOf));
  }
  const own = isError(error) ? descriptor(error, "errors") : undefined;
  const errors = own && hasOwn(own, "value") ? (own.value as unknown) : undefined;
  if (isArray(errors)) {
    for (let i = 0; i < errors.length && i < maxErrors; i++) {
      const item = descriptor(errors, "" + i);
      if (item && hasOwn(item, "value")) append(causes, causeOf(item.value, textOf));
    }
  }
}

function causeOf(value: unknown, textOf: (value: unknown) => string): Cause {
  const shape = shapeOf(value, textOf);
  return {
    type: shape.type,
    message: slice(shape.message, 0, 1000),
    stack: shape.frames.length > 0 ? shape.frames : undefined,
  } as Cause;
}
