import type { ActResult, Filled, FormParams } from "@gasoline/schema/commands";
import type { Settled } from "../messages/agent.ts";
import { joined, step, within } from "./act.ts";
import type { Context } from "./context.ts";
import { CommandProblem } from "./problem.ts";

/** Fields that were filled, and how the page settled after the last one. */
interface Form {
  filled: Filled[];
  /** Another element was taken for one that was replaced. */
  healed: boolean;
  settled: Settled;
}

/** A last look at the fields takes at most so long, ms. */
const LOOK_MS = 5000;

/** And where the work was ended, by a dialog that holds the page or by who waits for it, so long. */
const ENDED_LOOK_MS = 1000;

/** At the deadline it has this of the time that is left for the answer, ms. */
const LATE_LOOK_MS = 150;

/** A step has so much less than the whole, ms, or a tenth less where that is less: what became of the form is told after it. */
const TELL_MS = 1000;

/** A context whose deadline leaves time to tell why a step failed. */
export const leavingTime = (context: Context): Context => ({
  ...context,
  deadline: context.deadline - Math.min(TELL_MS, Math.max(0, context.deadline - Date.now()) / 10),
});

/** An act tells so many characters of a value. */
const MAX_VALUE = 1000;

/** Fields that hold as a value what they were brought to. What a page made may show its choice anywhere. */
const FIELD = /^(input|textarea|select)$/;

/** Looks again at fields that were filled: a page may take one back when it hears of another. */
async function look(filled: readonly Filled[], { frames, tab, deadline, signal }: Context): Promise<void> {
  const until = Math.max(deadline, Date.now() + LATE_LOOK_MS);
  const looks = filled.map(async (field) => {
    const { ref, tag, role } = field.matched ?? {};
    if (!ref || !FIELD.test(tag ?? "") || (role === "combobox" && tag === "input")) return;
    const value = (await frames.call(tab, "get_value", { ref }, until)).value.slice(0, MAX_VALUE);
    if (value !== field.value) Object.assign(field, { value, set_to: field.set_to ?? field.value });
  });
  await within(signal.aborted ? ENDED_LOOK_MS : LOOK_MS, until, Promise.allSettled(looks));
}

/** What of fields the page did not keep, in words. */
export const notKept = ({ fields }: FormParams, filled: readonly Filled[]): string =>
  filled
    .flatMap(({ value, set_to: asked }, i) =>
      asked === undefined
        ? []
        : ` ${placeOf(fields, i)} was set to "${asked.slice(0, 80)}" and is "${value.slice(0, 80)}": not kept.`,
    )
    .join("");

/** What the page said while fields were filled, in words. */
export const saidInWords = ({ changes }: Settled): string =>
  changes.length === 0 ? "" : ` Meanwhile the page said: ${changes.join("; ")}.`;

const placeOf = (fields: FormParams["fields"], i: number): string =>
  `fields[${i}] (${(fields[i]?.ref ?? fields[i]?.selector ?? "").slice(0, 100)})`;

/** Fills fields one after the other. The first one that cannot be filled ends it; those before it stay filled. */
export async function fillFields(form: FormParams, context: Context): Promise<Form> {
  const { fields, within: scope, frame } = form;
  const filled: Filled[] = [];
  let healed = false;
  let settled: Settled = { changes: [], busy: [] };
  const steps = leavingTime(context);
  for (const [i, field] of fields.entries()) {
    try {
      context.signal.throwIfAborted();
      const params = {
        ...field,
        value: field.value ?? "",
        ...(scope === undefined ? {} : { within: scope }),
        ...(frame === undefined ? {} : { frame }),
      };
      const done = await step(steps, "fill", params);
      const { value = "", matched, set_to } = done.result;
      filled.push({ value, ...(matched ? { matched } : {}), ...(set_to === undefined ? {} : { set_to }) });
      healed ||= done.result.healed === true;
      settled = joined(settled, done.settled);
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
      await look(filled, context);
      const before = i === 0 ? "No field was filled." : `The ${i} before it ${i === 1 ? "is" : "are"} filled.`;
      throw new CommandProblem(
        error.code,
        `${placeOf(fields, i)}: ${error.message} ${before}${notKept(form, filled)}${saidInWords(settled)}`,
        error.more,
      );
    }
  }
  if (!settled.leaving) await look(filled, context);
  return { filled, healed, settled };
}

/** The result of an act that filled fields and did nothing else. */
export const onlyFilled = ({ filled, healed }: Form): ActResult => ({
  match_count: 0,
  match_strategy: "",
  filled,
  ...(healed ? { healed } : {}),
});
