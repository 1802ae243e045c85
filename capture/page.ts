import type { Capture, PageEnv } from "./record.ts";
import { Realm } from "./realm.ts";

/** startPageRealm starts the sources that need the page's own realm. */
export function startPageRealm(env: PageEnv): Capture {
  return new Realm(env);
}
