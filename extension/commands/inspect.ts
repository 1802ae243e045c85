import type { Commands, Inspected, Part, Question } from "@gasoline/schema/commands";
import type { Asked } from "../messages/agent.ts";
import { covered, frameOf } from "./frame.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

type Answer<K extends Question> = Commands[K]["result"] extends Inspected<infer R> ? R : never;

/** Asks every document of the page a question, or the one of a ref or a frame. */
export const inspects = <K extends Question>(kind: K): Handler<K> =>
  (async (params: Commands[K]["params"] & Part, context) => {
    const { frames, tab, deadline } = context;
    const { url, title } = await context.pages.describe(tab);
    if (params.ref !== undefined) {
      const asked = (await frames.call(tab, kind, params, deadline)) as Asked<Answer<K>>;
      if (!asked) throw missing(params);
      const frame = asked.frame === "" ? {} : { frame: frameOf(await frames.find(tab, asked.frame)) };
      return { url, title, documents: [{ ...frame, answer: asked.answer }] };
    }
    const { answers, coverage } = await frames.each(tab, kind, params, params.frame, deadline);
    const documents = answers.flatMap(({ frame, value }) => {
      const asked = value as Asked<Answer<K>> | undefined;
      return asked ? [{ ...(frame.name === "" ? {} : { frame: frameOf(frame) }), answer: asked.answer }] : [];
    });
    if (documents.length === 0) throw answers[0]?.error ?? missing(params);
    return { url, title, documents, ...covered(coverage) };
  }) as Handler<K>;

const missing = ({ selector = "the page" }: Part): CommandProblem =>
  new CommandProblem("element_not_found", `Nothing fits ${selector.slice(0, 200)}.`);
