import { type SpawnSyncReturns, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";
import { type Agent, connect, expect, front, type Page, test } from "./support/fixtures.ts";
import { APPS, bundles, SmallSite } from "./support/small.ts";

test.use({ pilot: true, bodies: true });

const root = fileURLToPath(new URL("../..", import.meta.url));

type Ran = Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">;

function run(command: string, args: string[], cwd: string, env: Record<string, string>): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (d) => (stdout += d));
    child.stderr.on("data", (d) => (stderr += d));
    child.on("error", fail);
    child.on("close", (status) => done({ status, stdout, stderr }));
  });
}

/** A folder inside the repository, so that what is written there finds its packages. */
function workshop(): string {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const dir = mkdtempSync(join(root, ".cache", "generated-"));
  const executablePath = findChromium();
  writeFileSync(join(dir, "package.json"), '{ "private": true, "type": "module" }');
  writeFileSync(
    join(dir, "playwright.config.ts"),
    `import { defineConfig } from "@playwright/test";
    export default defineConfig({
      testDir: ".", testIgnore: "every/**", workers: 1, retries: 0, timeout: Number(process.env.TEST_MS), expect: { timeout: Number(process.env.EXPECT_MS) },
      reporter: [["json", { outputFile: process.env.RESULTS }]],
      use: { launchOptions: ${JSON.stringify({ ...(executablePath && { executablePath }), args: TEST_FLAGS })} },
    });`,
  );
  writeFileSync(
    join(dir, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        target: "es2022",
        module: "nodenext",
        skipLibCheck: true,
        lib: ["es2023", "dom"],
        types: ["node"],
        allowJs: true,
        checkJs: false,
      },
      include: ["*.spec.ts", "every/*.ts"],
    }),
  );
  return dir;
}

interface Report {
  suites: {
    file: string;
    specs: { ok: boolean; title: string; tests: { results: { error?: { message?: string } }[] }[] }[];
  }[];
}

/** play runs the tests of a folder with Playwright's own runner; what each file came to, with what it failed by. */
async function play(
  dir: string,
  site: string,
  patient: boolean,
  env: Record<string, string> = {},
): Promise<Map<string, string>> {
  const results = join(dir, "results.json");
  rmSync(results, { force: true });
  const cli = createRequire(import.meta.url).resolve("@playwright/test/cli");
  const { stdout, stderr } = await run(process.execPath, [cli, "test", "-c", dir], dir, {
    BASE_URL: site,
    RESULTS: results,
    TEST_MS: patient ? "120000" : "6000",
    EXPECT_MS: patient ? "30000" : "1500",
    ...env,
  });
  if (!existsSync(results)) throw new Error(stdout + stderr);
  const report = JSON.parse(readFileSync(results, "utf8")) as Report;
  return new Map(
    report.suites.flatMap(({ file, specs }) =>
      specs.map(({ ok, tests }) => [file, ok ? "" : (tests[0]?.results[0]?.error?.message ?? "failed")] as const),
    ),
  );
}

/** record has somebody use an application and returns the recording's id. */
async function record(agent: Agent, page: Page, site: SmallSite, name: string): Promise<string> {
  page.setDefaultTimeout(20_000);
  await page.goto(`${site.url}/${name}/`);
  await front(agent, page);
  const { recording_id } = await agent.json<{ recording_id: string }>("configure", {
    action: "event_recording_start",
    name,
  });
  const app = APPS[name]!;
  await app.use?.(page);
  await app.work?.(agent);
  await agent.json("configure", { action: "event_recording_stop", recording_id });
  return recording_id;
}

/** Puts packages of other people beside the build, once; "" or why that cannot be. */
async function install(
  folder: string,
  ready: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const dir = join(root, ".cache", folder);
  if (existsSync(join(dir, ready))) return "";
  mkdirSync(dir, { recursive: true });
  const { status, stderr } = await run(command, args, root, env);
  return status === 0 ? "" : stderr.trim().split("\n").at(-1)!;
}

const CYPRESS = "15.3.0";
const types = join(root, ".cache/cypress-types");
const python = join(root, ".cache/generated-python");

test("a generated test is green on the application that was used, and red on a broken one", async ({
  place,
  tab,
}, testInfo) => {
  const dir = workshop();
  const scripts = await bundles();
  const good = await SmallSite.start(false, scripts);
  const bad = await SmallSite.start(true, scripts);
  const agent = await connect(place, "e2e", dir);
  const not = (what: string, why: string): void =>
    void testInfo.annotations.push({ type: "not run", description: `${what}: ${why}` });
  try {
    const files: string[] = [];
    for (const name of Object.keys(APPS)) {
      const recording_id = await record(agent, tab, good, name);
      const write = (more: object, save_to: string): Promise<string> =>
        agent.ask("generate", { format: "test", recording_id, save_to, assert_response_shape: true, ...more });
      await write({}, `${name}.spec.ts`);
      await write({ language: "javascript" }, `${name}.spec.js`);
      await write({ language: "python" }, `python/test_${name}.py`);
      await write({ framework: "cypress", include_mocks: true }, `cypress/${name}.cy.ts`);
      files.push(`${name}.spec.ts`, `${name}.spec.js`);
    }
    const env = { PASSWORD: "opensesame" };
    const all = (list: string[]): Record<string, string> => Object.fromEntries(list.map((file) => [file, ""]));
    const tsc = join(root, "node_modules/typescript/bin/tsc");

    // What our own tests compare with: every kind of step, check and answer.
    const every = join(root, "internal/script/testdata");
    for (const file of readdirSync(every).filter((name) => name.endsWith(".spec.ts.txt"))) {
      mkdirSync(join(dir, "every"), { recursive: true });
      cpSync(join(every, file), join(dir, "every", file.replace(".txt", "")));
    }
    for (const file of readdirSync(every).filter((name) => name.endsWith(".cy.ts.txt")))
      cpSync(join(every, file), join(dir, "cypress", file.replace(".txt", "")));
    await test.step("the compiler takes it", async () => {
      expect((await run(process.execPath, [tsc, "-p", dir], dir, {})).stdout).toBe("");
    });
    await test.step("green on the good one", async () => {
      expect(Object.fromEntries(await play(dir, good.url, true, env))).toEqual(all(files));
    });
    await test.step("red on the broken one", async () => {
      const red = await play(dir, bad.url, false, env);
      expect([...red].filter(([, why]) => why === "")).toEqual([]);
      expect(red.size).toBe(files.length);
    });
    await test.step("with pytest, too", async () => {
      const why = await install("generated-python", "installed.txt", join(root, "e2e/python.sh"), [
        "e2e",
        "3.10",
        python,
        join(root, "e2e/tests/support/generated.requirements.txt"),
      ]);
      if (why) return not("pytest", why);
      const tests = files
        .filter((file) => file.endsWith(".ts"))
        .map((file) => `test_${file.replace(".spec.ts", "")}.py`);
      expect(await pytest(join(dir, "python"), good.url, true, env)).toEqual(all(tests));
      const red = await pytest(join(dir, "python"), bad.url, false, env);
      expect(Object.entries(red).filter(([, said]) => said === "")).toEqual([]);
      expect(Object.keys(red).length).toBe(tests.length);
    });
    await test.step("Cypress' types take it", async () => {
      // Its program is not on npm: no test of Cypress is run.
      const why = await install(
        "cypress-types",
        "node_modules/cypress/types/index.d.ts",
        "npm",
        ["install", "--prefix", types, "--ignore-scripts", "--no-audit", "--no-fund", `cypress@${CYPRESS}`],
        { CYPRESS_INSTALL_BINARY: "0" },
      );
      if (why) return not("Cypress' types", why);
      writeFileSync(
        join(dir, "cypress", "tsconfig.json"),
        JSON.stringify({
          compilerOptions: {
            strict: true,
            noEmit: true,
            noUnusedLocals: true,
            target: "es2022",
            module: "preserve",
            skipLibCheck: true,
            lib: ["es2023", "dom"],
            types: [join(types, "node_modules/cypress")],
          },
          include: ["*.cy.ts"],
        }),
      );
      expect((await run(process.execPath, [tsc, "-p", join(dir, "cypress")], dir, {})).stdout).toBe("");
    });
  } finally {
    await agent.close();
    await good.stop();
    await bad.stop();
    if (!process.env["KEEP"]) rmSync(dir, { recursive: true, force: true });
  }
});

test("a test of an error fails while it comes, a reproduction passes while it is seen, and pictures are compared", async ({
  place,
  tab,
}) => {
  const dir = workshop();
  const scripts = await bundles();
  const good = await SmallSite.start(false, scripts);
  const bad = await SmallSite.start(true, scripts);
  const agent = await connect(place, "e2e", dir);
  try {
    tab.setDefaultTimeout(20_000);
    // An exception: what the last act led to, without a recording.
    await tab.goto(`${bad.url}/shadow/`);
    await front(agent, tab);
    await APPS["shadow"]!.use!(tab);
    const error_id = /\bx\d+\b/.exec(await agent.ask("observe", { what: "errors" }))![0];
    const about = await agent.json<{ test: { content: string; coverage: { error_reproduced: boolean } } }>("generate", {
      format: "test_from_context",
      context: "error",
      error_id,
    });
    expect(about.test.coverage.error_reproduced).toBe(true);
    writeFileSync(join(dir, "error.spec.ts"), about.test.content);
    await agent.ask("generate", {
      format: "test_from_context",
      context: "interaction",
      save_to: "interaction.spec.ts",
    });
    await agent.ask("generate", { format: "reproduction", output_format: "playwright", save_to: "seen.spec.ts" });
    expect(await agent.ask("generate", { format: "reproduction" })).toContain("TypeError: stars is undefined");
    // A request that fails: whether it does, and how the page takes it.
    await agent.ask("interact", { action: "navigate", url: `${bad.url}/form/` });
    await tab.getByLabel("E-mail").pressSequentially("ada@example.org");
    await tab.getByRole("button", { name: "Register" }).click();
    await tab.getByText("Something went wrong").waitFor();
    const failed = /\b(r\d+)\b.* 500/.exec(await agent.ask("observe", { what: "network_bodies" }))![1]!;
    await agent.ask("generate", {
      format: "test_from_context",
      context: "error",
      error_id: failed,
      save_to: "answer.spec.ts",
    });
    await agent.ask("generate", {
      format: "test_from_context",
      context: "error",
      error_id: failed,
      include_mocks: true,
      save_to: "taken.spec.ts",
    });
    await agent.ask("generate", { format: "reproduction", output_format: "playwright", save_to: "refused.spec.ts" });
    // A regression: what a recording led to.
    const recording_id = await record(agent, tab, good, "vue");
    await agent.ask("generate", {
      format: "test_from_context",
      context: "regression",
      recording_id,
      save_to: "regression.spec.ts",
    });
    const came = (list: Map<string, string>): Record<string, boolean> =>
      Object.fromEntries([...list].map(([file, why]) => [file.replace(".spec.ts", ""), why === ""]));
    expect(came(await play(dir, bad.url, false))).toEqual({
      error: false,
      interaction: true,
      seen: true,
      answer: false,
      taken: true,
      refused: true,
      regression: false,
    });
    expect(came(await play(dir, good.url, true))).toEqual({
      error: true,
      interaction: true,
      seen: false,
      answer: true,
      taken: true,
      refused: false,
      regression: true,
    });
    for (const file of ["error", "interaction", "seen", "answer", "taken", "refused", "regression"])
      rmSync(join(dir, `${file}.spec.ts`));

    // Pictures: the first run makes them, the second finds them the same, the broken application differs.
    await tab.goto(`${good.url}/vue/`);
    await front(agent, tab);
    await agent.ask("interact", { action: "draw_mode_start", annot_session: "price" });
    const box = (await tab.locator("#price").boundingBox())!;
    await tab.mouse.move(box.x - 2, box.y - 2);
    await tab.mouse.down();
    await tab.mouse.move(box.x + box.width + 2, box.y + box.height + 2, { steps: 4 });
    await tab.mouse.up();
    await tab.keyboard.type("This price");
    await tab.keyboard.press("Control+Enter");
    await expect(tab.locator("#gasoline-draw")).toHaveCount(0);
    await expect.poll(() => agent.ask("analyze", { what: "draw_history" })).toContain("1 annotation (price)");
    const said = await agent.ask("generate", {
      format: "visual_test",
      annot_session: "price",
      save_to: "price.spec.ts",
    });
    expect(said).toContain("the first run has none, fails and writes them");
    expect((await play(dir, good.url, true)).get("price.spec.ts")).toContain("snapshot doesn't exist");
    expect((await play(dir, good.url, true)).get("price.spec.ts")).toBe("");
    expect((await play(dir, bad.url, false)).get("price.spec.ts")).toContain("toHaveScreenshot");
  } finally {
    await agent.close();
    await good.stop();
    await bad.stop();
    if (!process.env["KEEP"]) rmSync(dir, { recursive: true, force: true });
  }
});

/** pytest runs the tests of a folder; what each file failed by, "" for none. */
async function pytest(
  dir: string,
  site: string,
  patient: boolean,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  const executable = findChromium();
  writeFileSync(
    join(dir, "conftest.py"),
    `import json
import pytest
from playwright.sync_api import expect

expect.set_options(timeout=${patient ? 60_000 : 1500})


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    more = json.loads(${JSON.stringify(JSON.stringify({ ...(executable && { executable_path: executable }), args: TEST_FLAGS }))})
    return {**browser_type_launch_args, **more}


@pytest.fixture
def context(context):
    context.set_default_timeout(${patient ? 60_000 : 1500})
    yield context
`,
  );
  const { stdout, stderr } = await run(
    join(python, "bin/pytest"),
    ["-p", "no:cacheprovider", "--color=no", "-rA", "--tb=line", "-q", "."],
    dir,
    {
      BASE_URL: site,
      PYTHONDONTWRITEBYTECODE: "1",
      ...env,
    },
  );
  const found = [...stdout.matchAll(/^(PASSED|FAILED|ERROR) (test_\w+\.py)(?:::\S+)?(.*)$/gm)];
  if (found.length === 0) throw new Error(stdout + stderr);
  return Object.fromEntries(found.map(([, how, file, why]) => [file, how === "PASSED" ? "" : `${how}${why}`]));
}
