import { askWorker } from "./browser.ts";
import type { Deadline } from "./environment.ts";
import { isOwn } from "./own.ts";
import { AgentProblem } from "./problem.ts";
import { type Scope, roots } from "./shadow.ts";

/** What an observer is told of a tree: all that changes in it. */
export const EVERY_CHANGE: MutationObserverInit = {
  subtree: true,
  childList: true,
  attributes: true,
  characterData: true,
};

/** Between two attempts the page gets so many times the time that the last one took. */
const SHARE = 3;

/** An attempt may take so many times as long as the last one: the machine has other work, too. */
const SLOWER = 2;

/** It gets no more than this, ms: an attempt that waits for others takes long and costs nothing. */
const LONGEST_MS = 100;

/** A frame that has not come after so long, ms, is late. */
const FRAMELESS_MS = 100;

/** Chrome draws no frames of an iframe that lies outside of the viewport: one that is so late, ms, draws none. */
const UNDRAWN_MS = 500;

/** The page in front is drawn, however late the machine is with it; it is waited for so long, ms. */
const DRAWN_MS = 3000;

/** A hidden page draws no frames; there so long, ms, stands for one. */
const HIDDEN_MS = 16;

/** One wait of the worker's for a hidden page is at most so long, ms. */
const TICK_MS = 10_000;

/** Events that tell of what is no change of the tree: fields, and styles that have loaded or come to their end. */
const TELLING = "input change toggle load transitionend animationend".split(" ");

declare const navigation: EventTarget;

/** Problems that time can heal: the element may come, stop moving, become enabled, be uncovered. */
const PASSING: ReadonlySet<string> = new Set([
  "element_not_found",
  "scope_not_found",
  "not_actionable",
  "blocked_by_overlay",
  "nth_out_of_range",
  "option_not_found",
]);

/**
 * Tries until it works or the deadline is there: in each frame that is drawn, or less often where an attempt is dear. A
 * problem that time cannot heal ends it at once; at the deadline the last one is thrown, also while another attempt goes on,
 * and before it where another one would take longer than what is left: nobody would hear what came of that.
 */
export async function retry<T>(deadline: Deadline, attempt: () => T | Promise<T>): Promise<T> {
  let late: Promise<void> | undefined;
  let last: unknown;
  for (;;) {
    const began = performance.now();
    const trying = (async () => ({ value: await attempt() }))();
    try {
      const done = await (late ? Promise.race([trying, late]) : trying);
      if (!done) throw last;
      deadline.signal.throwIfAborted(); // what is found when nobody waits any more is not acted on
      return done.value;
    } catch (error) {
      if (!(error instanceof AgentProblem) || !PASSING.has(error.code) || Date.now() >= deadline.at) throw error;
      last = error;
      deadline.waits?.(error);
      late ??= pause(deadline.at - Date.now(), deadline.signal);
      const now = performance.now();
      const took = now - began;
      const again = now + Math.min(SHARE * took, LONGEST_MS);
      do {
        await frame();
        deadline.signal.throwIfAborted();
        if (Date.now() + SLOWER * took >= deadline.at) throw error;
      } while (performance.now() < again);
    }
  }
}

/** Waits, frame by frame, until something holds; at most a second, and not past the deadline. */
export async function retryUntil(deadline: Deadline, holds: () => boolean): Promise<void> {
  const until = Math.min(deadline.at, Date.now() + 1000);
  while (!holds() && Date.now() < until) {
    await frame();
    deadline.signal.throwIfAborted();
  }
}

/**
 * Resolves at the next change of the document or of a shadow root in it, of its address, of what its fields hold or of how
 * it is shown, as far as events tell; after ms; or when nobody waits any more.
 */
export function change(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const control = new AbortController();
    const done = (): void => {
      observer.disconnect();
      control.abort();
      resolve();
    };
    const until = { capture: true, passive: true, signal: control.signal };
    const observer = new MutationObserver(done);
    void pause(ms, control.signal).then(done);
    signal?.addEventListener("abort", done, until);
    for (const name of TELLING) document.addEventListener(name, done, until);
    navigation.addEventListener("currententrychange", done, until);
    for (const root of roots()) observer.observe(root, EVERY_CHANGE);
  });
}

/** Resolves at the next frame, or when it is late by ms, with whether the page drew one. A hidden page draws none. */
export async function frame(ms = FRAMELESS_MS): Promise<boolean> {
  if (document.hidden) {
    await pause(HIDDEN_MS);
    return false;
  }
  return new Promise((resolve) => {
    const done = (drew: boolean): void => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", none);
      resolve(drew);
    };
    const none = (): void => done(false);
    const timer = setTimeout(none, ms);
    document.addEventListener("visibilitychange", none);
    requestAnimationFrame(() => done(true));
  });
}

/** Resolves when the page has drawn a frame; one that is busy draws late, one that the user does not see draws none. */
export async function drawn(): Promise<void> {
  if (document.hidden) await turn();
  else await frame(window === window.top ? DRAWN_MS : UNDRAWN_MS);
}

/**
 * Resolves when the page's work of about one frame is done. Where none is drawn, tasks are let go by instead of asking the
 * worker for time, which takes longer: for waits of a few frames.
 */
export async function beat(): Promise<void> {
  if (!document.hidden) return void (await frame());
  const at = performance.now() + HIDDEN_MS;
  do await turn();
  while (performance.now() < at);
}

/** Resolves in a task of its own: what the page put off to the end of this one is done by then. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    // A message lets input and frames go first, and is not held back in background tabs as timers are.
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/**
 * Resolves after ms, or as soon as nobody waits any more. Chrome holds the timers of hidden pages back, to one a minute at
 * last; the worker's it does not.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const control = new AbortController();
    const at = performance.now() + ms;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const done = (): void => {
      clearTimeout(timer);
      control.abort();
      resolve();
    };
    const wait = (): void => {
      clearTimeout(timer);
      const left = Math.max(0, at - performance.now());
      timer = setTimeout(done, left);
      if (document.hidden) void tick(left).then((went) => went && !control.signal.aborted && again());
    };
    const again = (): void => (performance.now() >= at ? done() : wait());
    document.addEventListener("visibilitychange", wait, { signal: control.signal });
    signal?.addEventListener("abort", done, { signal: control.signal });
    if (signal?.aborted) done();
    else wait();
  });
}

/** Has the worker let ms go by. false: there is none. */
const tick = async (ms: number): Promise<boolean> =>
  (await askWorker({ type: "gasoline-tick", ms: Math.min(Math.ceil(ms), TICK_MS) }).catch(() => undefined)) === null;

/**
 * Has an observer told of the document and of each shadow root in it that it is not told of yet, ours left out. Returns
 * these; roots that come are for another call.
 */
export function watch(observer: MutationObserver, init: MutationObserverInit, watched: Set<Scope>): Scope[] {
  const ours = (root: Scope): boolean => root instanceof ShadowRoot && isOwn(root.host);
  const fresh = roots().filter((root) => !watched.has(root) && !ours(root));
  for (const root of fresh) {
    watched.add(root);
    observer.observe(root, init);
  }
  return fresh;
}

/** Says whether one of the records is of elements that came, and a shadow root may have come with. */
export const brought = (records: readonly MutationRecord[]): boolean =>
  records.some(({ addedNodes }) => [...addedNodes].some((node) => node instanceof Element));

/** Resolves when nothing changed for quietMS, or at the deadline, with how often something did. */
export async function quiet(quietMS: number, deadline: Deadline): Promise<{ quiet: boolean; mutations: number }> {
  let last = Date.now();
  let mutations = 0;
  const watched = new Set<Scope>();
  const observer = new MutationObserver((records) => {
    last = Date.now();
    mutations += records.length;
    if (brought(records)) watch(observer, EVERY_CHANGE, watched);
  });
  watch(observer, EVERY_CHANGE, watched);
  try {
    while (Date.now() < deadline.at) {
      deadline.signal.throwIfAborted();
      const still = quietMS - (Date.now() - last);
      if (still <= 0) return { quiet: true, mutations };
      await pause(Math.min(still, Math.max(1, deadline.at - Date.now())), deadline.signal);
    }
    return { quiet: false, mutations };
  } finally {
    observer.disconnect();
  }
}
