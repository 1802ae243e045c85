import type { ActResult, Filled, FormParams } from "@gasoline/schema/commands";
import type { Settled } from "../messages/agent.ts";
import { step } from "./act.ts";
import type { Context } from "./context.ts";
import { CommandProblem } from "./problem.ts";

/** Fields that were filled, and how the page settled after the last one. */
interface Form {
  filled: Filled[];
  /** Another element was taken for one that was replaced. */
  healed: boolean;
  settled: Settled;
}

/** Fills fields one after the other. The first one that cannot be filled ends it; those before it stay filled. */
export async function fillFields({ fields, within, frame }: FormParams, context: Context): Promise<Form> {
  const filled: Filled[] = [];
  const changes: string[] = [];
  let healed = false;
  let settled: Settled = { changes, busy: [] };
  for (const [i, field] of fields.entries()) {
    try {
      context.signal.throwIfAborted();
      const params = {
        ...field,
        value: field.value ?? "",
        ...(within === undefined ? {} : { within }),
        ...(frame === undefined ? {} : { frame }),
      };
      const done = await step(context, "fill", params);
      filled.push({ value: done.result.value ?? "", ...(done.result.matched ? { matched: done.result.matched } : {}) });
      healed ||= done.result.healed === true;
      for (const change of done.settled.changes) if (!changes.includes(change)) changes.push(change);
      settled = { ...done.settled, changes: changes.slice(-8) };
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
      const name = field.ref ?? field.selector ?? "";
      const before = i === 0 ? "No field was filled." : `The ${i} before it ${i === 1 ? "is" : "are"} filled.`;
      throw new CommandProblem(
        error.code,
        `fields[${i}] (${name.slice(0, 100)}): ${error.message} ${before}`,
        error.more,
      );
    }
  }
  return { filled, healed, settled };
}

/** The result of an act that filled fields and did nothing else. */
export const onlyFilled = ({ filled, healed }: Form): ActResult => ({
  match_count: 0,
  match_strategy: "",
  filled,
  ...(healed ? { healed } : {}),
});
