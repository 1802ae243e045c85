import type { AgentOps } from "../messages/agent.ts";
import { candidate } from "./describe.ts";
import type { Environment } from "./environment.ts";
import { AgentProblem } from "./problem.ts";
import { MAX_CANDIDATES } from "./selector.ts";
import { matches } from "./target.ts";
import { isVisible } from "./visible.ts";
import { change, retry } from "./waiting.ts";

type Probe = AgentOps["probe"];

/** A frame around which others wait looks again after a change, or after so long, ms: shadow roots tell of none. */
const LOOK_MS = 1000;

/** Between two looks of a frame the page gets so many times the time that one took. */
const SHARE = 10;

/** Of elements that fit, so many are asked whether they are visible. */
const MAX_LOOKED = 100;

const isPage = (at: Element): boolean => at === document.body || at === document.documentElement;

/** How many elements fit a target; what is not there yet is waited for when asked to. */
export async function probe(params: Probe["params"], { refs, deadline, frame }: Environment): Promise<Probe["result"]> {
  const look = (): Element[] => {
    const found = fitting();
    if (found.length === 0) throw new AgentProblem("element_not_found", "Nothing fits.");
    return found;
  };
  const fitting = (): Element[] => {
    try {
      const found = matches(params, refs);
      if (!params.inner) return found;
      // The page of an iframe is meant by what names it, not by "body"; an editor in it has a name of its own.
      const named = /^(html|body)$/i.test(params.selector ?? "");
      return found.filter((at) => !isPage(at) || (!named && (at as HTMLElement).isContentEditable));
    } catch (error) {
      if (error instanceof AgentProblem && /^(element|scope)_not_found$/.test(error.code)) return [];
      throw error;
    }
  };
  if (params.wait && !params.inner) await retry(deadline, look);
  let began = performance.now();
  let found = fitting();
  while (params.wait && found.length === 0 && Date.now() < deadline.at) {
    const rest = Math.min(SHARE * (performance.now() - began), LOOK_MS);
    await change(Math.min(LOOK_MS, Math.max(0, deadline.at - Date.now())), deadline.signal);
    await new Promise((resolve) => setTimeout(resolve, rest));
    deadline.signal.throwIfAborted();
    began = performance.now();
    found = fitting();
  }
  const visible = found.slice(0, MAX_LOOKED).filter(isVisible);
  const told = params.tell ? (visible.length > 0 ? visible : found).slice(0, MAX_CANDIDATES) : [];
  return {
    count: found.length,
    visible: visible.length,
    ...(params.tell ? { candidates: told.map((at) => ({ ...candidate(at, refs), ...(frame ? { frame } : {}) })) } : {}),
  };
}
