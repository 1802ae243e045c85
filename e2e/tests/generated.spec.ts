import { type SpawnSyncReturns, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
      testDir: ".", workers: 1, retries: 0, timeout: Number(process.env.TEST_MS), expect: { timeout: Number(process.env.EXPECT_MS) },
      reporter: [["json", { outputFile: process.env.RESULTS }]],
      use: { launchOptions: ${JSON.stringify({ ...(executablePath && { executablePath }), args: TEST_FLAGS })} },
    });`,
  );
  writeFileSync(
    join(dir, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true, noEmit: true, noUnusedLocals: true, noUnusedParameters: true, target: "es2022", module: "nodenext", skipLibCheck: true,
        lib: ["es2023", "dom"], types: ["node"], allowJs: true, checkJs: false,
      },
      include: ["*.spec.ts"],
    }),
  );
  return dir;
}

interface Report {
  suites: { file: string; specs: { ok: boolean; title: string; tests: { results: { error?: { message?: string } }[] }[] }[] }[];
}

/** play runs the tests of a folder with Playwright's own runner; what each file came to, with what it failed by. */
async function play(dir: string, site: string, patient: boolean, env: Record<string, string> = {}): Promise<Map<string, string>> {
  const results = join(dir, "results.json");
  rmSync(results, { force: true });
  const cli = createRequire(import.meta.url).resolve("@playwright/test/cli");
  const { stdout, stderr } = await run(process.execPath, [cli, "test", "-c", dir], dir, {
    BASE_URL: site, RESULTS: results, TEST_MS: patient ? "120000" : "12000", EXPECT_MS: patient ? "60000" : "3000", ...env,
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
  const { recording_id } = await agent.json<{ recording_id: string }>("configure", { action: "event_recording_start", name });
  const app = APPS[name]!;
  await app.use?.(page);
  await app.work?.(agent);
  await agent.json("configure", { action: "event_recording_stop", recording_id });
  return recording_id;
}

test("a generated test is green on the application that was used, and red on a broken one", async ({ place, tab }) => {
  const dir = workshop();
  const scripts = await bundles();
  const good = await SmallSite.start(false, scripts);
  const bad = await SmallSite.start(true, scripts);
  const agent = await connect(place, "e2e", dir);
  try {
    const files: string[] = [];
    for (const name of Object.keys(APPS)) {
      const recording_id = await record(agent, tab, good, name);
      for (const [language, end] of [["typescript", "ts"], ["javascript", "js"]] as const) {
        const file = `${name}.spec.${end}`;
        await agent.ask("generate", { format: "test", recording_id, language, save_to: file, assert_response_shape: true });
        files.push(file);
      }
    }
    const typed = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", dir], dir, {});
    expect(typed.stdout).toBe("");
    const env = { PASSWORD: "opensesame" };
    const green = await play(dir, good.url, true, env);
    expect(Object.fromEntries(green)).toEqual(Object.fromEntries(files.map((file) => [file, ""])));
    const red = await play(dir, bad.url, false, env);
    expect([...red].filter(([, why]) => why === "").map(([file]) => file)).toEqual([]);
    expect(red.size).toBe(files.length);
  } finally {
    await agent.close();
    await good.stop();
    await bad.stop();
    if (!process.env["KEEP"]) rmSync(dir, { recursive: true, force: true });
  }
});
