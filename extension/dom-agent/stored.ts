import type { Stores } from "../stored/main.ts";
import { askWorker } from "./browser.ts";
import type { Environment } from "./environment.ts";
import { AgentProblem } from "./problem.ts";

/** Has the script work that knows what a site stores. It is loaded at first use. */
export async function withStores<R>(
  environment: Environment,
  work: (stores: Stores, limits: { deadline: number; signal: AbortSignal }) => R | Promise<R>,
): Promise<R> {
  if (!globalThis.gasolineStored) {
    const error = await askWorker({ type: "gasoline-stored" });
    if (error) throw new AgentProblem(error.code, error.message);
    if (!globalThis.gasolineStored)
      throw new AgentProblem("unsupported", "What knows the site's storage could not be loaded.");
  }
  const { at, signal } = environment.deadline;
  try {
    return await work(globalThis.gasolineStored, { deadline: at, signal });
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    throw typeof code === "string" ? new AgentProblem(code, message) : error;
  }
}
