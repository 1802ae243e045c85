import type { ActScope } from "./act/scope.ts";
import type { Diff } from "./diff.ts";
import type { AgentProblem } from "./problem.ts";
import type { RefBook } from "./refs.ts";

/** When an operation has to end. */
export interface Deadline {
  /** Epoch ms. */
  at: number;
  /** Fires earlier, when nobody waits any more; its reason is what to throw. */
  signal: AbortSignal;
  /** Hears what keeps an act from being made, each time that this is something else. */
  waits?: (problem: AgentProblem) => void;
}

/** What an operation works with, beside its params. */
export interface Environment {
  refs: RefBook;
  /** How often refs had led to other elements before. */
  heals?: number;
  deadline: Deadline;
  /** The act that the operation belongs to; its methods do nothing special for operations that only read. */
  act: ActScope;
  /** What the act before this one changed in the document, and which act that was. */
  last?: { action: string; at: number; diff: Diff };
  /** A child frame that the point of the act lies in cannot be asked. */
  past?: boolean;
  /** The frame's name in element records. */
  frame: string;
}
