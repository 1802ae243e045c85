import type { EventFor } from "../record.ts";
import type { Source } from "../realm.ts";
import { shownTitle, shownURL } from "./request.ts";

/** lifecycleSource records what becomes of the document: loading states, visibility, freezing, the back/forward cache. */
export const lifecycleSource: Source = {
  name: "lifecycle",
  start(realm, guard) {
    const tell = (state: string, more?: Partial<EventFor<"lifecycle">>): void => {
      realm.emit("lifecycle", { ...realm.at(), state, ...more }, state === "pagehide" || state === "freeze");
    };
    const on = {
      readystatechange: () => tell(document.readyState),
      visibilitychange: () => tell(document.visibilityState),
      freeze: () => tell("freeze"),
      resume: () => tell("resume"),
      // The page was loaded before the user asked for it; now it is shown.
      prerenderingchange: () => tell("visible", { trigger: "prerender" }),
      pagehide: (event: Event) => tell("pagehide", { persisted: (event as PageTransitionEvent).persisted }),
      pageshow: (event: Event) => {
        // The first one comes with every load and says nothing new.
        if ((event as PageTransitionEvent).persisted) tell("pageshow", { persisted: true });
      },
    };
    for (const [name, hear] of Object.entries(on))
      realm.hear(guard, name.startsWith("page") ? window : document, name, hear);
    const prerendered = (document as { prerendering?: boolean }).prerendering === true;
    tell(realm.config.lateSince ? document.readyState : "document_start", {
      to_url: shownURL(location.href, realm.config),
      title: shownTitle(),
      trigger: prerendered ? "prerender" : undefined,
      flags: realm.config.lateSince ? ["late"] : undefined,
    });
    return () => {};
  },
};
