import type { QueryResult } from "@gasoline/schema/commands";
import { covered } from "./frame.ts";
import type { Handler } from "./handler.ts";

const MAX_TEXTS = 100;

/** Asks every frame of the page, or the one that is named, and adds up what they say. */
export const query: Handler<"query"> = async (params, context) => {
  const { answers, coverage } = await context.frames.each(context.tab, "query", params, params.frame, context.deadline);
  const found = answers.flatMap(({ frame, value }) => (value ? [{ frame, value }] : []));
  const [main] = found;
  if (!main) throw answers[0]?.error; // each gives at least one answer
  const first = found.find(({ value }) => value.exists);
  const texts = found.flatMap(({ value }) => value.texts ?? []).slice(0, MAX_TEXTS);
  const result: QueryResult = {
    ...(first ?? main).value,
    count: found.reduce((sum, { value }) => sum + value.count, 0),
    url: main.value.url,
    ...covered(coverage),
  };
  if (texts.length > 0) result.texts = texts;
  if (first && first.frame.name !== "") result.frame = first.frame.name;
  return result;
};
