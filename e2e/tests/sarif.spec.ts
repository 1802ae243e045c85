import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, connect, expect, front, test as base, until } from "./support/fixtures.ts";

const test = base.extend<{ project: string; worker: Agent }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads the names of fixtures from the pattern
  project: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), "gasoline-sarif-"));
    await use(dir);
    await rm(dir, { recursive: true });
  },
  worker: async ({ place, project }, use) => {
    const worker = await connect(place, "worker", project);
    await use(worker);
    await worker.close();
  },
});

test.use({ bodies: true });

interface Result {
  ruleId: string;
  baselineState?: string;
  suppressions?: unknown[];
  message: { text: string };
  locations: { physicalLocation: { artifactLocation: { uri: string }; region?: { startLine: number } } }[];
  partialFingerprints: Record<string, string>;
}

interface Log {
  runs: {
    tool: { driver: { name: string; rules: { id: string; help: { text: string } }[] } };
    automationDetails: { id: string };
    results: Result[];
  }[];
}

const map = {
  version: 3,
  sources: ["webpack://shop/./src/cart.ts"],
  names: [],
  // Of the first line of the file its whole is line 7 of the source.
  mappings: "AAMA",
};

test("findings of all checks are in one log, in files of the repository, and keep their fingerprints", async ({
  site,
  tab,
  worker,
  project,
}) => {
  let calls = 0;
  site.page("/api/cart", (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(calls++ % 5 === 4 ? `{"total":"4","key":"AKIAIOSFODNN7EXAMPLE"}` : `{"total":${calls}}`);
  });
  site.page("/app.js", {
    type: "text/javascript",
    body: `(async () => { for (let i = 0; i < 5; i++) await (await fetch("/api/cart")).json(); window.loaded = true })(); console.error("key", "AKIAIOSFODNN7EXAMPLE")\n//# sourceMappingURL=app.js.map`,
  });
  site.json("/app.js.map", map);
  const page = (more: string) =>
    site.page(
      "/cart",
      `<!doctype html><html lang=en><title>Cart</title><main><h1>Cart</h1>${more}<img src="/hat.png" class=a-1><ul><li><img src="/cap.png"></li></ul></main><script src=/app.js></script>`,
    );
  const found = async (name: string, more: Record<string, unknown> = {}): Promise<Log> => {
    await tab.waitForFunction(() => "loaded" in globalThis);
    await front(worker, tab);
    const saved = join(project, name);
    await until(
      "findings of all checks",
      // The line of the console comes last.
      () =>
        worker.json<{ results: Record<string, number> }>("generate", {
          format: "sarif",
          save_to: name,
          overwrite: true,
          ...more,
        }),
      ({ results }) =>
        ["accessibility", "contract"].every((check) => (results[check] ?? 0) > 0) && (results["security"] ?? 0) > 1,
    );
    return JSON.parse(await readFile(saved, "utf8")) as Log;
  };
  await tab.goto(page(""));
  const first = await found("first.sarif");

  // What GitHub wants: relative locations, runs of different categories, a help for each rule.
  const all = first.runs.flatMap(({ results }) => results);
  for (const { locations } of all) {
    expect(locations).toHaveLength(1);
    expect(locations[0]!.physicalLocation.artifactLocation.uri).toMatch(/^[^/:]+(\/[^/:]+)*$/);
  }
  const categories = first.runs.map(({ automationDetails: { id } }) => id);
  expect(new Set(categories).size).toBe(3);
  expect(categories.every((id) => id.endsWith("/"))).toBe(true);
  expect(first.runs.flatMap(({ tool }) => tool.driver.rules).every(({ help }) => help.text !== "")).toBe(true);
  const of = (log: Log, rule: string) => log.runs.flatMap(({ results }) => results).filter((r) => r.ruleId === rule);
  expect(of(first, "secret-in-console")[0]!.locations[0]!.physicalLocation).toMatchObject({
    artifactLocation: { uri: "src/cart.ts" },
    region: { startLine: 7 },
  });
  expect(of(first, "image-alt").map(({ locations: [at] }) => at!.physicalLocation.artifactLocation.uri)).toEqual([
    "cart",
    "cart",
  ]);

  const prints = (log: Log, rules: RegExp) =>
    log.runs
      .flatMap(({ results }) => results)
      .filter(({ ruleId }) => rules.test(ruleId))
      .map(({ ruleId, partialFingerprints: p }) => `${ruleId} ${p["primaryLocationLineHash"]}`)
      .toSorted();
  // Each run judges its own load.
  const anew = () => worker.ask("configure", { action: "clear" });
  await anew();
  await tab.reload();
  const again = await found("again.sarif");
  expect(prints(again, /./)).toEqual(prints(first, /./));
  expect(new Set(prints(first, /./)).size).toBe(all.length);

  await anew();
  await tab.goto(page("<ul><li>Free shipping</li></ul><p>News</p>"));
  const changed = await found("changed.sarif", { baseline: "first.sarif", suppress: ["image-alt"] });
  expect(prints(changed, /./)).toEqual(prints(first, /./));
  const results = changed.runs.flatMap((run) => run.results);
  expect(results.map(({ baselineState }) => baselineState)).toEqual(results.map(() => "unchanged"));
  expect(of(changed, "image-alt").every(({ suppressions }) => suppressions?.length === 1)).toBe(true);

  await anew();
  await tab.goto(page('<img src="/new.png">'));
  const more = await found("more.sarif", { baseline: "changed.sarif" });
  expect(of(more, "image-alt").filter(({ baselineState }) => baselineState === "new")).toHaveLength(1);
  expect(of(more, "image-alt").filter(({ suppressions }) => suppressions?.length === 1)).toHaveLength(2);
});
