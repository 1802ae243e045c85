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
