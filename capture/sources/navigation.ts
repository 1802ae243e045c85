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
      };
      if (navigation) {
        const change = (event: Event): void => moved((event as CurrentEntryChange).navigationType ?? "replace");
        realm.hear(guard, navigation, "currententrychange", change, false);
      }
      realm.hear(guard, window, "popstate", () => moved("traverse"));
      realm.hear(guard, window, "hashchange", () => moved("hash"));
      return () => {};
    },
  };
}

const withoutFragment = (url: string): string => url.split("#", 1)[0] ?? "";
