import type { Stores } from "../stored/main.ts";
import { loaded } from "./browser.ts";
import type { Environment } from "./environment.ts";
import { AgentProblem } from "./problem.ts";

/** Has the script work that knows what a site stores. It is loaded at first use. */
export async function withStores<R>(
  environment: Environment,
  work: (stores: Stores, limits: { deadline: number; signal: AbortSignal }) => R | Promise<R>,
): Promise<R> {
  const stores = await loaded("stored", () => globalThis.gasolineStored);
  const { at, signal } = environment.deadline;
  try {
    return await work(stores, { deadline: at, signal });
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    throw typeof code === "string" ? new AgentProblem(code, message) : error;
  }
}
