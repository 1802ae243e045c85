import { listen, unlisten } from "../natives.ts";
import type { Source } from "../realm.ts";
import type { Actors } from "./actor.ts";
import { shownTitle, shownURL } from "./request.ts";

/** What the Navigation API tells, as far as we read it. */
interface CurrentEntryChange extends Event {
  navigationType: string | null;
  from: { url: string | null };
}

/**
 * navigationSource records moves inside the document: pushState, replaceState, traversal, fragments. It listens to the
 * Navigation API and never touches history, which routers patch themselves; popstate and hashchange are the fallback
 * for frames without it (opaque origins).
 */
export function navigationSource(actors: Actors): Source {
  return {
    name: "navigation",
    start(realm, guard) {
      const navigation = (window as { navigation?: EventTarget }).navigation;
      let at = location.href;
      const moved = (trigger: string): void => {
        guard.run(() => {
          const from = at;
          at = location.href;
          // replaceState with the same URL only changes state.
          if (from === at) return;
          const hash = withoutFragment(from) === withoutFragment(at);
          const urls = {
            from_url: shownURL(from, realm.config),
            to_url: shownURL(at, realm.config),
          };
          const deed = actors.recently();
          const time = { ...realm.at(), action: deed?.action, flags: deed?.action ? ["inferred"] : undefined };
          realm.emit("lifecycle", {
            ...time,
            state: "navigate",
            trigger: hash && trigger !== "traverse" ? "hash" : trigger,
            ...urls,
            title: shownTitle(),
          });
          realm.emit("actions", {
            ...time,
            type: "navigate",
            // Going back by the browser's buttons shows no event before it.
            by: deed?.by ?? (trigger === "traverse" ? "user" : "script"),
            client: deed?.client,
            ...urls,
          });
        });
      };
      const onEntry = (event: Event): void => moved((event as CurrentEntryChange).navigationType ?? "replace");
      const onPop = (): void => moved("traverse");
      const onHash = (): void => moved("hash");
      realm.attached(() => {
        if (navigation) listen(navigation, "currententrychange", onEntry);
        listen(window, "popstate", onPop, true);
        listen(window, "hashchange", onHash, true);
      });
      return () => {
        if (navigation) unlisten(navigation, "currententrychange", onEntry);
        unlisten(window, "popstate", onPop, true);
        unlisten(window, "hashchange", onHash, true);
      };
    },
  };
}

const withoutFragment = (url: string): string => url.split("#", 1)[0] ?? "";
