import type { ExtraScript } from "../messages/agent.ts";
import { askWorker } from "./browser.ts";
import { AgentProblem } from "./problem.ts";

/** What a script of ours puts into this world. The worker loads the script on first use. */
export async function loaded<T>(script: ExtraScript, look: () => T | undefined): Promise<T> {
  const there = look();
  if (there) return there;
  const error = await askWorker({ type: "gasoline-script", script });
  if (error) throw new AgentProblem(error.code, error.message);
  const come = look();
  if (!come) throw new AgentProblem("unsupported", `The ${script} script could not be loaded.`);
  return come;
}
