// What a question is: a page, what is asked about it, the facts that an answer has to hold, and how an agent asks each tool.
import type { Page } from "@playwright/test";

/** A call of a tool; what it is given may come from what the calls before it told. */
export type Call = [tool: string, args: Args | ((told: string) => Args)];
type Args = Record<string, unknown>;

/** What is served below the page's address. {here} and {other} in a text are that address at the page's own origin and at another. */
export interface Served {
  body: string;
  headers?: Record<string, string | string[]>;
  /** Answered after so many ms. */
  after?: number;
}

export interface Question {
  group: string;
  /** In words, as it is put to an agent. Unique. */
  ask: string;
  /** A page of a library by its name, or what is served for a page of its own: the document as "". */
  page: string | Record<string, string | Served>;
  /** What a user or the application does before the agent is asked. */
  before?: (page: Page) => Promise<unknown>;
  /** What happens where a plan says "change". */
  change?: (page: Page) => Promise<unknown>;
  /** Each has to be in what the tool told; a fact counts in any words. */
  says: RegExp[] | ((page: Page) => Promise<RegExp[]>);
  /** What may not be in it. */
  not?: RegExp[];
  /** Where Gasoline has no answer: why, in a sentence. */
  because?: string;
  gasoline: (Call | "change")[];
  playwright: (Call | "change")[];
  devtools: (Call | "change")[];
}

/** A script of an agent that has no tool for a question, the same for both peers. */
export const script = (source: string): Pick<Question, "playwright" | "devtools"> => ({
  playwright: [["browser_evaluate", { function: source }]],
  devtools: [["evaluate_script", { function: source }]],
});

/** The uid of an element in the last snapshot of chrome-devtools-mcp that a line of it tells. */
export const uid =
  (line: RegExp) =>
  (told: string): { uid: string | undefined } => ({
    uid: told
      .split("\n")
      .find((text) => line.test(text))
      ?.match(/uid=(\S+)/)?.[1],
  });

/** The number that a list of requests gives one; the last that fits. */
export const numberOf = (pattern: RegExp, told: string): number => Number([...told.matchAll(pattern)].at(-1)?.[1]);
