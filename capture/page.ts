import { lend } from "./locators/lender.ts";
import { disguise } from "./patch.ts";
import { Realm, type Source } from "./realm.ts";
import type { PageCapture, PageEnv } from "./record.ts";
import { Scope } from "./scope.ts";
import { beaconSource } from "./sources/beacon.ts";
import { consoleSource } from "./sources/console.ts";
import { dialogSource } from "./sources/dialogs.ts";
import { errorSource, type Seen } from "./sources/errors.ts";
import { eventSourceSource } from "./sources/event-source.ts";
import { fetchSource } from "./sources/fetch.ts";
import { Components } from "./sources/internals.ts";
import { jsonSource } from "./sources/json.ts";
import { reopenSource } from "./sources/reopen.ts";
import { webSocketSource } from "./sources/websocket.ts";
import { workerSource } from "./sources/workers.ts";
import { xhrSource } from "./sources/xhr.ts";

/**
 * startPageRealm starts the sources that need the page's own realm. Call it before any script of the page, once per
 * realm: about:blank that navigates to its own origin keeps its globals, and with them our patches and listeners. A
 * second start would record everything twice. It cannot ask whether there was a first one, because what it asks the
 * page could ask as well.
 *
 * The script should have a URL of its own (a sourceURL does), by which its frames are taken out of the stacks that are
 * recorded; frames of a script that is part of the document stay in them.
 */
export function startPageRealm(env: PageEnv): PageCapture {
  const scope = new Scope();
  const realm = new Realm(env, scope);
  const seen: Seen = { worker: undefined };
  const components = new Components(env);
  // For the document's half, where it runs in this realm.
  lend(components);
  const sources: Source[] = [
    { name: "disguise", start: disguise },
    consoleSource,
    errorSource(seen),
    workerSource(seen),
    fetchSource,
    jsonSource,
    xhrSource,
    webSocketSource,
    eventSourceSource,
    beaconSource,
    dialogSource,
    components.source,
    reopenSource(() => env.reopened?.()),
  ];
  for (let i = 0; i < sources.length; i++) realm.start(sources[i]!);
  return {
    stop: () => {
      scope.stop();
      realm.stop();
    },
    configure: (change) => realm.configure(change),
    health: () => realm.health(),
    reattach: () => realm.reattach(),
    take: (message) => scope.take(message),
    internals: (element) => components.internals(element),
  };
}
