/** This file as stacks name it, "" where none is kept. */
const here = /((?:file:\/\/|\/|[A-Za-z]:\\)[^\n]*):\d+:\d+\)?$/m.exec(new Error().stack ?? "")?.[1] ?? "";

/**
 * withoutOurs takes the frames of this file out of an error's stack, and of those that caused it: the program prints it as
 * without us. A stack that has none is not written.
 */
export function withoutOurs(error: unknown): void {
  if (here === "") return;
  let next = error;
  for (let i = 0; i < 5 && typeof next === "object" && next !== null; i++) {
    const { stack, cause } = next as Error;
    if (typeof stack === "string" && stack.includes(here)) {
      const lines = stack.split("\n");
      (next as Error).stack = lines.filter((line) => !(/^ +at /.test(line) && line.includes(here))).join("\n");
    }
    next = cause;
  }
}

/**
 * rethrown returns an error that its caller throws again. Node shows the line of the throw that ends a program, which would
 * be ours, unless that line has these words: then what it prints begins with the error and the program's own frames.
 */
export const rethrown = (error: unknown, _words: "node-do-not-add-exception-line"): unknown => error;
