import type { Page } from "@playwright/test";
import { type Agent, until } from "../harness.ts";
import { front } from "../tests/support/fixtures.ts";
import type { Bug, Edit, Verdict } from "./bug.ts";
import { BugSite } from "./site.ts";
import { step } from "./steps.ts";

/** How long a step's element may take on a busy machine, in ms. */
const PATIENCE = 60_000;

interface Told {
  verdict: Verdict;
  why: string;
  [more: string]: unknown;
}

/** What became of one edit. */
export interface Row {
  bug: string;
  edit: string;
  /** One of these is right. */
  due: Verdict[];
  /** What the call said; none: what went wrong instead is in why. */
  told: Verdict | "none";
  why: string;
  /** The answer to the call before the edit. */
  before: Told | undefined;
  answer: Told | undefined;
}

export const isRight = ({ due, told }: Row): boolean => told !== "none" && due.includes(told);
export const isFalseFixed = ({ due, told }: Row): boolean => told === "fixed" && !due.includes("fixed");

/**
 * Has a bug's application fail in a page as a user would, edits it, and asks whether the edit removed the failure, by so
 * many runs. With unseen nobody asks before the edit.
 */
export async function judge(
  agent: Agent,
  page: Page,
  [bug, edit]: readonly [Bug, Edit],
  { runs, unseen = false }: { runs: number; unseen?: boolean },
): Promise<Row> {
  const site = await BugSite.start(bug);
  const row: Row = {
    bug: bug.name,
    edit: edit.words,
    due: edit.verdicts,
    told: "none",
    why: "",
    before: undefined,
    answer: undefined,
  };
  try {
    const tab = await fail(agent, page, site, bug);
    const ask = (): Promise<Told> =>
      agent.json<Told>("configure", {
        action: "diff_sessions",
        operation: "verify",
        error_message: "words" in bug.fails ? bug.fails.words : bug.fails.path,
        tab,
        runs,
        max_seconds: 300,
        timeout_ms: 330_000,
      });
    if (!unseen) row.before = await ask();
    site.swap(edit.files, edit.changed);
    row.answer = await ask();
    row.told = row.answer.verdict;
    row.why = row.answer.why;
  } catch (error) {
    row.why = String(error);
  } finally {
    await site.stop();
  }
  return row;
}

/** Does the steps until the program knows of the failure; the tab's id. */
async function fail(agent: Agent, page: Page, site: BugSite, bug: Bug): Promise<number> {
  await page.goto(site.url);
  const tab = await front(agent, page);
  for (const line of bug.steps) await step(page, site.url, line, PATIENCE);
  // Lists cut long messages.
  const [list, sign] =
    "words" in bug.fails
      ? [{ what: "errors" }, bug.fails.words.slice(0, 40)]
      : [{ what: "network_bodies", failed: true }, bug.fails.path];
  await until(
    `the failure of ${bug.name} is told`,
    () => agent.ask("observe", { ...list, tab, limit: 100 }),
    (text) => text.includes(sign),
  );
  return tab;
}
