import { bugs, VERDICTS } from "../bugs/bug.ts";
import { isRight, judge } from "../bugs/judge.ts";
import { expect, test } from "./support/fixtures.ts";

test.use({ pilot: true, bodies: true });

/** A few edits of each verdict; make verdicts judges all of them. */
const SAMPLE: Record<string, string[]> = {
  "planted/cart-undefined": ["keeps the map by name", "edits a comment", "misspells the new name"],
  "planted/order-without-quantity": ["leaves before the request"],
  "planted/chunk-gone": ["names the new one", "goes to another page before"],
  "planted/server-failed-once": ["edits a comment"],
};

test("edits of applications that fail are judged as their archives say", async ({ profile, agent }) => {
  const all = bugs();
  expect(all.length).toBeGreaterThanOrEqual(60);
  for (const verdict of VERDICTS)
    expect(all.flatMap((bug) => bug.edits).some((edit) => edit.verdicts[0] === verdict)).toBe(true);
  for (const [name, words] of Object.entries(SAMPLE)) {
    const bug = all.find((one) => one.name === name)!;
    for (const edit of bug.edits.filter((one) => words.includes(one.words))) {
      const page = await profile.page();
      const row = await judge(agent, page, [bug, edit], { runs: 1 });
      expect(isRight(row), JSON.stringify(row, undefined, 1)).toBe(true);
      await page.close();
    }
  }
});
