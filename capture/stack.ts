import type { StackFrame } from "@gasoline/schema/wire";
import { append, charCode, indexOf, lastIndexOf, slice, startsWith, type Fn } from "./natives.ts";

/** Most frames that are kept of one stack. */
const maxFrames = 30;
/** Most characters that are read of one stack. */
const maxText = 10_000;

/** Trace is a call stack that is not formatted yet: taking it costs about a third of reading it. */
export interface Trace {
  stack?: unknown;
}

const capture = (Error as { captureStackTrace?: (holder: object, below: Fn) => void }).captureStackTrace;

/** traceBelow takes the stack of the caller of `top`, without top and what it called. */
export function traceBelow(top: Fn): Trace {
  const holder = { __proto__: null } as Trace;
  capture?.(holder, top);
  return holder;
}

/** Stack is a stack of the page's. Raw is its text, frames the parsed form, innermost call first. */
export interface Stack {
  raw: string;
  frames: StackFrame[];
}

/**
 * readStack reads ≤ 10 kB of a V8 stack, ≤ 30 frames. Frames of our own script, which stand between the page and the
 * natives that we patch, are left out of both forms. A page's Error.prepareStackTrace can make a stack anything: what
 * is no text reads as empty. It uses no regular expression: those would change RegExp.$1 and lastMatch under the page's
 * feet.
 */
export function readStack(stack: unknown): Stack {
  const text = typeof stack === "string" ? slice(stack, 0, maxText) : "";
  const frames: StackFrame[] = [];
  let raw = "";
  let from = 0;
  while (from < text.length) {
    const newline = indexOf(text, "\n", from);
    const end = newline < 0 ? text.length : newline + 1;
    const frame = frameOf(slice(text, from, newline < 0 ? end : newline));
    if (!frame || !isOurs(frame.url)) {
      raw += slice(text, from, end);
      // Defining and not assigning: an index setter on Array.prototype would swallow it.
      if (frame && frames.length < maxFrames) append(frames, frame);
    }
    from = end;
  }
  return { raw, frames };
}

/** framesOf is the parsed form of a stack alone; the lines before the first call (type and message) are no frames. */
export function framesOf(stack: unknown): StackFrame[] {
  return readStack(stack).frames;
}

/** isOurs says whether a URL is that of our own script. */
export function isOurs(url: string): boolean {
  return own !== "" && url === own;
}

// Part of a document, or given no name at all, our script cannot be told from the page's: then nothing is ours.
const own = scriptURL(new Error().stack);

/** scriptURL names the script of a stack's first frame; "" where that is the document's own, or has no name. */
export function scriptURL(stack: unknown): string {
  if (typeof stack !== "string") return "";
  const first = indexOf(stack, "\n") + 1;
  const end = indexOf(stack, "\n", first);
  const frame = first > 0 ? frameOf(slice(stack, first, end < 0 ? stack.length : end)) : undefined;
  if (!frame || frame.line === 0 || frame.url === "" || frame.url === "<anonymous>") return "";
  return typeof document === "object" && frame.url === withoutFragment(document.URL) ? "" : frame.url;
}

function withoutFragment(url: string): string {
  const hash = indexOf(url, "#");
  return hash < 0 ? url : slice(url, 0, hash);
}

function frameOf(line: string): StackFrame | undefined {
  let at = 0;
  while (line[at] === " ") at++;
  if (at === 0 || !startsWith(line, "at ", at)) return undefined;
  at += 3;
  if (startsWith(line, "async ", at)) at += 6;
  let name = "";
  let place = slice(line, at);
  if (line[line.length - 1] === ")") {
    // "new Foo (url:1:2)", "a.b [as c] (url:1:2)", "eval (eval at f (url:1:2), <anonymous>:1:1)"
    const open = openingParenthesis(line, at);
    if (open > at) {
      name = slice(line, at, line[open - 1] === " " ? open - 1 : open);
      place = slice(line, open + 1, line.length - 1);
    }
  }
  if (place === "<anonymous>" || place === "native")
    return name ? { function: name, url: place, line: 0, column: 0 } : undefined;
  if (startsWith(place, "eval at ")) place = outerPlace(place);
  return located(name, place);
}

/** The parenthesis that the last character closes; URLs may hold balanced ones of their own. */
function openingParenthesis(line: string, from: number): number {
  let depth = 0;
  for (let i = line.length - 1; i >= from; i--) {
    if (line[i] === ")") depth++;
    else if (line[i] === "(" && --depth === 0) return i;
  }
  return -1;
}

/** Of nested eval places the outermost one is a script that somebody can open. */
function outerPlace(place: string): string {
  let from = place;
  for (let i = 0; i < 8 && startsWith(from, "eval at "); i++) {
    const open = indexOf(from, " (");
    if (open < 0) break;
    let depth = 0;
    let close = open + 1;
    for (; close < from.length; close++) {
      if (from[close] === "(") depth++;
      else if (from[close] === ")" && --depth === 0) break;
    }
    from = slice(from, open + 2, close);
  }
  return from;
}

function located(name: string, place: string): StackFrame | undefined {
  const beforeColumn = lastIndexOf(place, ":");
  const beforeLine = beforeColumn > 0 ? lastIndexOf(place, ":", beforeColumn - 1) : -1;
  const column = number(place, beforeColumn + 1, place.length);
  const line = number(place, beforeLine + 1, beforeColumn);
  if (beforeLine < 0 || column < 0 || line < 0)
    return name || place ? { function: name, url: place, line: 0, column: 0 } : undefined;
  return { function: name, url: slice(place, 0, beforeLine), line, column };
}

function number(text: string, from: number, to: number): number {
  if (from >= to) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = charCode(text, i) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
