// Bugs as data: a small application that fails, what a user does, what fails then, and edits with the verdict that each
// deserves. README.md describes the form of the archives in planted/ and found/.
import { readdirSync, readFileSync } from "node:fs";

export const VERDICTS = ["fixed", "still", "new_breakage", "cannot_tell"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Why nobody can tell what an edit came to. */
const REASONS = [
  "steps", // a step cannot be done
  "unloaded", // no page gets the code of the edit
  "unreached", // the failure does not come, since what failed is not tried
  "once", // the failure does not come, whatever the code is
] as const;

export interface Edit {
  /** One of these is right. */
  verdicts: Verdict[];
  reason: (typeof REASONS)[number] | undefined;
  /** What was edited, in words. */
  words: string;
  /** A part of the error that comes instead. */
  breaks: string | undefined;
  /** The files after it. */
  files: ReadonlyMap<string, string>;
  /** Paths that changed. */
  changed: string[];
}

/** What fails: an error's words, or a request with its status. */
export type Failure = { words: string } | { method: string; path: string; status: number | "failed" };

export interface Bug {
  /** Of its folder and file. */
  name: string;
  /** What is wrong, and where the situation comes from. */
  about: string;
  steps: string[];
  fails: Failure;
  /** Text that the page shows once everything works. */
  works: string;
  /** The page is told of an edit and loads what changed, without a reload. */
  hot: boolean;
  /** How often the steps are done until a failure that comes now and then must have come. */
  times: number;
  /** Headers of answers, by path. */
  headers: ReadonlyMap<string, Record<string, string>>;
  /** Files by path; answers by method and path, several one after another by "GET /x", "GET /x 2" … */
  files: ReadonlyMap<string, string>;
  edits: Edit[];
}

/** Reads every bug, or those whose names contain one of the words. */
export function bugs(...words: string[]): Bug[] {
  return ["planted", "found"].flatMap((folder) => {
    const at = new URL(`${folder}/`, import.meta.url);
    return readdirSync(at)
      .filter((file) => file.endsWith(".txtar"))
      .toSorted()
      .map((file) => [`${folder}/${file.replace(".txtar", "")}`, new URL(file, at)] as const)
      .filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)))
      .map(([name, url]) => read(name, readFileSync(url, "utf8")));
  });
}

/** Reads one archive. What is wrong with it is an error that names it. */
export function read(name: string, text: string): Bug {
  const bad = (what: string): Error => new Error(`${name}: ${what}`);
  const [head = "", ...rest] = text.split(/^-- (.+) --\n/m);
  const files = new Map<string, string>();
  const heads: [string, string][] = [];
  for (let i = 0; i < rest.length; i += 2) {
    const [title, body] = [rest[i]!, rest[i + 1]!];
    if (/^[a-z_ ]+(\([a-z]+\))?: /.test(title)) heads.push([title, body]);
    else if (files.has(title)) throw bad(`two ${title}`);
    else files.set(title, body.replace(/\n+$/, "\n"));
  }
  const bug = { hot: false, times: 1, steps: [] as string[], about: "", works: "" };
  const headers = new Map<string, Record<string, string>>();
  let fails: Failure | undefined;
  for (const line of head.split("\n").filter(Boolean)) {
    const [, key, value = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (line.startsWith("#")) bug.about += `${line.slice(1).trim()} `;
    else if (key === "step") bug.steps.push(value);
    else if (key === "fails") fails = failure(value);
    else if (key === "works") bug.works = value;
    else if (key === "times") bug.times = Number(value);
    else if (line === "hot") bug.hot = true;
    else if (key === "header") {
      const [, path = "", header = "", said = ""] = /^(\S+) (\S+): (.*)$/.exec(value) ?? [];
      headers.set(path, { ...headers.get(path), [header]: said });
    } else throw bad(`cannot read ${JSON.stringify(line)}`);
  }
  if (!fails || bug.steps.length === 0 || !bug.works) throw bad("it needs step, fails and works");
  const edits = heads.map(([title, body]) => edit(title, body, files, bad));
  if (!edits.some(({ verdicts }) => verdicts[0] !== "fixed")) throw bad("it needs an edit that is no fix");
  return { ...bug, name, about: bug.about.trim(), fails, headers, files, edits };
}

function failure(value: string): Failure {
  const [, method, path, status] = /^([A-Z]+) (\/\S*) (\d+|failed)$/.exec(value) ?? [];
  if (!method || !path) return { words: value };
  return { method, path, status: status === "failed" ? status : Number(status) };
}

function edit(title: string, body: string, before: ReadonlyMap<string, string>, bad: (what: string) => Error): Edit {
  const [, said = "", reason, words = ""] = /^([a-z_ ]+?) ?(?:\(([a-z]+)\))?: (.+)$/.exec(title) ?? [];
  const verdicts =
    said === "not fixed" ? VERDICTS.filter((verdict) => verdict !== "fixed") : (said.split(" or ") as Verdict[]);
  const why = REASONS.find((known) => known === reason);
  if (verdicts.some((v) => !VERDICTS.includes(v)) || (reason !== undefined && !why)) throw bad(`what is ${title}?`);
  const files = new Map(before);
  const changed: string[] = [];
  let breaks: string | undefined;
  for (const part of body.split(/^@ /m)) {
    const [first = "", ...lines] = part.split("\n").filter((line) => line.trim() !== "");
    if (first.startsWith("breaks ")) breaks = first.slice("breaks ".length);
    else if (first !== "") {
      files.set(
        first,
        changes(files.get(first) ?? "", lines, (what) => bad(`${title}: ${first}: ${what}`)),
      );
      changed.push(first);
    }
  }
  if (changed.length === 0) throw bad(`${title} changes nothing`);
  return { verdicts, reason: why, words, breaks, files, changed };
}

/**
 * Changes a text. Lines with "- " are looked for, whatever they are indented by, and those with "+ " behind them stand
 * there then; "+ " alone comes at the end.
 */
function changes(text: string, lines: string[], bad: (what: string) => Error): string {
  let out = text.split("\n");
  for (let i = 0; i < lines.length;) {
    const block = (sign: string): string[] => {
      const from = i;
      while (lines[i]?.startsWith(sign)) i++;
      return lines.slice(from, i).map((line) => line.slice(2));
    };
    const [old, by] = [block("-"), block("+")];
    if (old.length + by.length === 0) throw bad(`cannot read ${JSON.stringify(lines[i])}`);
    if (old.length === 0) {
      out = [...out.slice(0, -1), ...by, ""];
      continue;
    }
    const at = out.flatMap((_, n) => (old.every((line, k) => out[n + k]?.trim() === line.trim()) ? [n] : []));
    if (at.length !== 1) throw bad(`${JSON.stringify(old[0])} is there ${at.length} times`);
    const [indent = ""] = /^\s*/.exec(out[at[0]!]!) ?? [];
    out.splice(at[0]!, old.length, ...by.map((line) => indent + line));
  }
  return out.join("\n");
}
