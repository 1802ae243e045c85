import type { LocateParams, LocateResult } from "@gasoline/schema/commands";
import type { Context, FrameAnswer } from "./context.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Before the deadline so long, ms, is left to answer: that nothing fits is an answer. */
const TELL_MS = 250;

/** Where the best way finds nothing, the page has to rest so long, ms, before another one counts; it is waited for so long. */
const REST_MS = 300;
const UNREST_MS = 1500;

/** A page that tells of no change is looked at again after so long, ms. */
const LOOK_MS = 250;

type Found = Omit<LocateResult, "waited_ms">;

/** Finds the first of several selectors that exactly one element fits, in the main frame or in the iframe with an address. */
export const locate: Handler<"locate"> = async (params, context) => {
  const began = Date.now();
  const until = context.deadline - TELL_MS;
  let found: Found = { index: -1, counts: [] };
  for (let rested = false; ;) {
    context.signal.throwIfAborted();
    try {
      found = await look(params, context, rested);
      const better = found.index === 0 || (found.index > 0 && rested);
      if (better || Date.now() >= until) break;
      if (found.index > 0 || !rested) {
        rested = await rest(context, until);
        continue;
      }
      await change(context, until);
    } catch (error) {
      if (!(error instanceof CommandProblem) || error.code !== "page_left" || Date.now() >= until) throw error;
      await context.pages.nextDocument(context.tab, Math.min(until, Date.now() + LOOK_MS));
    }
  }
  return { ...found, waited_ms: Date.now() - began };
};

/** What each selector finds now, up to the first that one element fits. others: iframes of other addresses count, too. */
async function look({ selectors, frame_url }: LocateParams, context: Context, others: boolean): Promise<Found> {
  const counts: number[] = [];
  for (const [index, selector] of selectors.entries()) {
    const frames = (await probe(selector, frame_url === undefined, context)).filter(
      ({ frame }) => frame_url === undefined || frame.name !== "",
    );
    const same = frames.filter(({ frame }) => frame_url === undefined || isSame(frame.url, frame_url));
    const fitting = (same.length > 0 || !others ? same : frames).flatMap(({ frame, value }) =>
      value && value.count > 0 ? [{ frame, ...value }] : [],
    );
    const visible = fitting.reduce((sum, each) => sum + each.visible, 0);
    // Of several that fit, the visible ones are meant, as everywhere.
    const count = visible || fitting.reduce((sum, each) => sum + each.count, 0);
    counts.push(count);
    const [only] = visible > 0 ? fitting.filter((each) => each.visible > 0) : fitting;
    if (count === 1 && only) return { index, frame: only.frame.name || "main", counts };
  }
  return { index: -1, counts };
}

/** Says whether two addresses are of one page, whatever their queries say. */
const isSame = (a: string, b: string): boolean => a.split(/[?#]/, 1)[0] === b.split(/[?#]/, 1)[0];

/** How often a selector fits in each frame. One that is no selector here fits nothing. */
async function probe(selector: string, main: boolean, context: Context): Promise<FrameAnswer<"probe">[]> {
  const { tab, deadline, frames } = context;
  try {
    const { answers } = await frames.each(tab, "probe", { selector }, main ? "main" : undefined, deadline);
    return answers;
  } catch (error) {
    if (error instanceof CommandProblem && error.code === "invalid_selector") return [];
    throw error;
  }
}

/** Waits until the page rests; true also for one that never does. */
async function rest({ tab, frames }: Context, until: number): Promise<true> {
  await frames.call(tab, "quiet", { stability_ms: REST_MS }, Math.min(until, Date.now() + UNREST_MS));
  return true;
}

/** Waits for a change of the page; iframes are looked at again in between. */
async function change({ tab, frames }: Context, until: number): Promise<void> {
  await frames.call(tab, "changed", {}, Math.min(until, Date.now() + LOOK_MS));
}
