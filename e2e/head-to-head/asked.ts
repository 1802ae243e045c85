// Puts questions to the tools, and judges what they told by the facts that an answer has to hold.
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import type { Cost } from "./drivers/client.ts";
import type { Driver } from "./drivers/driver.ts";
import { content } from "./questions/content.ts";
import { loading } from "./questions/loading.ts";
import type { Question } from "./questions/question.ts";
import { styles } from "./questions/styles.ts";

export const questions: readonly Question[] = [...styles, ...loading, ...content];

/** What a tool told to a question. */
export interface Told {
  tool: string;
  question: Question;
  right: boolean;
  /** The facts that are missing, or that may not be there. */
  why: string[];
  cost: Cost;
}

const TYPES: Record<string, string> = {
  "": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/** The address of a question's own page below the site's. */
const place = (question: Question): string => `/asked/${questions.indexOf(question)}/`;

/** Answers what is below a question's own page. */
export function serve(request: IncomingMessage, response: ServerResponse): boolean {
  const { host } = request.headers;
  const [, nth, path = ""] = /^\/asked\/(\d+)\/([^?]*)/.exec(request.url ?? "") ?? [];
  const page = questions[Number(nth)]?.page;
  if (typeof page !== "object" || page[path] === undefined) return false;
  const served = page[path];
  const {
    body,
    headers = { "x-content-type-options": "nosniff" },
    after = 0,
  } = typeof served === "object" ? served : { body: served };
  const other = `http://${host?.replace("127.0.0.1", "localhost")}/asked/${nth}/`;
  setTimeout(() => {
    const type = TYPES[extname(path)] ?? TYPES[""]!;
    response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...headers });
    response.end(path === "" ? `<!doctype html><link rel=icon href=data:,>${body.replaceAll("{other}", other)}` : body);
  }, after);
  return true;
}

/** Has a tool come to its browser, so that it sees from the beginning what the pages do that follow. */
export async function attach(driver: Driver, site: string): Promise<void> {
  await driver.page.goto(`${site}/asked/0/`, { waitUntil: "networkidle" });
  await driver.begin();
  await driver.look();
}

/** Puts a question to a tool on a page that was just loaded. */
export async function ask(tool: string, driver: Driver, site: string, question: Question): Promise<Told> {
  const { page, tools } = driver;
  await page.goto("about:blank");
  const path = typeof question.page === "string" ? `/${question.page}/` : place(question);
  await page.goto(`${site}${path}`, { waitUntil: "networkidle" });
  await question.before?.(page);
  await page.waitForTimeout(1000); // no agent is asked sooner
  await driver.begin();
  const says = typeof question.says === "function" ? await question.says(page) : question.says;
  tools.reset();
  let told = "";
  for (const step of question[tool as "gasoline" | "playwright" | "devtools"]) {
    if (step === "change") await question.change?.(page);
    else told += `${(await tools.call(step[0], typeof step[1] === "function" ? step[1](told) : step[1])).text}\n`;
  }
  const cost = { ...tools.cost };
  const why = [
    ...says.filter((fact) => !fact.test(told)).map((fact) => `no ${fact}`),
    ...(question.not ?? []).filter((fact) => fact.test(told)).map((fact) => `has ${fact}`),
  ];
  return { tool, question, right: why.length === 0, why, cost };
}
