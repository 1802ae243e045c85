// The tables of a run, and their part of docs/benchmarks.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Told } from "./asked.ts";
import type { Cost } from "./drivers/client.ts";
import { versionOf } from "./site.ts";
import type { Library } from "./task.ts";

/** What a task came to with one tool. */
export interface Outcome {
  tool: string;
  /** The library's title. */
  library: string;
  kind: string;
  task: string;
  right: boolean;
  cost: Cost;
  /** What the tool says that the user did, who did nothing. */
  ofUser: string[];
}

/** What a search for the cause of a failed checkout came to. */
export interface Cause {
  tool: string;
  right: boolean;
  cost: Cost;
}

/** What the tools are called in the tables, by the name that --tool knows. */
const TITLES: Record<string, string> = {
  gasoline: "Gasoline",
  playwright: "@playwright/mcp",
  devtools: "chrome-devtools-mcp",
};

const FILE = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));

const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map((_, n) => (n === 0 ? "---|" : "--:|")).join("")}`, ...rows.map(line)].join("\n");
}

const share = (of: readonly { right: boolean }[]): string => {
  const right = of.filter((o) => o.right).length;
  return right === of.length ? `${right} of ${of.length}` : `**${right} of ${of.length}**`;
};

/** The totals, then right and wrong by library and kind. */
export function tables(outcomes: Outcome[], causes: Cause[], versions: ReadonlyMap<string, string>): string {
  const tools = [...new Set([...outcomes, ...causes].map(({ tool }) => tool))];
  const by = <T>(what: (tool: string, own: Outcome[]) => T): T[] =>
    tools.map((tool) =>
      what(
        tool,
        outcomes.filter((o) => o.tool === tool),
      ),
    );
  const rows: string[][] = [];
  for (const library of new Set(outcomes.map((o) => o.library)))
    for (const kind of new Set(outcomes.filter((o) => o.library === library).map((o) => o.kind)))
      rows.push([
        `${library}: ${kind}`,
        ...by((_, own) => share(own.filter((o) => o.library === library && o.kind === kind))),
      ]);
  const sum = (of: Outcome[], what: keyof Cost): string =>
    Math.round(of.reduce((total, { cost }) => total + cost[what], 0)).toLocaleString("en");
  // Times only of what everybody did, so that nobody is quick by giving up.
  const done = (o: Outcome): boolean =>
    outcomes.filter((p) => p.library === o.library && p.task === o.task).every((p) => p.right);
  const both = outcomes.filter(done);
  const totals = [
    ["right", ...by((_, own) => share(own))],
    ...(["calls", "bytes"] as const).map((what) => [
      `${what} in the ${both.length / tools.length} tasks that all got right`,
      ...by((tool) =>
        sum(
          both.filter((o) => o.tool === tool),
          what,
        ),
      ),
    ]),
    [
      "milliseconds of a task, median",
      ...by((tool) => String(Math.round(median(both.filter((o) => o.tool === tool).map(({ cost }) => cost.ms))))),
    ],
  ];
  if (causes.length > 0)
    totals.push([
      "why the shop's checkout failed, asked afterwards",
      ...tools.map((tool) => {
        const { right, cost } = causes.find((cause) => cause.tool === tool)!;
        return right ? `${cost.calls} calls, ${cost.bytes.toLocaleString("en")} bytes` : "**not found**";
      }),
    ]);
  const head = ["", ...tools.map((tool) => titled(tool, versions))];
  return `${table(head, totals)}\n\n${table(head, rows)}`;
}

/** What the tools told to questions, by group, and in words those that Gasoline did not answer. */
export function answers(told: readonly Told[], versions: ReadonlyMap<string, string>): string {
  const tools = [...new Set(told.map(({ tool }) => tool))];
  const row = (name: string, of: readonly Told[]): string[] => [
    name,
    ...tools.map((tool) => {
      const own = of.filter((one) => one.tool === tool);
      const sum = (what: "calls" | "bytes"): string =>
        own.reduce((total, { cost }) => total + cost[what], 0).toLocaleString("en");
      return `${share(own)}, ${sum("calls")} calls, ${sum("bytes")} bytes`;
    }),
  ];
  const groups = [...new Set(told.map(({ question }) => question.group))];
  const rows = groups.map((group) =>
    row(
      group,
      told.filter(({ question }) => question.group === group),
    ),
  );
  const head = ["questions", ...tools.map((tool) => titled(tool, versions))];
  const wrong = told.filter(({ tool, right }) => tool === "gasoline" && !right);
  const list = wrong.map(({ question }) => `- ${question.ask}${question.because ? ` ${question.because}` : ""}`);
  const text = list.length > 0 ? `\n\nGasoline did not answer:\n\n${list.map(wrapped).join("\n")}` : "";
  return `${table(head, [...rows, row("all", told)])}${text}`;
}

const titled = (tool: string, versions: ReadonlyMap<string, string>): string =>
  `${TITLES[tool] ?? tool} ${versions.get(tool) ?? ""}`.trim();

/** A line of a list in lines of at most 100 columns. */
const wrapped = (text: string): string => text.replace(/(.{1,98})(?: |$)/g, "$1\n  ").trimEnd();

/** Puts tables between the marks of their part. */
export function write(part: string, text: string): void {
  const [begin, end] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
  const page = readFileSync(FILE, "utf8");
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${FILE} has no ${begin} … ${end}`);
  writeFileSync(FILE, `${before}${begin}\n${text}\n${end}${after}`);
}

/** The day and the libraries with their versions, in lines of at most 100 columns. */
export function madeWith(day: string, libraries: Iterable<Library>): string {
  const names = [...libraries].map((library) => `${library.title} ${versionOf(library.package)}`.trim());
  return `${day}; ${names.join(", ")}.`.replace(/(.{1,100})(?: |$)/g, "$1\n").trimEnd();
}
