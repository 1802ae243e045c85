import type { WaitParams, WaitResult } from "@gasoline/schema/commands";
import { fold } from "@gasoline/capture/locators/name";
import { describe } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { isPhrase } from "../selector.ts";
import { pageText, sortOf } from "../sort.ts";
import { isNamed, matches, nothing } from "../target.ts";
import { isVisible } from "../visible.ts";
import { change, pause } from "../waiting.ts";

/** What no event tells of, styles that a script sets and shadow roots that come late, is seen after so long, ms. */
const LOOK_MS = 1000;
/** On a page that changes all the time, looking takes at most this part of it. */
const SHARE = 0.2;

/** Waits for the one condition that the params name. Throws timeout with what was there at the end. */
export async function waitFor(params: WaitParams, environment: Environment): Promise<WaitResult> {
  const began = Date.now();
  for (;;) {
    const looked = performance.now();
    const found = look(params, environment);
    if (found) return { ...found, waited_ms: Date.now() - began };
    const left = environment.deadline.at - Date.now();
    if (left <= 0) throw new AgentProblem("timeout", [missing(params), sortOf()].join(" ").trim());
    const rest = (performance.now() - looked) / SHARE;
    // A page whose look is dear gets its part of the time whatever changes meanwhile.
    if (rest > 10) await pause(Math.min(rest, left), environment.deadline.signal);
    else await change(Math.min(LOOK_MS, left), environment.deadline.signal);
    environment.deadline.signal.throwIfAborted();
  }
}

function look(params: WaitParams, environment: Environment): Omit<WaitResult, "waited_ms"> | undefined {
  if (params.url_contains !== undefined) {
    const there = location.href.includes(params.url_contains);
    return there !== (params.absent ?? false) ? answer(params, location.href) : undefined;
  }
  if (params.text !== undefined) {
    const text = pageText();
    const at = fold(text, Infinity).indexOf(fold(params.text, Infinity));
    if (params.absent) return at < 0 ? gone() : undefined;
    return at >= 0
      ? { matched_text: fold(text, Infinity).slice(Math.max(0, at - 40), at + params.text.length + 40) }
      : undefined;
  }
  const element = isNamed(params) ? first(params, environment) : undefined;
  if (params.absent) return element ? undefined : gone();
  return element ? { matched: describe(element, environment.refs, environment.frame) } : undefined;
}

/** That something is not there says little of a document that is not read as a page. */
function gone(): Omit<WaitResult, "waited_ms"> {
  const sort = sortOf();
  return sort === "" ? { absent: true } : { absent: true, document: sort };
}

const answer = (params: WaitParams, value: string): Omit<WaitResult, "waited_ms"> =>
  params.absent ? { absent: true } : { value };

function first(params: WaitParams, environment: Environment): Element | undefined {
  try {
    return matches(params, environment.refs).find(isVisible);
  } catch (error) {
    // What has gone is absent; what is wrong with the selector will not pass.
    if (error instanceof AgentProblem && /not_found|stale_ref|ambiguous_target/.test(error.code)) return undefined;
    throw error;
  }
}

function missing(params: WaitParams): string {
  const verb = params.absent ? "is still there" : "did not come in time";
  if (params.url_contains !== undefined) return `The URL is still ${location.href.slice(0, 200)}.`;
  if (params.text !== undefined) return `The text "${params.text.slice(0, 100)}" ${verb}.`;
  const { selector } = params;
  if (selector !== undefined && !params.absent && isPhrase(selector)) return nothing(selector);
  return `${selector ?? params.ref} ${verb}.`;
}
