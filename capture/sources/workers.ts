import { listen } from "../natives.ts";
import { proxyConstructor } from "../patch.ts";
import type { Source } from "../realm.ts";
import { Errors, workerError, type Seen } from "./errors.ts";
import { textArgument } from "./request.ts";

/** workerSource records errors of dedicated workers: the page's realm only learns of them through the Worker object. */
export function workerSource(seen: Seen): Source {
  return {
    name: "workers",
    start(realm, guard) {
      const errors = new Errors(realm);
      return proxyConstructor(globalThis, "Worker", (worker, args) => {
        guard.run(() => {
          const script = textArgument(args, 0);
          listen(worker, "error", (event: Event) => workerError(event, script, realm, errors, seen, guard));
        });
      });
    },
  };
}
