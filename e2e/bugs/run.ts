// Asks for each edit of each bug whether it removed the failure, and compares the answer with the verdict that the archive
// gives: a real browser with the extension, the program, and an MCP client, as an agent has them. Each edit has an
// origin and a tab of its own.
//
//   node --import ../../scripts/ts.mjs run.ts [--bug WORD]… [--lanes 2] [--runs 3] [--unseen] [--log]
//
// --unseen leaves out the call before the edit, which brings the failure about once more. Answers that are wrong are
// printed with their evidence; .cache/verdicts has all of them. It ends with 1 when one is a wrong "fixed" or less than
// 95 of 100 are right.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Agent, agent as connect, Browser, Place } from "../harness.ts";
import { connected, pilotOn, settings } from "../tests/support/fixtures.ts";
import { type Bug, bugs, type Edit, VERDICTS } from "./bug.ts";
import { isFalseFixed, isRight, judge, type Row } from "./judge.ts";

const { values: asked } = parseArgs({
  options: {
    bug: { type: "string", multiple: true, default: [] },
    lanes: { type: "string", default: "2" },
    runs: { type: "string", default: "3" },
    unseen: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
  },
});

const RIGHT = 0.95;

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

  async judge(of: readonly [Bug, Edit]): Promise<Row> {
    const page = await this.browser.page();
    try {
      return await judge(this.agent, page, of, { runs: Number(asked.runs), unseen: asked.unseen });
    } finally {
      await page.close();
    }
  }
}

const all = bugs(...(asked.bug ?? [])).flatMap((bug) => bug.edits.map((edit) => [bug, edit] as const));
const next = all.entries();
const rows: Row[] = [];
await Promise.all(
  Array.from({ length: Number(asked.lanes) }, async () => {
    const lane = await Lane.start();
    try {
      for (const [n, of] of next) {
        const row = await lane.judge(of);
        rows[n] = row;
        const right = isRight(row);
        const mark = right ? "right" : isFalseFixed(row) ? "FALSE FIXED" : "wrong";
        const wrong = right ? "" : ` (${row.due.join(" or ")}): ${row.why}`;
        console.log(`${mark.padEnd(6)} ${row.told.padEnd(12)} ${row.bug}: ${row.edit}${wrong}`);
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
const right = rows.filter(isRight).length;
const falseFixed = rows.filter(isFalseFixed).length;
for (const verdict of VERDICTS) {
  const due = rows.filter((row) => row.due[0] === verdict);
  console.log(`${verdict.padEnd(12)} ${due.filter(isRight).length} of ${due.length} right`);
}
console.log(
  `${right} of ${rows.length} right (${((100 * right) / rows.length).toFixed(1)} %), ${falseFixed} false fixed`,
);
if (falseFixed > 0 || right < RIGHT * rows.length) process.exitCode = 1;
