import type { SetStorageParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { onPage, storageOf } from "../storage.ts";

/** Writes an entry of a storage. */
export function setStorage(params: SetStorageParams, { act }: Environment): Acted {
  const storage = storageOf(params);
  const { key, value = "" } = params;
  try {
    act.perform(() => storage.setItem(key, value));
  } catch {
    throw new AgentProblem("quota_exceeded", `There is no room for ${value.length} characters more.`);
  }
  return { result: onPage() };
}
