import { candidates } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";

const MAX_CANDIDATES = 8;

/**
 * The only button of the first list that has any. Throws ambiguous_target where that list has several, element_not_found
 * with what else is there where none has one.
 */
export function chosen(
  lists: readonly (readonly Element[])[],
  others: readonly Element[],
  missing: string,
  { refs }: Environment,
): Element {
  const list = lists.find(({ length }) => length > 0) ?? [];
  const [only, ...more] = list;
  const told = (from: readonly Element[]) => () => ({
    candidates: candidates(from.slice(0, MAX_CANDIDATES), refs),
  });
  if (!only) throw new AgentProblem("element_not_found", missing, told(others));
  if (more.length > 0)
    throw new AgentProblem("ambiguous_target", `${list.length} buttons could be meant: name one.`, told(list));
  return only;
}
