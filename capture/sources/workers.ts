import { getter, listen, method } from "../natives.ts";
import { proxyConstructor } from "../patch.ts";
import { redactURL } from "../redact.ts";
import type { Source } from "../realm.ts";
import { Errors, workerError, type Seen } from "./errors.ts";

/**
 * workerSource records that a dedicated worker was started, and its errors: the page's realm only learns of them through
 * the Worker object.
 */
export function workerSource(seen: Seen): Source {
  return {
    name: "workers",
    start(realm, guard) {
      const errors = new Errors(realm);
      return proxyConstructor(globalThis, "Worker", (worker, args) => {
        guard.run(() => {
          const script = scriptOf(args.length > 0 ? args[0] : undefined);
          const { t, mono } = realm.at();
          realm.emit("lifecycle", { t, mono, state: "worker_started", to_url: redactURL(script, realm.config.salt) });
          listen(worker, "error", (event: Event) => {
            if (event.isTrusted) workerError(event, script, realm, errors, seen, guard);
          });
        });
      });
    },
  };
}

const hrefOf = getter<string>("URL", "href");
const trustedText = method<[], string>("TrustedScriptURL", "toString");

/** What else has a toString stays untold: the native ran it already. */
function scriptOf(value: unknown): string {
  if (typeof value === "string") return value;
  for (let i = 0; i < readers.length; i++) {
    try {
      return readers[i]!(value) ?? "";
    } catch {
      // not that class
    }
  }
  return "";
}

const readers = [hrefOf, trustedText];
