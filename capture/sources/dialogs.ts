import { apply, prefix } from "../natives.ts";
import { proxyMethod, type Stop } from "../patch.ts";
import type { Realm, Source } from "../realm.ts";
import type { Guard } from "../guard.ts";

const maxMessage = 1000;

/**
 * dialogSource tells that a native dialog is about to open, and that it is closed. Between the two nothing in the
 * document runs, so the first has to leave at once. Messages that are objects are left out: their text is the page's
 * code to make, once, by the dialog itself.
 */
export const dialogSource: Source = {
  name: "dialogs",
  start(realm, guard) {
    const stops: Stop[] = [watch("alert", realm, guard), watch("confirm", realm, guard), watch("prompt", realm, guard)];
    return () => {
      for (let i = 0; i < stops.length; i++) stops[i]!();
    };
  },
};

function watch(type: string, realm: Realm, guard: Guard): Stop {
  return proxyMethod(globalThis, type, (target, self, args) => {
    const message = args[0];
    const title =
      typeof message === "string" || typeof message === "number" ? prefix("" + message, maxMessage) : undefined;
    const tell = (state: string): void =>
      void guard.run(() => realm.emit("lifecycle", { ...realm.at(), state, trigger: type, title }, true));
    tell("dialog_opened");
    try {
      return apply(target, self, args) as unknown;
    } finally {
      tell("dialog_closed");
    }
  });
}
