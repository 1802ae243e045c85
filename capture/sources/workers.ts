import { append, apply, getter, listen, method, prototypeOf, type Fn } from "../natives.ts";
import { proxyConstructor, proxyMethod } from "../patch.ts";
import { redactURL } from "../redact.ts";
import type { Source } from "../realm.ts";
import { Errors, workerError, type Seen } from "./errors.ts";
import { absolute } from "./request.ts";

/**
 * workerSource records that the page started a worker of any kind, and the errors of dedicated ones: the page's realm only
 * learns of them through the Worker object. What else they throw, reject and print stays with them.
 */
export function workerSource(seen: Seen): Source {
  return {
    name: "workers",
    start(realm, guard) {
      const errors = new Errors(realm);
      const started = (args: unknown[]): string => {
        const script = absolute(scriptOf(args.length > 0 ? args[0] : undefined));
        const { t, mono } = realm.at();
        realm.emit("lifecycle", { t, mono, state: "worker_started", to_url: redactURL(script, realm.config.salt) });
        return script;
      };
      const failing = (worker: object, script: string, shared: boolean): void =>
        listen(worker, "error", (event: Event) => {
          if (event.isTrusted) workerError(event, script, realm, errors, seen, guard, shared);
        });
      const joins = (native: Fn, self: unknown, args: unknown[]): unknown => {
        guard.run(() => started(args));
        return apply(native, self, args);
      };
      const stops = [
        proxyConstructor(globalThis, "SharedWorker", (worker, args) => {
          guard.run(() => {
            const port = portOf(worker);
            realm.scope?.port(port);
            realm.scope?.told(port);
            failing(worker, started(args), true);
          });
        }),
        proxyConstructor(globalThis, "Worker", (worker, args) => {
          guard.run(() => {
            realm.scope?.told(worker);
            failing(worker, started(args), false);
          });
        }),
      ];
      const joined = [prototypeOf("ServiceWorkerContainer"), prototypeOf("Worklet")];
      const names = ["register", "addModule"];
      for (let i = 0; i < joined.length; i++) if (joined[i]) append(stops, proxyMethod(joined[i]!, names[i]!, joins));
      return () => {
        for (let i = 0; i < stops.length; i++) stops[i]!();
      };
    },
  };
}

const portOf = getter<object>("SharedWorker", "port");
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
