import { Roots } from "./locators/deep.ts";
import { Realm } from "./realm.ts";
import type { DocumentCapture, DocumentEnv } from "./record.ts";
import { actionSource } from "./sources/actions.ts";
import { Actors } from "./sources/actor.ts";
import { cspSource } from "./sources/csp.ts";
import { fontSource } from "./sources/fonts.ts";
import { lifecycleSource } from "./sources/lifecycle.ts";
import { mutationSource } from "./sources/mutations.ts";
import { navigationSource } from "./sources/navigation.ts";
import { reportSource } from "./sources/reports.ts";
import { resourceSource, Sums } from "./sources/resources.ts";
import { vitalSource } from "./sources/vitals.ts";

/**
 * startDocument starts the sources that work in any world of the document. One per document: a caller that may run
 * twice in the same global (about:blank that navigates) stops the first capture before it starts the second.
 */
export function startDocument(env: DocumentEnv): DocumentCapture {
  const { builtins } = env;
  if (!builtins) return start(env);
  const capture = builtins.runWith(() => start(env));
  return {
    stop: () => builtins.run(capture.stop),
    configure: (change) => builtins.run(() => capture.configure(change)),
    health: () => builtins.run(capture.health),
    reattach: () => builtins.runWith(capture.reattach),
    actors: capture.actors,
    settle: () => builtins.run(capture.settle),
    timings: () => builtins.run(capture.timings),
  };
}

function start(env: DocumentEnv): DocumentCapture {
  const realm = new Realm(env);
  const actors = new Actors((action) => env.began?.(action));
  const waiting: (() => void)[] = [];
  let timings = (): void => {};
  const settled = (settle: () => void): void => void waiting.push(settle);
  const sums = new Sums();
  for (const source of [
    lifecycleSource,
    navigationSource(actors),
    actionSource(actors, settled, new Roots(env.closedShadow)),
    mutationSource(settled, env.closedShadow),
    cspSource,
    reportSource,
    fontSource,
    resourceSource(sums, settled, (take) => (timings = take)),
    vitalSource(sums, settled),
  ]) {
    realm.start(source);
  }
  return {
    stop: () => realm.stop(),
    configure: (change) => realm.configure(change),
    health: () => realm.health(),
    reattach: () => realm.reattach(),
    actors,
    settle: () => waiting.forEach((settle) => settle()),
    timings: () => timings(),
  };
}
