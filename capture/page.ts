import { apply, descriptor, type Fn } from "./natives.ts";
import { disguise, proxyMethod } from "./patch.ts";
import { Realm, type Source } from "./realm.ts";
import type { Capture, PageEnv } from "./record.ts";
import { beaconSource } from "./sources/beacon.ts";
import { consoleSource } from "./sources/console.ts";
import { dialogSource } from "./sources/dialogs.ts";
import { errorSource, type Seen } from "./sources/errors.ts";
import { eventSourceSource } from "./sources/event-source.ts";
import { fetchSource } from "./sources/fetch.ts";
import { reopenSource } from "./sources/reopen.ts";
import { webSocketSource } from "./sources/websocket.ts";
import { workerSource } from "./sources/workers.ts";
import { xhrSource } from "./sources/xhr.ts";

/** Whoever calls document.close with this receiver asks for the capture of the realm; the page does not. */
class Question {
  readonly gasoline = question;
  answer: PageCapture | undefined;
}

class PageCapture extends Realm {
  /** reopened belongs to the environment, which changes when the realm is adopted. */
  reopened: () => void = () => {};
}

/**
 * startPageRealm starts the sources that need the page's own realm. Call it before any script of the page.
 *
 * A realm can outlive its document: about:blank that navigates to its own origin keeps its globals, and with them our
 * patches, while the listeners go. The second start then finds the first one and points it to the new environment
 * instead of recording everything twice.
 */
export function startPageRealm(env: PageEnv): Capture {
  const before = running();
  const capture = before ?? new PageCapture(env);
  capture.reopened = () => env.reopened?.();
  if (before) {
    before.adopt(env);
    return before;
  }
  const seen: Seen = { worker: undefined };
  const sources: Source[] = [
    { name: "disguise", start: disguise },
    answering(capture),
    consoleSource,
    errorSource(seen),
    workerSource(seen),
    fetchSource,
    xhrSource,
    webSocketSource,
    eventSourceSource,
    beaconSource,
    dialogSource,
    reopenSource(() => capture.reopened()),
  ];
  for (let i = 0; i < sources.length; i++) capture.start(sources[i]!);
  return capture;
}

/** The patch of document.close doubles as the mark of a patched realm, so that no property has to give us away. */
function answering(capture: PageCapture): Source {
  return {
    name: "realm",
    start: () =>
      proxyMethod(Document.prototype, "close", (target: Fn, self, args) => {
        if (isQuestion(self)) {
          self.answer = capture;
          return undefined;
        }
        return apply(target, self, args);
      }),
  };
}

// Another copy of this bundle has another Question class: the text tells.
function isQuestion(value: unknown): value is Question {
  return typeof value === "object" && value !== null && descriptor(value, "gasoline")?.value === question;
}

const question = "who runs this realm?";

function running(): PageCapture | undefined {
  const asked = new Question();
  try {
    apply(Document.prototype.close as Fn, asked, []);
  } catch {
    return undefined; // the native refuses a receiver that is no document
  }
  return asked.answer;
}
