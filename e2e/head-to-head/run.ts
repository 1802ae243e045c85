// Gasoline beside its peers: the same tasks on the same pages by the same agent's plan, each tool by a real MCP client and
// in a Chromium of its own. The page's own state is the verdict. Before them questions with known answers, each asked as a good
// agent would ask that tool. Writes its parts of docs/benchmarks.md when all of them was run.
//
//   node --import ../../scripts/ts.mjs run.ts [--page NAME] [--tool NAME] [--task WORDS] [--questions] [--log]
//
// --questions leaves the tasks out; --page and --task choose among questions by their page or group, and by their words.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "@playwright/test";
import { ask, attach, questions, serve, type Told } from "./asked.ts";
import { DevTools } from "./drivers/devtools.ts";
import type { Driver } from "./drivers/driver.ts";
import { Gasoline } from "./drivers/gasoline.ts";
import { Playwright } from "./drivers/playwright.ts";
import { libraries, Site, versionOf } from "./site.ts";
import { FILES, RIGHT_MS, type Task } from "./task.ts";
import { answers, type Cause, madeWith, type Outcome, tables, write } from "./table.ts";
import { startShop } from "../../examples/shop/shop.mjs";

const { values: only } = parseArgs({
  options: {
    page: { type: "string" },
    tool: { type: "string" },
    task: { type: "string" },
    questions: { type: "boolean", default: false },
    log: { type: "boolean", default: false },
  },
});

const TOOLS: Record<string, (dir: string) => Promise<Driver>> = {
  gasoline: (dir) => Gasoline.start(dir),
  playwright: (dir) => Playwright.start(dir),
  devtools: (dir) => DevTools.start(dir),
};

const all = await libraries();
const asked = questions.filter(
  ({ page, group, ask }) =>
    (!only.page || only.page === page || only.page === group) && (!only.task || ask.includes(only.task)),
);
const pages = [...all].filter(([name]) =>
  only.questions ? asked.some(({ page }) => page === name) : !only.page || name === only.page,
);
const dir = mkdtempSync(join(tmpdir(), "head-to-head-project-"));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(dir, name), text);
const site = await Site.start(new Map(pages), serve);
const drivers = new Map<string, Driver>();
const outcomes: Outcome[] = [];
const told: Told[] = [];
try {
  for (const [name, start] of Object.entries(TOOLS))
    if (!only.tool || name === only.tool) drivers.set(name, await start(dir));
  const versions = new Map([
    ["gasoline", readFileSync(new URL("../../VERSION", import.meta.url), "utf8").trim()],
    ["playwright", versionOf("@playwright/mcp")],
    ["devtools", versionOf("chrome-devtools-mcp")],
  ]);
  const day = new Date().toISOString().slice(0, 10);
  const whole = !only.page && !only.tool && !only.task;
  const put = only.questions || !only.page ? asked : [];
  for (const driver of put.length > 0 ? drivers.values() : []) await attach(driver, site.url);
  for (const question of put) {
    const line: string[] = [];
    for (const [tool, driver] of drivers) {
      const answer = await ask(tool, driver, site.url, question);
      told.push(answer);
      line.push(`${tool} ${answer.right ? "right" : "WRONG"} ${answer.cost.calls} ${answer.cost.bytes} B`);
      if (!answer.right) line.push(`(${answer.why.join("; ")})`);
      if (only.log) line.push(`\n${driver.tools.log.join("\n")}\n`);
    }
    console.log(`  ${question.group}: ${question.ask} ${line.join("; ")}`);
  }
  if (told.length > 0) {
    const text = answers(told, versions);
    console.log(`\n${text}\n`);
    if (whole) write("head-to-head-questions", `${text}\n\n${day}.`);
  }
  for (const [name, library] of only.questions ? [] : pages) {
    console.log(`${library.title} ${versionOf(library.package)}`);
    for (const task of library.tasks) {
      if (only.task && !task.name.includes(only.task)) continue;
      const line: string[] = [];
      for (const [tool, driver] of drivers) {
        const outcome = await run(driver, site.page(name), task);
        outcomes.push({ tool, library: library.title, kind: task.kind, task: task.name, ...outcome });
        const { calls, bytes, ms } = outcome.cost;
        line.push(`${tool} ${outcome.right ? "right" : "WRONG"} ${calls} ${bytes} B ${Math.round(ms)} ms`);
        if (outcome.why) line.push(`(${outcome.why.split("\n").slice(0, 3).join(" ").slice(0, 300)})`);
        if (outcome.ofUser.length > 0) line.push(`(THE USER DID: ${outcome.ofUser.join("; ")})`);
        if (only.log || (!outcome.right && only.tool)) line.push(`\n${driver.tools.log.join("\n")}\n`);
      }
      console.log(`  ${task.kind}: ${task.name}: ${line.join("; ")}`);
    }
  }
  const causes = !only.questions && !only.task && (!only.page || only.page === "shop") ? await investigations() : [];
  if (outcomes.length > 0) {
    const text = tables(outcomes, causes, versions);
    console.log(`\n${text}\n`);
    if (whole) write("head-to-head", `${text}\n\n${madeWith(day, all.values())}`);
  }
} finally {
  for (const driver of drivers.values()) await driver.close();
  await site.close();
  rmSync(dir, { recursive: true, force: true });
}
const wrong = outcomes.filter(({ tool, right }) => tool === "gasoline" && !right);
if (wrong.length > 0) {
  console.error(`Gasoline was wrong: ${wrong.map(named).join("; ")}`);
  process.exitCode = 1;
}
const unknown = told.filter(({ tool, right, question }) => tool === "gasoline" && !right && !question.because);
if (unknown.length > 0) {
  console.error(`Gasoline did not answer: ${unknown.map(({ question }) => question.ask).join(" ")}`);
  process.exitCode = 1;
}
const claimed = outcomes.filter(({ ofUser }) => ofUser.length > 0);
if (claimed.length > 0) {
  console.error(`Gasoline took its own acts for the user's: ${claimed.map(named).join("; ")}`);
  process.exitCode = 1;
}

function named({ library, task }: Outcome): string {
  return `${library}: ${task}`;
}

/** Plays a task on a page that was just loaded. */
async function run(
  driver: Driver,
  url: string,
  task: Task,
): Promise<Pick<Outcome, "right" | "cost" | "ofUser"> & { why?: string }> {
  const { page, tools } = driver;
  await page.goto("about:blank");
  await page.goto(url, { waitUntil: "networkidle" });
  await driver.begin();
  tools.reset();
  let why: string | undefined;
  try {
    for (let n = 0; n < task.steps.length;) n += await driver.step(task.steps[n]!, task.steps[n + 1]);
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  const cost = { ...tools.cost };
  const right = why === undefined && (await isRight(page, task.right));
  const ofUser = await driver.ofUser();
  return { right, cost, ofUser, ...(why !== undefined && { why }) };
}

/** A customer's checkout fails, and a second later an agent is asked why. */
async function investigations(): Promise<Cause[]> {
  const shop = await startShop();
  const found: Cause[] = [];
  try {
    for (const [tool, driver] of drivers) {
      const { page } = driver;
      await page.goto(shop.url);
      await page.getByRole("button", { name: "Add Gift card" }).click();
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByLabel("Card number").fill("4242424242424242");
      const failed = page.waitForEvent("pageerror");
      await page.getByTestId("pay").click();
      await failed;
      await page.waitForTimeout(1000); // no agent is asked sooner
      await driver.begin();
      const { text, cost } = await driver.investigate();
      const right = text.includes("no payment for item");
      found.push({ tool, right, cost });
      console.log(`shop: ${tool} ${right ? "right" : "WRONG"} ${cost.calls} ${cost.bytes} B ${Math.round(cost.ms)} ms`);
      if (only.log) console.log(text);
    }
  } finally {
    await shop.close();
  }
  return found;
}

async function isRight(page: Page, right: () => boolean): Promise<boolean> {
  return page.waitForFunction(right, undefined, { timeout: RIGHT_MS }).then(
    () => true,
    () => false,
  );
}
