import type { PageDiff } from "@gasoline/schema/commands";
import { covered } from "./frame.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** What the last act changed in the page and its frames. */
export const actionDiff: Handler<"action_diff"> = async (params, context) => {
  const { answers, coverage } = await context.frames.each(context.tab, "diff", params, undefined, context.deadline);
  const told = answers.flatMap(({ value }) => (value?.diff ? [{ ...value, diff: value.diff, at: value.at ?? 0 }] : []));
  const latest = told.reduce((a, b) => (b.at > a.at ? b : a), told[0] ?? { action: "", at: 0 });
  const diffs = told.filter(({ action }) => action === latest.action).map(({ diff }) => diff);
  const [first, ...more] = diffs;
  if (!first) throw new CommandProblem("not_available", "No act is known in this document.");
  return { ...more.reduce(both, first), ...covered(coverage) };
};

/** What two documents tell of one act. */
function both(a: PageDiff, b: PageDiff): PageDiff {
  const sum = { ...a };
  for (const [name, value] of Object.entries(b) as [keyof PageDiff, unknown][]) {
    const own: unknown = a[name];
    if (Array.isArray(value)) Object.assign(sum, { [name]: [...((own as unknown[]) ?? []), ...(value as unknown[])] });
    else if (typeof value === "number") Object.assign(sum, { [name]: ((own as number) ?? 0) + value });
    else if (value === true) Object.assign(sum, { [name]: true });
  }
  return sum;
}
