import type { Deadline } from "./environment.ts";
import { AgentProblem } from "./problem.ts";
import { roots } from "./shadow.ts";

/** What an observer is told of a tree: all that changes in it. */
export const EVERY_CHANGE: MutationObserverInit = {
  subtree: true,
  childList: true,
  attributes: true,
  characterData: true,
};

/** Between two attempts the page gets so many times the time that the last one took. */
const SHARE = 3;

/** It gets no more than this, ms: an attempt that waits for others takes long and costs nothing. */
const LONGEST_MS = 100;

/** A page in the background draws no frames; there an attempt follows after this long, ms. */
const FRAMELESS_MS = 100;

/** A page that is drawn so many times this late is taken for one that draws none. */
const LATE_FRAMES = 5;

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
      late ??= pause(deadline.at - Date.now(), deadline.signal);
      const now = performance.now();
      const took = now - began;
      const again = now + Math.min(SHARE * took, LONGEST_MS);
      do {
        await frame();
        deadline.signal.throwIfAborted();
        if (Date.now() + took >= deadline.at) throw error;
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
      clearTimeout(timer);
      observer.disconnect();
      control.abort();
      resolve();
    };
    const until = { capture: true, passive: true, signal: control.signal };
    const observer = new MutationObserver(done);
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, until);
    for (const name of TELLING) document.addEventListener(name, done, until);
    navigation.addEventListener("currententrychange", done, until);
    for (const root of roots()) observer.observe(root, EVERY_CHANGE);
  });
}

/**
 * Resolves at the next frame, with whether the page drew one. Pages in the background and covered ones draw none, so a timer
 * stands in.
 */
export function frame(): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, document.hidden ? 0 : FRAMELESS_MS, false);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Resolves when the page has drawn a frame; one that is busy draws late, one that the user does not see draws none. */
export async function drawn(): Promise<void> {
  for (let waits = 0; waits < LATE_FRAMES && !document.hidden && !(await frame()); waits++);
  if (document.hidden) await frame();
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

/** Resolves after ms, or as soon as nobody waits any more. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** Resolves when nothing changed for quietMS, or at the deadline, with how often something did. */
export async function quiet(quietMS: number, deadline: Deadline): Promise<{ quiet: boolean; mutations: number }> {
  let last = Date.now();
  let mutations = 0;
  const observer = new MutationObserver((records) => {
    last = Date.now();
    mutations += records.length;
  });
  observer.observe(document, EVERY_CHANGE);
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
