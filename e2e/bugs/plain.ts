import type { BrowserContext, Page, Request } from "@playwright/test";
import type { Bug, Edit, Failure } from "./bug.ts";
import { BugSite } from "./site.ts";
import { step } from "./steps.ts";

/** What one run of the steps came to, as a page's own events tell it. */
export interface Ran {
  /** Errors, and lines of the console that tell of errors. */
  errors: string[];
  /** Requests that failed: METHOD /path STATUS. */
  requests: string[];
  /** The step that could not be done. */
  stuck: string | undefined;
  /** The page showed that everything works. */
  works: boolean;
}

/** ms that what is waited for may take on a busy machine. What is not to come is given a moment only. */
const LONG = 20_000;
const MOMENT = 600;

/** Tells whether a failure came. */
export function came(failure: Failure, { errors, requests }: Ran): boolean {
  if ("words" in failure) return errors.some((error) => error.includes(failure.words));
  return requests.includes(`${failure.method} ${failure.path} ${failure.status}`);
}

/** Loads the application and does a bug's steps in a page, n times. */
async function run(
  page: Page,
  site: BugSite,
  bug: Bug,
  { n, ms, until }: { n: number; ms: { step: number; told: number }; until: (ran: Ran) => boolean },
): Promise<Ran> {
  const ran: Ran = { errors: [], requests: [], stuck: undefined, works: false };
  const failed = (request: Request, how: string | number): void =>
    void ran.requests.push(`${request.method()} ${new URL(request.url()).pathname} ${how}`);
  page.on("pageerror", (error) => ran.errors.push(`${error.name}: ${error.message}`));
  page.on("console", (line) => void (line.type() === "error" && ran.errors.push(line.text())));
  page.on("response", (answer) => void (answer.status() >= 400 && failed(answer.request(), answer.status())));
  page.on("requestfailed", (request) => failed(request, "failed"));
  const shown = page.getByText(bug.works, { exact: true }).first();
  for (let i = 0; i < n && !ran.stuck; i++) {
    await page.goto(site.url, { waitUntil: "load" });
    for (const line of bug.steps) await step(page, site.url, line, ms.step).catch(() => void (ran.stuck ??= line));
    for (const end = performance.now() + ms.told; performance.now() < end && !ran.stuck;) {
      ran.works ||= await shown.isVisible();
      if (until(ran)) break;
      await new Promise((done) => setTimeout(done, 20));
    }
  }
  page.removeAllListeners();
  return ran;
}

/** Has the broken application fail, edits it, and does the steps again; what is wrong with the archive, "" for nothing. */
export async function check(context: BrowserContext, bug: Bug, edit: Edit): Promise<string> {
  const site = await BugSite.start(bug);
  const page = await context.newPage();
  try {
    const failing = (ran: Ran): boolean => came(bug.fails, ran);
    const patient = { step: LONG, told: bug.times > 1 ? MOMENT : LONG };
    const before = await run(page, site, bug, { n: bug.times, ms: patient, until: failing });
    if (!failing(before) || before.stuck) return `the broken one does not fail: ${JSON.stringify(before)}`;
    site.served.clear();
    site.swap(edit.files, edit.changed);
    const told = patient.told;
    const ms = { step: edit.reason === "steps" ? MOMENT : LONG, told: edit.reason ? MOMENT : told };
    const until = (ran: Ran): boolean => (edit.breaks ? broke(edit.breaks, ran) : failing(ran) || ran.works);
    const after = await run(page, site, bug, { n: bug.times, ms, until });
    return misjudged(bug, edit, after, site);
  } finally {
    await page.close();
    await site.stop();
  }
}

/** Tells whether an error, or a failed request, says this. */
function broke(words: string, { errors, requests }: Ran): boolean {
  return [...errors, ...requests].some((told) => told.includes(words));
}

/** What does not fit between a verdict and what was seen. */
function misjudged(bug: Bug, edit: Edit, ran: Ran, site: BugSite): string {
  const seen = JSON.stringify(ran);
  const failing = came(bug.fails, ran);
  const changed = [...site.served].some(([path, text]) => bug.files.get(path) !== text);
  if (edit.reason === "steps") return ran.stuck && !failing ? "" : `the steps can be done: ${seen}`;
  if (edit.reason === "unloaded") return changed ? `new code was loaded: ${seen}` : "";
  if (edit.reason === "unreached") return failing || ran.works ? `it was reached: ${seen}` : "";
  if (edit.reason === "once") return failing ? `it fails again: ${seen}` : "";
  if (edit.breaks) {
    return broke(edit.breaks, ran) && !failing ? "" : `it does not break by ${edit.breaks}: ${seen}`;
  }
  const [first, second] = edit.verdicts;
  if (first === "fixed" && second === undefined)
    return !failing && ran.works && !ran.stuck ? "" : `it is not fixed: ${seen}`;
  if (first === "still") return failing ? "" : `it does not fail: ${seen}`;
  if (first === "fixed") return ran.works || failing ? "" : `it neither works nor fails: ${seen}`;
  return ran.works && !edit.breaks && !failing && changed ? `it works: ${seen}` : "";
}
