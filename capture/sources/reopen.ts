import { apply, append } from "../natives.ts";
import { proxyMethod, type Stop } from "../patch.ts";
import type { Source } from "../realm.ts";

/**
 * reopenSource watches document.open, write and writeln: each may start the document over, which removes the listeners
 * of every world from window and document. They are added again and the other world is told; adding a listener that is
 * still there changes nothing.
 */
export function reopenSource(reopened: () => void): Source {
  return {
    name: "reopen",
    start(realm, guard) {
      const stops: Stop[] = [];
      const names = ["open", "write", "writeln"];
      for (let i = 0; i < names.length; i++) {
        append(
          stops,
          proxyMethod(Document.prototype, names[i]!, (target, self, args) => {
            try {
              return apply(target, self, args);
            } finally {
              // Also when it threw: a Trusted Types refusal comes after nothing, an exception in an inline script after all.
              guard.run(() => {
                if (self !== document) return;
                realm.reattach();
                reopened();
              });
            }
          }),
        );
      }
      return () => {
        for (let i = 0; i < stops.length; i++) stops[i]!();
      };
    },
  };
}
