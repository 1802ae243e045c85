import type { ActResult } from "@gasoline/schema/commands";
import type { Acted, AgentOp, AgentOps } from "../messages/agent.ts";
import type { Context } from "./context.ts";
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
