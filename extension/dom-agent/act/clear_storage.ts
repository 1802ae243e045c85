import type { Storage } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { onPage, storageOf } from "../storage.ts";

/** Removes all entries of a storage; the value says how many there were. */
export function clearStorage(params: Storage, { act }: Environment): Acted {
  const storage = storageOf(params);
  const count = storage.length;
  act.perform(() => storage.clear());
  return { result: onPage(String(count)) };
}
