import type { ActResult } from "@gasoline/schema/commands";
import type { Ready } from "../actionable.ts";
import { describe } from "../describe.ts";
import type { Environment } from "../environment.ts";
import type { Resolved } from "../target.ts";

/** The result of an action on an element, to be completed by who acted. */
export function outcome(
  found: Resolved & Partial<Ready>,
  environment: Environment,
  more: Partial<ActResult> = {},
): ActResult {
  const result: ActResult = {
    matched: describe(found.element, environment.refs, environment.frame),
    match_count: found.count,
    match_strategy: found.strategy,
    ...more,
  };
  if (found.scrolled) result.auto_scrolled = true;
  return result;
}
