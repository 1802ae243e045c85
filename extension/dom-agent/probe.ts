import type { Candidate } from "@gasoline/schema/wire";
import type { AgentOps } from "../messages/agent.ts";
import { reachable } from "./behind.ts";
import { candidates } from "./describe.ts";
import type { Environment } from "./environment.ts";
import { is } from "./identity.ts";
import { Pass } from "./pass.ts";
import { AgentProblem } from "./problem.ts";
import type { RefBook } from "./refs.ts";
import { MAX_CANDIDATES } from "./selector.ts";
import { alike, matches } from "./target.ts";
import { isVisible } from "./visible.ts";
import { change, pause, retry } from "./waiting.ts";

type Probe = AgentOps["probe"];

/** A frame around which others wait looks again after a change, or after so long, ms: shadow roots tell of none. */
const LOOK_MS = 1000;

/** Between two looks of a frame the page gets so many times the time that one took. */
const SHARE = 10;

/** Of elements that fit, so many are asked whether they are visible. */
const MAX_LOOKED = 100;

const isPage = (at: Element): boolean => at === document.body || at === document.documentElement;

/** The elements that fit a target now. */
export function fitting(params: Probe["params"], refs: RefBook): Element[] {
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
}

/** How many elements fit a target; what is not there yet is waited for when asked to. */
export async function probe(params: Probe["params"], { refs, deadline, frame }: Environment): Promise<Probe["result"]> {
  const { agree, near } = params;
  const told = (elements: readonly Element[]): Candidate[] =>
    candidates(elements.slice(0, MAX_CANDIDATES), refs).map((at) => ({ ...at, ...(frame ? { frame } : {}) }));
  if (near) return { count: 0, visible: 0, candidates: told(alike(params.selector ?? "", document)) };
  const look = (): void => {
    if (fitting(params, refs).length === 0) throw new AgentProblem("element_not_found", "Nothing fits.");
  };
  if (params.wait && !params.inner) await retry(deadline, look);
  let began = performance.now();
  let found = fitting(params, refs);
  while (params.wait && found.length === 0 && Date.now() < deadline.at) {
    const rest = Math.min(SHARE * (performance.now() - began), LOOK_MS);
    await change(Math.min(LOOK_MS, Math.max(0, deadline.at - Date.now())), deadline.signal);
    await pause(rest, deadline.signal);
    deadline.signal.throwIfAborted();
    began = performance.now();
    found = fitting(params, refs);
  }
  let others: Element[] = [];
  if (agree) {
    const pass = new Pass();
    const all = found;
    found = all.slice(0, MAX_LOOKED).filter((at) => is(at, agree, pass));
    others = all.filter((at) => !found.includes(at));
  }
  const visible = reachable(found.slice(0, MAX_LOOKED).filter(isVisible));
  const shown = visible.length > 0 ? visible : found.length > 0 ? found : others;
  return {
    count: found.length,
    visible: visible.length,
    ...(agree ? { others: others.length } : {}),
    ...(params.tell ? { candidates: told(shown) } : {}),
  };
}
