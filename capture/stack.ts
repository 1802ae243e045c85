import type { StackFrame } from "@gasoline/schema/wire";
import { append, bare, charCode, indexOf, lastIndexOf, slice, startsWith, type Fn } from "./natives.ts";

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
  const holder: Trace = bare({});
  capture?.(holder, top);
  return holder;
}

/** stackText reads a stack as text, ≤ 10 kB. A page's Error.prepareStackTrace can make it anything: then "". */
export function stackText(stack: unknown): string {
  return typeof stack === "string" ? slice(stack, 0, maxText) : "";
}

/**
 * framesOf parses the text of a V8 stack, innermost call first; the lines before the first call (type and message) are
 * skipped. It uses no regular expression: those would change RegExp.$1 and lastMatch under the page's feet.
 */
export function framesOf(stack: unknown): StackFrame[] {
  const text = stackText(stack);
  const frames: StackFrame[] = [];
  let from = 0;
  while (from < text.length && frames.length < maxFrames) {
    const newline = indexOf(text, "\n", from);
    const end = newline < 0 ? text.length : newline;
    const frame = frameOf(slice(text, from, end));
    // Defining and not assigning: an index setter on Array.prototype would swallow it.
    if (frame) append(frames, frame);
    from = end + 1;
  }
  return frames;
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
  if (place === "<anonymous>" || place === "native") return name ? { function: name, url: place, line: 0, column: 0 } : undefined;
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
  if (beforeLine < 0 || column < 0 || line < 0) return name || place ? { function: name, url: place, line: 0, column: 0 } : undefined;
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
