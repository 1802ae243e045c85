import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** The rules' options, as far as they say which rules run. */
interface Options {
  rules: Record<string, { enabled: boolean }>;
}
interface About {
  include: { actualNode: unknown }[];
  page: boolean;
}
interface Result {
  id: string;
  nodes: object[];
  impact: string;
}

const SLOW = "color-contrast";
/** Compares elements with one another, so it is run on all of them. */
const WHOLE = "rule-1";
const OFF = "rule-2";
const RULES = ["rule-0", WHOLE, SLOW, OFF, ...Array.from({ length: 37 }, (_, n) => `rule-${n + 3}`)];
const rest = RULES.filter((rule) => rule !== SLOW);
const running = rest.filter((rule) => rule !== OFF);

/** What the page makes the tree, each rule, and each element of the slow rule and of the whole one take, ms. */
const takes = { tree: 0, rule: 0, slow: 0 };
let elements = 0;
let changed: () => void = () => undefined;
let trees = 0;

/** The rules of each run, with the numbers of elements of one that is cut. */
const ran: [rules: string[], elements?: number][] = [];
/** What each run took. */
const lengths: number[] = [];
const spend = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

const root = { tagName: "HTML", getRootNode: () => document };
const ruleOf = (id: string) => ({
  any: [{ id: `${id}-check` }],
  all: [],
  none: ["of-all"],
  pageLevel: false,
  gather: () =>
    Array.from({ length: id === SLOW ? elements : id === OFF ? 1000 : 1 }, (_, n) => ({
      actualNode: { n } as unknown,
    })),
});
const rules = Object.fromEntries(RULES.map((id) => [id, ruleOf(id)]));

const axe = {
  version: "1.2.3",
  _tree: undefined as object[] | undefined,
  getRules: () => RULES.map((ruleId) => ({ ruleId })),
  setup: () => {
    spend(takes.tree);
    trees++;
    axe._tree = [{ actualNode: root }];
  },
  teardown: () => {
    axe._tree = undefined;
  },
  run: (_: unknown, options: Options) =>
    new Promise((resolve, reject) => {
      axe._runRules(
        document,
        options,
        (results: Parameters<typeof report>[0], end: () => void) => (end(), resolve(report(results))),
        reject,
      );
    }),
  _runRules: (
    _at: unknown,
    _options: Options,
    _told: (results: Parameters<typeof report>[0], end: () => void) => void,
    _failed: unknown,
  ) => {
    throw new Error("a run made a tree of its own");
  },
  _audit: {
    getRule: (id: string) => rules[id],
    run: (about: About, options: Options, told: (results: Result[]) => void, failed: (error: unknown) => void) => {
      if (!axe._tree) return failed(new Error("there is no tree"));
      const run = RULES.filter((rule) => options.rules[rule]?.enabled !== false);
      expect(about.include).toHaveLength(1);
      const count = (id: string): number => rules[id]?.gather().length ?? 0;
      ran.push(run.length === 1 ? [run, count(run[0] ?? "")] : [run]);
      const ms = run.reduce((sum, id) => sum + (id === SLOW ? count(id) * takes.slow : takes.rule), 0);
      lengths.push(ms);
      spend(ms);
      told(
        run
          .filter((id) => id !== OFF)
          .map((id) => ({ id, impact: "serious", nodes: Array.from({ length: count(id) }, () => ({ node: {} })) })),
      );
    },
    checks: { [`${WHOLE}-check`]: { after: () => undefined }, "of-all": {} },
    after: (results: Result[]) => results,
  },
  utils: {
    getNodeFromTree: (node: unknown) => ({ actualNode: node }),
    mergeResults: ([frame]: [{ results: Result[] }]) => frame.results,
    publishMetaData: () => undefined,
    finalizeRuleResult: (result: Result) => ({
      ...result,
      violations: result.id === SLOW ? result.nodes : [],
      passes: result.id === SLOW ? [] : [{}],
    }),
  },
};
const before = axe._runRules;

/** What axe's reporter makes of results: the slow rule is broken, the others hold. */
const report = (results: (Result & { violations: object[] })[]) => ({
  violations: results
    .filter(({ violations }) => violations.length > 0)
    .map((rule) => ({ ...rule, nodes: rule.violations.map(() => ({ target: ["p"], html: "<p>" })) })),
  incomplete: [],
  inapplicable: [],
  passes: results.filter(({ id }) => id !== SLOW),
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  vi.stubGlobal("document", { documentElement: root });
  vi.stubGlobal("location", { href: "" });
  vi.stubGlobal("axe", axe);
  vi.stubGlobal(
    "MutationObserver",
    class {
      constructor(hear: () => void) {
        changed = hear;
      }
      observe(): void {}
      disconnect(): void {}
      takeRecords(): unknown[] {
        return [];
      }
    },
  );
  ran.length = 0;
  lengths.length = 0;
  trees = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  expect(axe._runRules).toBe(before);
  expect(axe._tree).toBeUndefined();
  for (const [id, rule] of Object.entries(rules)) rule.gather = ruleOf(id).gather;
});

/** Audits in so much time, ms, a page with so many elements of the slow rule. */
async function audit(time: number, tree: number, rule: number, slow: number, count = 0) {
  for (const [id, rule] of Object.entries(rules)) rule.gather = ruleOf(id).gather;
  await import("./main.ts");
  Object.assign(takes, { tree, rule, slow });
  elements = count;
  return globalThis.gasolineAudit?.run(undefined, Date.now() + time, "", {
    ariaOf: () => null,
    everywhere: () => [],
    hasInternals: () => false,
    roleGiven: () => null,
  });
}

test("a small page is audited in one run, and by the slow rule last", async () => {
  expect(await audit(60_000, 2, 1, 1, 50)).toMatchObject({
    version: "1.2.3",
    passes: running.length,
    unfinished: [],
    violations: [{ id: SLOW, count: 50 }],
  });
  expect(ran).toEqual([[rest], [[SLOW], 50]]);
  expect(trees).toBe(1);
});

test("a large page is audited a rule at a time by one tree, and by the slow rule some elements at a time", async () => {
  const found = await audit(600_000, 200, 150, 2, 20_000);
  expect(found).toMatchObject({ passes: running.length, unfinished: [], violations: [{ id: SLOW, count: 20_000 }] });
  expect(found?.violations[0]?.nodes).toHaveLength(50);
  expect(ran.slice(0, rest.length)).toEqual(rest.map((rule) => [[rule], rule === OFF ? 100 : 1]));
  const parts = ran.slice(rest.length).map(([, count]) => count ?? 0);
  expect(parts.reduce((sum, count) => sum + count)).toBe(20_000);
  expect(parts[0]).toBe(100);
  for (const length of lengths) expect(length).toBeLessThanOrEqual(200);
  expect(Math.min(...parts.slice(1, -1))).toBe(50);
  expect(trees).toBe(1);
  expect(found?.longest_ms).toBe(200);
});

test("a rule that compares elements is run on all of them, others on as many as take no time", async () => {
  rules[WHOLE]!.gather = () => Array.from({ length: 500 }, (_, n) => ({ actualNode: { n } as unknown }));
  const whole = rules[WHOLE]!.gather;
  const started = audit(600_000, 200, 1, 0.001, 20_000);
  rules[WHOLE]!.gather = whole;
  await started;
  expect(ran.filter(([[rule]]) => rule === WHOLE)).toEqual([[[WHOLE], 500]]);
  expect(ran.filter(([[rule]]) => rule === SLOW).map(([, count]) => count)).toEqual([100, 800, 6400, 12_700]);
});

test("a page that changes has a tree of how it is; of one that changes all the time some rules have one", async () => {
  const run = axe._audit.run;
  let changes = 1;
  axe._audit.run = (...args) => {
    run(...args);
    if (changes-- > 0) changed();
  };
  try {
    await audit(600_000, 100, 200, 1);
    expect(trees).toBe(2);
    [trees, changes] = [0, 1000];
    lengths.length = 0;
    await audit(600_000, 100, 20, 1, 1000);
    expect(trees).toBeGreaterThan(3);
    expect((trees - 1) * takes.tree).toBeLessThanOrEqual(lengths.reduce((sum, ms) => sum + ms));
  } finally {
    axe._audit.run = run;
  }
});

test("a slow rule ends in time: what it found is told, and that it was not done", async () => {
  const found = await audit(12_000, 200, 100, 10, 20_000);
  expect(found).toMatchObject({ passes: running.length, unfinished: [SLOW], violations: [{ id: SLOW }] });
  expect(found?.violations[0]?.count).toBeGreaterThan(500);
  expect(found?.violations[0]?.count).toBeLessThan(1200);
  expect(Date.now()).toBeLessThanOrEqual(12_000);
});

test("what there was no time for is named, and the rest is told", async () => {
  const found = await audit(6000, 500, 300, 1, 10);
  expect(found?.passes).toBeGreaterThan(7);
  expect(found?.unfinished.length).toBeGreaterThan(7);
  expect(found?.unfinished.at(-1)).toBe(SLOW);
  expect([...ran.flatMap(([rules]) => rules), ...(found?.unfinished ?? [])].sort()).toEqual([...RULES].sort());
  expect(Date.now()).toBeLessThanOrEqual(6000);
});

test("nothing is begun where the first rules may not end in time", async () => {
  expect(await audit(1000, 300, 100, 1)).toBeUndefined();
  expect(ran).toEqual([]);
});

test("a run waits for the one before it, also for one that failed", async () => {
  await import("./main.ts");
  const broken = vi.spyOn(axe, "run").mockRejectedValueOnce(new Error("broken"));
  const [first, second] = await Promise.allSettled([audit(60_000, 2, 1, 1, 5), audit(60_000, 2, 1, 1, 5)]);
  broken.mockRestore();
  expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
  expect(ran).toEqual([[rest], [[SLOW], 5]]);
});

test("what axe's steps throw fails the run", async () => {
  const broken = vi.spyOn(axe._audit, "after").mockImplementationOnce(() => {
    throw new Error("broken");
  });
  await expect(audit(60_000, 2, 1, 1)).rejects.toThrow("broken");
  broken.mockRestore();
});
