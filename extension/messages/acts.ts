import type { Refusal } from "@gasoline/capture";
import type { ActionId } from "./content.ts";

/** Input that an agent has the browser make, as the document will hear of it. */
export type ExpectedInput =
  | { type: "pointer"; x: number; y: number; press: boolean }
  | { type: "files" }
  | { type: "keys"; keys: string[] };

/**
 * What the content script does for the agent of its document: both share a world, and nothing else of it. It makes the
 * action known to the page's world, so that what the action causes carries its id.
 */
export interface Acts {
  /** The action acts in this document from now on. whole: it led here, so what the document waits for is its doing. */
  begin(action: ActionId, whole: boolean): void;
  end(action: ActionId): void;
  /** Does work at once; what the page and the browser do meanwhile, and in this task, is the action's. quiet: no input is recorded. */
  perform<T>(action: ActionId, work: () => T, quiet?: boolean): T;
  /** Sends an event that is the agent's. */
  dispatch(target: EventTarget, event: Event): boolean;
  /** Has the browser click an element for the agent. */
  click(element: HTMLElement): void;
  /** Announces real input; undefined: all of it has come. */
  expect(action: ActionId, input: ExpectedInput | undefined): void;
  /** Whether the document heard anything of the input that was announced last; of a press more than the move to it. */
  came(): boolean;
  /**
   * What the action started and has not ended, in words: at most five. waits: it waits for what only this world sees, so what
   * the page asks for next is its doing.
   */
  busy(action: ActionId, waits: boolean): string[];
  /** What of it the browser holds back in a hidden page, as it was when busy was asked last. */
  held(): string[];
  /** Whether what happens at this moment is the action's doing: own; near: nothing but the time speaks for it. */
  runs(action: ActionId): "own" | "near" | undefined;
  /** What the browser refused the page because no user had acted, as it was when busy was asked last. */
  refused(): Refusal[];
}

declare global {
  /** Set by the content script; missing where a page is not captured. */
  var gasolineActs: Acts | undefined;
}
