import type { StorageParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { onPage, storageOf } from "../storage.ts";

/** Removes an entry of a storage; the value says how many there were: "1", or "0" where the storage had none of this key. */
export function deleteStorage(params: StorageParams, { act }: Environment): Acted {
  const storage = storageOf(params);
  const was = storage.getItem(params.key) === null ? "0" : "1";
  act.perform(() => storage.removeItem(params.key));
  return { result: onPage(was) };
}
