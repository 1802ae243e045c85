import type { TabResult } from "@gasoline/schema/commands";
import type { Context } from "./context.ts";
import { CommandProblem } from "./problem.ts";

/** The tab that a command with a tab, or a position, or neither, means. */
export async function namedTab(context: Context, params: { tab_index?: number }): Promise<number> {
  if (context.tab !== 0) return context.tab;
  if (params.tab_index === undefined) {
    throw new CommandProblem("missing_param", "Neither a tab nor a position was given.");
  }
  const tab = await context.pages.atIndex(params.tab_index);
  if (tab === undefined) throw new CommandProblem("tab_gone", `The window has no tab at position ${params.tab_index}.`);
  return tab;
}

/** A tab as the commands about tabs answer. */
export async function tabResult(context: Context, tab: number): Promise<TabResult> {
  const { id, index, url, title } = await context.pages.describe(tab);
  return { tab: id, tab_index: index, url, title };
}
