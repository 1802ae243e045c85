import type { Deadline } from "./environment.ts";
import { AgentProblem } from "./problem.ts";

/** Between two attempts the page gets so many times the time that the last one took. */
const SHARE = 3;

/** It gets no more than this, ms: an attempt that waits for others takes long and costs nothing. */
const LONGEST_MS = 100;

/** A page in the background draws no frames; there an attempt follows after this long, ms. */
const FRAMELESS_MS = 100;

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
 * problem that time cannot heal ends it at once; at the deadline the last one is thrown.
 */
export async function retry<T>(deadline: Deadline, attempt: () => T | Promise<T>): Promise<T> {
  for (;;) {
    const began = performance.now();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AgentProblem) || !PASSING.has(error.code) || Date.now() >= deadline.at) throw error;
      const now = performance.now();
      const again = now + Math.min(SHARE * (now - began), LONGEST_MS);
      do {
        await frame();
        deadline.signal.throwIfAborted();
        if (Date.now() >= deadline.at) throw error;
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

/** Resolves at the next change of the document, or after ms. */
export function change(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(done);
    const timer = setTimeout(done, ms);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

/** Resolves at the next frame. Pages in the background and covered ones draw none, so a timer stands in. */
export function frame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, document.hidden ? 0 : FRAMELESS_MS);
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
    requestAnimationFrame(done);
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
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
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
