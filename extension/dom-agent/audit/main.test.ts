import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** The rules' options, as far as they say which rules run. */
interface Options {
  runOnly?: { values: string[] };
}

/** What each run of the rules takes, ms, by the only rule that it has; "" is all but the slow one. */
const takes: Record<string, number> = {};
const ran: string[] = [];

const axe = {
  version: "1.2.3",
  run: (_at: unknown, { runOnly }: Options) => {
    const rule = runOnly?.values[0] ?? "";
    ran.push(rule);
    vi.setSystemTime(Date.now() + (takes[rule] ?? 0));
    const passes = runOnly ? [] : [{}, {}];
    return Promise.resolve({ violations: [], incomplete: [], passes });
  },
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  vi.stubGlobal("document", {});
  vi.stubGlobal("axe", axe);
  ran.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Runs the rules with so much time, ms, where a cheap one and all but the slow one take this. */
async function audit(time: number, cheap: number, all: number) {
  await import("./main.ts");
  Object.assign(takes, { "document-title": cheap, "": all, "color-contrast": 3 * all });
  return globalThis.gasolineAudit?.run(undefined, Date.now() + time, "");
}

test("where there is time all rules are run, the slow one last", async () => {
  expect(await audit(60_000, 100, 800)).toMatchObject({ version: "1.2.3", passes: 2, unfinished: [] });
  expect(ran).toEqual(["document-title", "", "color-contrast"]);
});

test("the slow rule is not begun where it may not end in time, and that is told", async () => {
  expect(await audit(5000, 100, 1500)).toMatchObject({ passes: 2, unfinished: ["color-contrast"] });
  expect(ran).toEqual(["document-title", ""]);
});

test("nothing is begun where all rules may not end in time", async () => {
  expect(await audit(3000, 300, 2000)).toBeUndefined();
  expect(ran).toEqual(["document-title"]);
});

test("a run waits for the one before it, also for one that failed", async () => {
  await import("./main.ts");
  const broken = vi.spyOn(axe, "run").mockRejectedValueOnce(new Error("broken"));
  const [first, second] = await Promise.allSettled([audit(60_000, 100, 800), audit(60_000, 100, 800)]);
  broken.mockRestore();
  expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
  expect(ran).toEqual(["document-title", "", "color-contrast"]);
});
