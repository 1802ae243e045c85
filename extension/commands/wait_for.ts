import type { WaitParams, WaitResult } from "@gasoline/schema/commands";
import type { Context } from "./context.ts";
import { covered, isEvery } from "./frame.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** A frame in which something is still there is asked for so long, ms, before another one is. */
const LOOK_MS = 200;
/** A frame that answers nothing may be busy: it is asked again for so long, ms, before the rest is told without it. */
const BUSY_MS = 1000;

/** Waits until one condition holds, in any of the page's frames. A page that is left meanwhile does not end the wait: the next one is looked at. */
export const waitFor: Handler<"wait_for"> = async (params, context) => {
  checkOne(params);
  const began = Date.now();
  for (;;) {
    context.signal.throwIfAborted();
    try {
      const found = params.absent ? await gone(params, context) : await come(params, context);
      return { ...found, waited_ms: Date.now() - began };
    } catch (error) {
      const left = error instanceof CommandProblem && error.code === "page_left";
      if (!left) throw error;
      if (Date.now() >= context.deadline) {
        throw new CommandProblem("timeout", "The page was still loading when the time was over.");
      }
      await context.pages.nextDocument(context.tab, Math.min(context.deadline, Date.now() + 500));
    }
  }
};

/** The first frame in which the condition holds. The URL is the page's. */
async function come(params: WaitParams, context: Context): Promise<WaitResult> {
  const frame = params.frame ?? (params.url_contains === undefined ? undefined : "main");
  const found = await context.frames.first(context.tab, "wait_for", params, frame, context.deadline);
  const name = found.frame.name;
  return name === "" || found.value.matched ? found.value : { ...found.value, frame: name };
}

/**
 * What is to be gone has to be gone from every frame that answers. Where it is still, it is waited for. Frames that were not
 * looked at are named: what is sought may stand in them.
 */
async function gone(params: WaitParams, context: Context): Promise<WaitResult> {
  const { tab, deadline, frames } = context;
  if (params.url_contains !== undefined || params.ref !== undefined || !isEvery(params.frame))
    return frames.call(tab, "wait_for", params, deadline);
  const patience = Math.min(deadline, Date.now() + BUSY_MS);
  for (;;) {
    context.signal.throwIfAborted();
    const looked = await look(params, context);
    if (typeof looked !== "string") {
      if (looked.coverage?.unanswered && Date.now() < patience) continue;
      return looked;
    }
    try {
      await frames.call(tab, "wait_for", { ...params, frame: looked }, deadline);
    } catch (error) {
      // A frame that went away has nothing in it any more.
      const left =
        looked !== "main" && error instanceof CommandProblem && /^(page_left|frame_not_found)$/.test(error.code);
      if (!left || Date.now() >= deadline) throw error;
    }
  }
}

/** A frame in which it is still, or that it is in none of those that were looked at. */
async function look(params: WaitParams, { tab, deadline, frames }: Context): Promise<string | WaitResult> {
  const late = (error: unknown): boolean => error instanceof CommandProblem && error.code === "timeout";
  try {
    const { answers, coverage } = await frames.each(
      tab,
      "wait_for",
      params,
      undefined,
      Math.min(deadline, Date.now() + LOOK_MS),
    );
    const silent = new Set((coverage.unanswered ?? []).map(({ name }) => name));
    const there = answers.find(({ frame, error }) => late(error) && !silent.has(frame.name))?.frame.name;
    const unread = answers.find(({ value }) => value?.document)?.value?.document;
    return there ?? { absent: true, waited_ms: 0, ...(unread ? { document: unread } : {}), ...covered(coverage) };
  } catch (error) {
    if (!late(error)) throw error;
    return "main";
  }
}

function checkOne(params: WaitParams): void {
  const given = [
    params.selector !== undefined || params.ref !== undefined,
    params.text !== undefined,
    params.url_contains !== undefined,
  ].filter(Boolean).length;
  if (given === 1) return;
  throw new CommandProblem(
    given === 0 ? "missing_param" : "invalid_param",
    "wait_for needs exactly one of selector (or ref), text and url_contains.",
  );
}
