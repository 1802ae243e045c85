import { apply, epoch, getter, now } from "../natives.ts";
import { proxyMethod } from "../patch.ts";
import type { Source } from "../realm.ts";
import { traceBelow } from "../stack.ts";
import { nextId, report, type Call } from "./exchange.ts";
import { absolute, bodyOf, isA, textArgument } from "./request.ts";

const blobType = getter<string>("Blob", "type");

/**
 * beaconSource records navigator.sendBeacon. True only means that the browser took it: it also says so for what the
 * page's policy or the network then refuses, so the outcome stays "pending". False means the queue was full: "blocked".
 */
export const beaconSource: Source = {
  name: "beacon",
  start(realm, guard) {
    return proxyMethod(Navigator.prototype, "sendBeacon", (target, self, args, top) => {
      if (!guard.idle || args.length === 0 || self !== navigator) return apply(target, self, args);
      const url = textArgument(args, 0);
      const call = guard.run((): Call => {
        const body = args.length > 1 ? args[1] : undefined;
        const made: Call = {
          id: nextId(),
          type: "beacon",
          method: "POST",
          url: absolute(url),
          started: epoch(),
          mono: now(),
          headers: [],
          body: bodyOf(body, isA(body, "Blob") ? blobType(body) : "text/plain", realm.config),
          trace: traceBelow(top),
        };
        realm.scope?.requested(made);
        return made;
      });
      const accepted = apply(target, self, args) as boolean;
      if (call) {
        guard.run(() =>
          report(
            realm,
            call,
            accepted ? { outcome: "pending" } : { outcome: "blocked", error: "sendBeacon returned false" },
          ),
        );
      }
      return accepted;
    });
  },
};
