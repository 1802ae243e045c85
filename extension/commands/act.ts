import type { ActResult, CommandKind } from "@gasoline/schema/commands";
import type { Acted, AgentOp, AgentOps } from "../messages/agent.ts";
import type { Context } from "./context.ts";
import type { Handler } from "./handler.ts";
import { sendInput } from "./input.ts";

/** Operations of the agent that act on an element. */
type ActOp = {
  [K in AgentOp]: AgentOps[K]["result"] extends Acted ? K : never;
}[AgentOp];

/**
 * Lets the agent act in the page, sends real input where the agent asked for it, and says whether the
 * tab went elsewhere because of it.
 */
export async function act<K extends ActOp>(context: Context, op: K, params: AgentOps[K]["params"]): Promise<ActResult> {
  const watch = context.pages.watch(context.tab);
  let acted: Acted;
  try {
    acted = await context.frames.call(context.tab, op, params, context.deadline);
    if (acted.trusted) {
      await sendInput(context, acted.trusted, params);
      acted.result.trusted = true;
    }
  } catch (error) {
    await watch.stop(false);
    throw error;
  }
  const { navigated, openedTab } = await watch.stop(acted.leaving ?? false);
  const page = await context.pages.describe(context.tab);
  const result: ActResult = { ...acted.result, url: page.url, title: page.title };
  if (navigated) result.navigated = true;
  if (openedTab !== undefined) result.opened_tab = openedTab;
  return result;
}

/** Kinds that the page carries out, by what they give. */
type InPage<R> = { [K in AgentOp & CommandKind]: AgentOps[K]["result"] extends R ? K : never }[AgentOp & CommandKind];

/** The handler of a kind that acts in the page and needs nothing of the worker. */
export const acts = <K extends InPage<Acted>>(kind: K): Handler<K> =>
  ((params: AgentOps[K]["params"], context: Context) => act(context, kind, params)) as unknown as Handler<K>;

/** The handler of a kind that reads the page and needs nothing of the worker. */
export const reads = <K extends AgentOp & CommandKind>(kind: K): Handler<K> =>
  ((params: AgentOps[K]["params"], context: Context) =>
    context.frames.call(context.tab, kind, params, context.deadline)) as unknown as Handler<K>;
