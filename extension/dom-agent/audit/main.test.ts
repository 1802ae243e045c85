import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** The rules' options, as far as they say which rules run. */
interface Options {
  runOnly?: { values: string[] };
  rules?: Record<string, { enabled: boolean }>;
}

const CHEAP = "document-title";
const SLOW = "color-contrast";
const RULES = [CHEAP, SLOW, ...Array.from({ length: 38 }, (_, n) => `rule-${n}`)];

/** What the page makes each run take, and each rule in it, ms. */
const takes = { run: 0, rule: 0, slow: 0 };

/** The rules of each run. */
const ran: string[][] = [];
const lengths: number[] = [];

const axe = {
  version: "1.2.3",
  getRules: () => RULES.map((ruleId) => ({ ruleId })),
  run: (_at: unknown, { runOnly, rules = {} }: Options) => {
    const run = runOnly?.values ?? RULES.filter((rule) => rules[rule]?.enabled !== false);
    ran.push(run);
    const own = run.map((rule) => (rule === SLOW ? takes.slow : rule === CHEAP ? 0 : takes.rule));
    lengths.push(takes.run + own.reduce((sum, ms) => sum + ms, 0));
    vi.setSystemTime(Date.now() + (lengths.at(-1) ?? 0));
    return Promise.resolve({ violations: [], incomplete: [], passes: runOnly ? [] : run });
  },
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  vi.stubGlobal("document", {});
  vi.stubGlobal("axe", axe);
  ran.length = 0;
  lengths.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Audits in so much time, ms. */
async function audit(time: number, run: number, rule: number, slow: number) {
  await import("./main.ts");
  Object.assign(takes, { run, rule, slow });
  return globalThis.gasolineAudit?.run(undefined, Date.now() + time, "", {
    ariaOf: () => null,
    everywhere: () => [],
    hasInternals: () => false,
    roleGiven: () => null,
  });
}

const rest = RULES.filter((rule) => rule !== SLOW);

test("a small page is audited in one run, and by the slow rule last", async () => {
  expect(await audit(60_000, 10, 1, 100)).toMatchObject({ version: "1.2.3", passes: rest.length, unfinished: [] });
  expect(ran).toEqual([[CHEAP], rest, [SLOW]]);
});

test("a large page is audited a few rules at a time: each rule once, no run much longer than twice what every run takes", async () => {
  expect(await audit(600_000, 500, 150, 9000)).toMatchObject({ passes: rest.length, unfinished: [] });
  expect(ran.slice(1, -1).flat()).toEqual(rest);
  expect(ran.at(-1)).toEqual([SLOW]);
  const [, first = 0, ...others] = lengths.slice(0, -1);
  expect(first).toBeLessThan(4 * 500);
  for (const length of others) expect(length).toBeLessThanOrEqual(1000 + 150);
});

test("the slow rule is not begun where it may not end in time, and that is told", async () => {
  const found = await audit(12_000, 200, 100, 9000);
  expect(found).toMatchObject({ passes: rest.length, unfinished: [SLOW] });
  expect(ran.flat()).not.toContain(SLOW);
});

test("what there was no time for is named, and the rest is told", async () => {
  const found = await audit(6000, 500, 300, 9000);
  expect(found?.passes).toBeGreaterThan(7);
  expect(found?.unfinished.length).toBeGreaterThan(7);
  expect(found?.unfinished.at(-1)).toBe(SLOW);
  expect([...ran.slice(1).flat(), ...(found?.unfinished ?? [])].sort()).toEqual([...RULES].sort());
  expect(Date.now()).toBeLessThanOrEqual(6000);
});

test("nothing is begun where the first rules may not end in time", async () => {
  expect(await audit(1000, 300, 100, 9000)).toBeUndefined();
  expect(ran).toEqual([[CHEAP]]);
});

test("a run waits for the one before it, also for one that failed", async () => {
  await import("./main.ts");
  const broken = vi.spyOn(axe, "run").mockRejectedValueOnce(new Error("broken"));
  const [first, second] = await Promise.allSettled([audit(60_000, 10, 1, 100), audit(60_000, 10, 1, 100)]);
  broken.mockRestore();
  expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
  expect(ran).toEqual([[CHEAP], rest, [SLOW]]);
});
