import type { Deadline } from "./environment.ts";
import { AgentProblem } from "./problem.ts";

const POLL_MS = 80;

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
 * Tries until it works or the deadline is there: after each change of the document and at
 * least every 80 ms. A problem that time cannot heal ends it at once; at the deadline the last one is thrown.
 */
export async function retry<T>(deadline: Deadline, attempt: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AgentProblem) || !PASSING.has(error.code) || Date.now() >= deadline.at) throw error;
      await change(Math.min(POLL_MS, Math.max(1, deadline.at - Date.now())));
      deadline.signal.throwIfAborted();
    }
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

/** Resolves at the next frame; hidden pages have none, so a timer stands in. */
export function frame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, 100);
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
    if (document.hidden) {
      clearTimeout(timer);
      setTimeout(resolve, 16);
    } else requestAnimationFrame(done);
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
      await new Promise((resolve) => setTimeout(resolve, Math.min(still, 250, Math.max(1, deadline.at - Date.now()))));
    }
    return { quiet: false, mutations };
  } finally {
    observer.disconnect();
  }
}
