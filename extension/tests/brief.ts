import { availableParallelism, loadavg } from "node:os";

/**
 * For a command that waits until its time is up, as one for an element that is not there: so many ms, and as much more as
 * the machine is busier than this suite alone makes it. Before that it has to have looked once.
 */
export function brief(ms = 5000): { timeoutMS: number } {
  const busy = loadavg()[0]! / availableParallelism() / 2;
  return { timeoutMS: Math.round(ms * Math.max(1, busy)) };
}
