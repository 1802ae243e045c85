import { CommandProblem } from "../../commands/problem.ts";

/** Gives what work comes to, or throws timeout with the message at the deadline (epoch ms). */
export async function beforeDeadline<T>(deadline: number, message: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CommandProblem("timeout", message)), Math.max(0, deadline - Date.now()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined); // Its failure after the deadline has no reader.
  }
}

/** Gives what work comes to, or throws the signal's reason as soon as it fires, or at once when it has fired. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort(); // it fires no event again
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => undefined); // Its failure after the end has no reader.
  }
}
