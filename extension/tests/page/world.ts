// What the tests of the agent share.
import type { Question } from "@gasoline/schema/commands";
import { ActScope } from "../../dom-agent/act/scope.ts";
import type { Environment } from "../../dom-agent/environment.ts";
import { inspect } from "../../dom-agent/inspect.ts";
import type { AgentProblem } from "../../dom-agent/problem.ts";
import { RefBook } from "../../dom-agent/refs.ts";
import type { AgentOps } from "../../messages/agent.ts";
import "../../dom-agent/inspect/main.ts";

/** Fills the page. Returns the element with the attribute x. */
export function put(html: string): HTMLElement {
  document.body.innerHTML = html;
  return document.querySelector<HTMLElement>("[x]")!;
}

export function shadow(host: Element, html: string, mode: ShadowRootMode = "open"): ShadowRoot {
  const root = host.attachShadow({ mode });
  root.innerHTML = html;
  return root;
}

/** A book of refs that may give e1 to e100000. */
export function book(...ranges: [number, number][]): RefBook {
  const refs = new RefBook();
  refs.allow(ranges.length > 0 ? ranges : [[1, 100_000]]);
  return refs;
}

/** What an operation works with, for ms. */
export function within(ms = 0, refs = book(), frame = ""): Environment {
  const deadline = { at: Date.now() + ms, signal: new AbortController().signal };
  return { refs, deadline, act: new ActScope(undefined, deadline), frame };
}

/** The problem that work throws, as the worker hears of it. */
export async function problem(work: () => unknown): Promise<ReturnType<AgentProblem["toWire"]>> {
  try {
    await work();
  } catch (error) {
    if (typeof (error as AgentProblem).toWire !== "function") throw error;
    return (error as AgentProblem).toWire();
  }
  throw new Error("nothing was wrong");
}

type Answer<K extends Question> = NonNullable<AgentOps[K]["result"]>["answer"];

/** What the document answers to a question. */
export async function asked<K extends Question>(
  kind: K,
  params: AgentOps[K]["params"] = {},
  environment = within(5000),
): Promise<Answer<K>> {
  return (await inspect(kind)(params, environment))!.answer as Answer<K>;
}

export const ids = (elements: Iterable<Element>): string[] => [...elements].map((element) => element.id);
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * Does work while each look at the clock moves it by ms, so that a slice of work ends at its first question (20) or never
 * (0). between is done in each pause, which are counted from 1. Returns how often the work paused.
 */
export async function pausesOf(
  ms: number,
  work: () => Promise<unknown>,
  between: (nth: number) => unknown = () => {},
): Promise<number> {
  const { now } = performance;
  const Native = MessageChannel;
  let time = 0;
  let pauses = 0;
  performance.now = () => (time += ms);
  globalThis.MessageChannel = class extends Native {
    constructor() {
      super();
      between(++pauses);
    }
  };
  try {
    await work();
    return pauses;
  } finally {
    performance.now = now;
    globalThis.MessageChannel = Native;
  }
}

/** How many more pauses work makes for each more of what a page is made of: whoever looks at each lets the page work. */
export async function pausesEach(page: (n: number) => string, work: () => Promise<unknown>): Promise<number> {
  const pauses = (n: number): Promise<number> => (put(page(n)), pausesOf(20, work));
  return ((await pauses(11)) - (await pauses(1))) / 10;
}
