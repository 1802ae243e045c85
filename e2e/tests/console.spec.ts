import { BrowserConsole, type Line } from "./support/browser-console.ts";
import { type Failure, failures, files } from "./support/failures.ts";
import { type Agent, type Browser, expect, type Page, type Site, test } from "./support/fixtures.ts";
import { holdPort } from "../../scripts/port.mjs";

/** Pages that are made at once, and that stay open: what comes late is heard, too. */
const AT_ONCE = 6;
const OPEN = 40;

/** What we have of a failure, of whatever kind. */
interface Entry {
  tab: number;
  /** How it was noticed: console, onerror, request, connection … */
  what: string;
  type: string;
  message: string;
  url: string;
}

/** A failure in its tab. */
interface Case {
  failure: Failure;
  tab: number;
  shown: BrowserConsole;
  /** What was waited for and did not come. */
  faults: string[];
}

test.use({ hosts: ["https://secure.test/*"] });

test("what the browser's own console says of a failure is named by ours, or the answer says what is not seen", async ({
  profile,
  site,
  agent,
}) => {
  const { port, release } = await holdPort();
  files(site);
  const only = new RegExp(process.env["FAILURES"] ?? "");
  const table = failures(site, `http://127.0.0.1:${port}`).filter(({ name }) => only.test(name));
  const cases: Case[] = [];
  const open: Page[] = [];
  const waiting = table.entries();
  const work = async (): Promise<void> => {
    for (const [at, failure] of waiting) {
      const page = await profile.context.newPage();
      open.push(page);
      cases.push(await happen(profile, site, agent, at, failure, page));
      if (open.length > OPEN) await open.shift()?.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const wrong = async (): Promise<string[]> => {
    const ours = await entries(agent);
    return cases.flatMap((at) =>
      differences(
        at,
        ours.filter(({ tab }) => tab === at.tab),
      ),
    );
  };
  // A client has so many calls a minute, and pages of a busy machine do not send in time what they hold back.
  await expect.poll(wrong, { intervals: [500, 2000, 4000] }).toEqual([]);
  expect(cases.filter(({ shown }) => shown.lines.length > 0).length).toBeGreaterThanOrEqual(
    process.env["FAILURES"] ? 1 : 120,
  );
  await Promise.all(open.map((page) => page.close()));
  release();
});

/** Opens the page of a failure and waits until the console says something, and the answer what it is to say. */
async function happen(
  profile: Browser,
  site: Site,
  agent: Agent,
  at: number,
  failure: Failure,
  page: Page,
): Promise<Case> {
  const { name, html, headers, https, unseen, silent, answer } = failure;
  const shown = await BrowserConsole.of(page, failure);
  const path = `/failures/${at}`;
  const body = `<!doctype html><title>${name}</title><link rel="icon" href="data:,"><body>${html}`;
  let url = site.page(path, { body, ...(headers && { headers }) });
  if (https) {
    url = `https://secure.test${path}`;
    await page.route("https://secure.test/**", (route) => route.fulfill({ body, contentType: "text/html" }));
  }
  await page.goto(url);
  const tab = await profile.worker.evaluate(
    async (wanted) => (await chrome.tabs.query({})).find((tab) => tab.url === wanted)?.id ?? 0,
    url,
  );
  const faults: string[] = [];
  const says = unseen?.says ?? /(?:)/;
  const heard = (): boolean => shown.lines.some(({ text }) => says.test(text));
  const asked = (): Promise<string> => agent.ask("observe", { what: "errors", tab });
  const waited = async (what: Promise<unknown>): Promise<void> =>
    void (await what.catch((e: Error) => faults.push(e.message)));
  if (silent === undefined) await waited(expect.poll(heard, { message: "a line of the console" }).toBe(true));
  if (answer) await waited(expect.poll(asked, { intervals: [200, 500, 2000] }).toMatch(answer));
  return { failure, tab, shown, faults };
}

/** What the console says and we do not, and the other way round, against the table. */
function differences({ failure, faults, shown: { lines } }: Case, ours: readonly Entry[]): string[] {
  const { name, unseen, alike, more, silent } = failure;
  const untold = (line: Line): boolean => unseen?.says.test(line.text) === true;
  const same = (entry: Entry, line: Line): boolean =>
    names(entry, line) || (alike?.says.test(line.text) === true && alike.ours.test(textOf(entry)));
  const named = (line: Line): Entry | undefined => ours.find((entry) => same(entry, line));
  const known = (entry: Entry): boolean => more?.ours.test(textOf(entry)) === true;
  return [
    ...faults,
    ...lines.filter((line) => !untold(line) && !named(line)).map((line) => `not named: ${line.text} @${line.url}`),
    ...lines.flatMap((line) => {
      const entry = untold(line) && named(line);
      return entry ? [`named, against the table: ${line.text}, by ${textOf(entry)}`] : [];
    }),
    ...ours
      .filter((entry) => !known(entry) && !lines.some((line) => same(entry, line)))
      .map((entry) => `the console has not: ${textOf(entry)}`),
    ...(more && !ours.some(known) ? ["what we have more is not there"] : []),
    ...(silent !== undefined && lines.length > 0 ? [`the console is not silent: ${lines[0]?.text}`] : []),
  ].map((fault) => `${name}: ${fault}`);
}

/** What we have of failures and warnings, of whatever kind. */
async function entries(agent: Agent): Promise<Entry[]> {
  type Told = Entry & {
    source: string;
    level: string;
    error?: string;
    outcome: string;
    event: string;
    reason?: string;
  };
  const all = async (what: string, more: object = {}): Promise<Told[]> => {
    const found: Told[] = [];
    let cursor: string | undefined;
    do {
      const params = { what, scope: "all", limit: 200, budget: 30_000, ...more, ...(cursor && { cursor }) };
      const { metadata, ...lists } = await agent.json<{ metadata: { older?: string } }>("observe", params);
      const [list = []] = Object.values(lists).filter(Array.isArray) as Told[][];
      found.push(...list);
      cursor = metadata.older;
    } while (cursor);
    return found;
  };
  const entry = ({ tab, type = "", message = "", url = "" }: Partial<Told>, what: string): Entry => ({
    tab: tab ?? 0,
    what,
    type,
    message,
    url,
  });
  const logs = await all("logs");
  const requests = await all("network_bodies", { failed: true });
  const messages = await all("websocket_events");
  return [
    ...(await all("errors")).map((at) => entry(at, at.source)),
    ...logs.filter(({ level }) => level === "warn").map((at) => entry(at, "console")),
    ...requests.map((at) => entry({ ...at, type: "", message: at.error ?? at.outcome }, "request")),
    ...messages
      .filter(({ event, reason }) => event === "error" || (event === "close" && reason))
      .map((at) => entry({ ...at, type: "", message: at.reason ?? "" }, "connection")),
  ];
}

const textOf = ({ what, type, message, url }: Entry): string => `${what} ${type}: ${message} @${url}`;

/** Whether an entry of ours is of the same failure as a line of the console: the same words, or the same address. */
function names(entry: Entry, line: Line): boolean {
  const [message = ""] = entry.message.split("\n");
  const [plain = ""] = line.text.split("%");
  if (line.by === "console") return entry.what === "console" && message.includes(plain);
  if (entry.what === "console") return false;
  if (line.by === "exception") {
    if (entry.type === "CrossOriginError") return line.url !== "" && new URL(line.url).hostname === "localhost";
    // What a worker got from one of its own.
    if (line.value === "null" && entry.what === "worker") return line.url === entry.url;
    if (line.value !== undefined) return entry.type === "Thrown" || message === `Uncaught ${line.value}`;
    return message === "" ? line.text === entry.type : line.text.includes(message);
  }
  const { text, url } = line;
  if (message !== "" && (text.includes(message) || message.includes(text))) return true;
  if (entry.url !== "" && (url === entry.url || text.includes(entry.url)))
    return entry.what !== "csp" || text.includes("violates");
  // The file that is at fault, behind the one that was asked for; a policy by its directive.
  const files = message.match(/(?:http|ws)s?:\/\/[^\s,]+[^\s,:]/g) ?? [];
  if (files.some((file) => url === file || text.includes(file))) return true;
  const [directive = ""] = message.split(/-elem|-attr| /);
  return (
    entry.what === "csp" &&
    (text.includes(directive) || (directive.includes("trusted-types") && text.includes("Trusted")))
  );
}
