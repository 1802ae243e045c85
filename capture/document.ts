import { Realm, type Source } from "./realm.ts";
import type { DocumentCapture, DocumentEnv } from "./record.ts";

/** startDocument starts the sources that work in any world of the document. */
export function startDocument(env: DocumentEnv): DocumentCapture {
  const realm = new Realm(env);
  const sources: Source[] = [];
  for (const source of sources) realm.start(source);
  return {
    stop: () => realm.stop(),
    configure: (change) => realm.configure(change),
    health: () => realm.health(),
    reattach: () => realm.reattach(),
    actAs: () => {},
    settle: () => {},
  };
}
