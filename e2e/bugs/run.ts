// Asks for each edit of each bug whether it removed the failure, and compares the answer with the verdict that the archive
// gives: a real browser with the extension, the program, and an MCP client, as an agent has them. Each edit has an
// origin and a tab of its own.
//
//   node --import ../../scripts/ts.mjs run.ts [--bug WORD]… [--lanes 2] [--unseen] [--log]
//
// --unseen leaves out the call before the edit, which brings the failure about once more. Answers that are wrong are
// printed with their evidence; .cache/verdicts/ has all of them. It ends with 1 when one is a wrong "fixed" or less than
// 95 of 100 are right.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Page } from "@playwright/test";
import { type Agent, agent as connect, Browser, Place, until } from "../harness.ts";
import { connected, front, pilotOn, settings } from "../tests/support/fixtures.ts";
import { type Bug, bugs, type Edit, VERDICTS, type Verdict } from "./bug.ts";
import { BugSite } from "./site.ts";
import { step } from "./steps.ts";

const { values: asked } = parseArgs({
  options: {
    bug: { type: "string", multiple: true, default: [] },
    lanes: { type: "string", default: "2" },
    unseen: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
  },
});

/** How long a step's element may take on a busy machine, in ms. */
const PATIENCE = 60_000;
const RIGHT = 0.95;

interface Told {
  verdict: Verdict;
  why: string;
  [more: string]: unknown;
}

interface Row {
  bug: string;
  edit: string;
  right: Verdict[];
  /** What the call said; what went wrong instead. */
  told: Verdict | "none";
  why: string;
  /** What the call said before the edit. */
  before: unknown;
  answer: unknown;
}

/** One browser, one daemon and one client that take edits one after another. */
class Lane {
  private constructor(
    private readonly place: Place,
    private readonly browser: Browser,
    private readonly agent: Agent,
  ) {}

  static async start(): Promise<Lane> {
    const place = await Place.make();
    await place.serve();
    const browser = await Browser.launch(place);
    await connected(place);
    await settings(browser, { pilot: true, bodies: true });
    const agent = await connect(place);
    await pilotOn(agent);
    return new Lane(place, browser, agent);
  }

  async stop(): Promise<void> {
    await this.agent.close();
    await this.browser.close();
    await this.place.remove();
  }

  async judge(bug: Bug, edit: Edit): Promise<Row> {
    const site = await BugSite.start(bug);
    const page = await this.browser.page();
    const row = { bug: bug.name, edit: edit.words, right: edit.verdicts };
    let before: Told | undefined;
    try {
      const tab = await this.fail(page, site, bug);
      if (!asked.unseen) before = await this.ask(bug, tab);
      site.swap(edit.files, edit.changed);
      const answer = await this.ask(bug, tab);
      return { ...row, told: answer.verdict, why: answer.why, before, answer };
    } catch (error) {
      return { ...row, told: "none", why: String(error), before, answer: undefined };
    } finally {
      await page.close();
      await site.stop();
    }
  }

  /** Does the steps as a user until the program knows of the failure; the tab's id. */
  private async fail(page: Page, site: BugSite, bug: Bug): Promise<number> {
    await page.goto(site.url);
    const tab = await front(this.agent, page);
    for (const line of bug.steps) await step(page, site.url, line, PATIENCE);
    const what = "words" in bug.fails ? { what: "errors" } : { what: "network_bodies", failed: true };
    const known = (): Promise<string> => this.agent.ask("observe", { ...what, tab, limit: 100 });
    await until(`the failure of ${bug.name} is told`, known, (text) => text.includes(sign(bug)), 30_000);
    return tab;
  }

  private ask(bug: Bug, tab: number): Promise<Told> {
    const error_message = "words" in bug.fails ? bug.fails.words : bug.fails.path;
    const call = { action: "diff_sessions", operation: "verify", error_message, tab, max_seconds: 300, timeout_ms: 330_000 };
    return this.agent.json<Told>("configure", call);
  }
}

/** By what a list of errors shows a bug's failure. */
function sign({ fails }: Bug): string {
  return "words" in fails ? fails.words.slice(0, 40) : fails.path;
}

const all = bugs(...asked.bug).flatMap((bug) => bug.edits.map((edit) => [bug, edit] as const));
const next = all.entries();
const rows: Row[] = [];
await Promise.all(
  Array.from({ length: Number(asked.lanes) }, async () => {
    const lane = await Lane.start();
    try {
      for (const [n, [bug, edit]] of next) {
        const row = await lane.judge(bug, edit);
        rows[n] = row;
        const right = row.right.includes(row.told as Verdict);
        const mark = right ? "right" : row.told === "fixed" ? "FALSE FIXED" : "wrong";
        console.log(`${mark.padEnd(6)} ${row.told.padEnd(12)} ${bug.name}: ${edit.words}${right ? "" : ` (${row.right.join(" or ")}): ${row.why}`}`);
        if (!right || asked.log) console.log(JSON.stringify({ before: row.before, answer: row.answer }, undefined, 1));
      }
    } finally {
      await lane.stop();
    }
  }),
);

const dir = fileURLToPath(new URL("../../.cache/verdicts/", import.meta.url));
mkdirSync(dir, { recursive: true });
writeFileSync(`${dir}${asked.unseen ? "unseen" : "seen"}.json`, JSON.stringify(rows, undefined, 1));
const right = rows.filter((row) => row.right.includes(row.told as Verdict)).length;
const falseFixed = rows.filter((row) => row.told === "fixed" && !row.right.includes("fixed")).length;
for (const verdict of VERDICTS) {
  const due = rows.filter((row) => row.right[0] === verdict);
  const hit = due.filter((row) => row.right.includes(row.told as Verdict)).length;
  console.log(`${verdict.padEnd(12)} ${hit} of ${due.length} right`);
}
console.log(`${right} of ${rows.length} right (${((100 * right) / rows.length).toFixed(1)} %), ${falseFixed} false fixed`);
if (falseFixed > 0 || right < RIGHT * rows.length) process.exitCode = 1;
