import type { SnapshotParams, SnapshotResult } from "@gasoline/schema/commands";
import type { OutlineNode, OutlineParams, Outlined } from "../messages/outline.ts";
import type { Context, FrameAnswer, FrameInfo } from "./context.ts";
import { covered } from "./frame.ts";
import type { Handler } from "./handler.ts";
import { listInteractive } from "./list_interactive.ts";
import { bytesOf, changeLines, hitLine, sectionsOf, write } from "./outline.ts";
import { CommandProblem } from "./problem.ts";

/** Bytes that a snapshot may have when the caller names no number: with what stands around it that is less than 2 KB. */
const BYTES = 1500;
/** The same for a section, which is asked for to be read. */
const SECTION_BYTES = 5400;
/** Hits and elements when the caller names no number. */
const MAX_HITS = 10;
/** Sections that are listed. */
const MAX_SECTIONS = 40;
/** What stands in frames comes behind the same things of the page around them. */
const IN_FRAME = 1_500_000;

/** One frame's part, with the frame. */
interface Answered {
  frame: FrameInfo;
  value: Outlined;
}

/** Says what a page and its frames show: an overview, one section, what fits words, or what changed. */
export const snapshot: Handler<"snapshot"> = async (params, context) => {
  const { section } = params;
  const isRef = section !== undefined && /^e\d{1,12}$/.test(section);
  const bytes = params.bytes ?? (section === undefined ? BYTES : SECTION_BYTES);
  const given: OutlineParams = {
    mark: markOf(),
    bytes,
    folded: bytes <= BYTES,
    limit: params.limit ?? MAX_HITS,
    ...(section === undefined ? {} : isRef ? { ref: section } : { section }),
    ...(params.depth === undefined ? {} : { depth: params.depth }),
    ...(params.find === undefined ? {} : { find: params.find }),
    ...(params.since === undefined ? {} : { since: params.since }),
    ...(params.visible_only === undefined ? {} : { visible_only: params.visible_only }),
  };
  const { answers, coverage } = await context.frames.each(
    context.tab,
    "outline",
    given,
    params.frame,
    context.deadline,
  );
  const found = answers.flatMap(({ frame, value }): Answered[] => (value ? [{ frame, value }] : []));
  const [main] = found;
  if (!main) throw answers[0]?.error; // each gives at least one answer
  const { url, title, favicon, viewport } = main.value;
  const { status } = await context.pages.describe(context.tab);
  const base = {
    url,
    title,
    ...(status ? { tab_status: status } : {}),
    ...(favicon ? { favicon } : {}),
    viewport,
    cursor: given.mark,
    ...(found.some(({ value }) => value.partial) ? { partial: true } : {}),
    ...covered(coverage),
    ...(await elements(params, context)),
  };
  if (params.find !== undefined) return { ...base, ...hits(found, given.limit, bytes) };
  if (section !== undefined) {
    const root = await sectionOf(section, answers, given, params, context);
    return { ...base, ...shown("section", root, bytes) };
  }
  if (main.value.changes) return { ...base, ...changed(found, bytes) };
  const root = joined(main, found);
  return { ...base, ...shown("overview", root, bytes), ...(params.since === undefined ? {} : { fresh: true }) };
};

/** Names a snapshot. The names of two do not meet while the documents remember them. */
const markOf = (): string =>
  "s" + [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => (byte % 36).toString(36)).join("");

async function elements(
  { elements: wanted, limit, visible_only, frame }: SnapshotParams,
  context: Context,
): Promise<Partial<SnapshotResult>> {
  if (!wanted) return {};
  const list = await listInteractive(
    {
      ...(limit === undefined ? {} : { limit }),
      ...(visible_only === undefined ? {} : { visible_only }),
      ...(frame === undefined ? {} : { frame }),
    },
    context,
  );
  return {
    interactive_elements: list.elements,
    interactive_count: list.elements.length,
    total_candidates: list.candidate_count,
  };
}

function shown(view: string, root: OutlineNode, bytes: number) {
  const { text, shown: count } = write(root, bytes);
  const sections = sectionsOf(root, MAX_SECTIONS).map(({ ref = "", role, name, inside, items }) => ({
    ref,
    role,
    name,
    count: items?.count ?? inside,
  }));
  return { view, snapshot: text, shown: count, total: sizeOf(root), sections };
}

/** The parts of a tree, those of its frames among them. */
function sizeOf(root: OutlineNode): number {
  let size = root.inside + (root.role === "" ? 0 : 1);
  const left = [...root.children];
  for (let node = left.pop(); node; node = left.pop()) {
    if (node.frame !== undefined) size += node.inside;
    left.push(...node.children);
  }
  return size;
}

/** The best hits of all frames, as many as fit. */
function hits(found: readonly Answered[], limit: number, bytes: number) {
  const all = found.flatMap(({ frame, value }) =>
    (value.hits ?? []).map((hit) => ({
      ...hit,
      within: frame.name === "" ? hit.within : [hit.within, `frame ${frame.name}`].filter(Boolean).join(", in "),
      score: frame.shown ? hit.score : hit.score + 100,
    })),
  );
  all.sort((a, b) => a.score - b.score);
  const { lines } = fitting(
    all.slice(0, limit).map(({ node, within }) => [hitLine(node, within)]),
    bytes,
  );
  return {
    view: "find",
    snapshot: lines.join("\n"),
    shown: lines.length,
    total: found.reduce((sum, { value }) => sum + (value.hit_count ?? 0), 0),
  };
}

/** What changed in all frames. */
function changed(found: readonly Answered[], bytes: number) {
  const groups: string[][] = [];
  const sums = { added: 0, removed: 0, changed: 0 };
  for (const { frame, value } of found) {
    const words = frame.name === "" ? "" : ` (frame ${frame.name})`;
    if (!value.changes) {
      if (value.size > 0) groups.push([`~ frame ${frame.name}: another document`]);
      continue;
    }
    for (const kind of ["added", "removed", "changed"] as const) sums[kind] += value.changes[kind];
    for (const change of value.changes.list) {
      const [first = "", ...rest] = changeLines(change, bytes / 2);
      groups.push([first + words, ...rest]);
    }
  }
  const { lines, told } = fitting(groups, bytes);
  const total = sums.added + sums.removed + sums.changed;
  return { view: "delta", snapshot: lines.join("\n"), shown: told, total, ...sums };
}

/** The first groups of lines that fit. */
function fitting(groups: readonly (readonly string[])[], bytes: number): { lines: string[]; told: number } {
  const lines: string[] = [];
  let room = bytes;
  let told = 0;
  for (const group of groups) {
    room -= bytesOf(group.join("\n")) + 1;
    if (room < 0 && told > 0) break;
    lines.push(...group);
    told++;
  }
  return { lines, told };
}

/** The section in the one frame that has it. Its frames are asked once more, for what they show. */
async function sectionOf(
  name: string,
  answers: readonly FrameAnswer<"outline">[],
  given: OutlineParams,
  { frame }: SnapshotParams,
  context: Context,
): Promise<OutlineNode> {
  const at = answers.find(({ value }) => value?.root);
  if (!at?.value?.root) {
    const told = answers.find(({ error }) => error instanceof CommandProblem && error.code !== "timeout");
    throw told?.error ?? new CommandProblem("scope_not_found", `No part of the page is called ${name.slice(0, 100)}.`);
  }
  const { root } = at.value;
  if (!hasFrames(root)) return root;
  const { ref: _ref, section: _section, since: _since, ...overview } = given;
  const inner = await context.frames.each(
    context.tab,
    "outline",
    { ...overview, folded: false },
    frame,
    context.deadline,
  );
  const found = inner.answers.flatMap((answer): Answered[] =>
    answer.value ? [{ frame: answer.frame, value: answer.value }] : [],
  );
  return attach(root, at.frame.path, found);
}

function hasFrames(root: OutlineNode): boolean {
  const left = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    if ((node.place ?? -1) >= 0) return true;
    left.push(...node.children);
  }
  return false;
}

/** The main frame's tree with those of its frames where they stand. */
const joined = ({ frame, value }: Answered, found: readonly Answered[]): OutlineNode =>
  attach(value.root ?? { role: "", name: "", rank: 0, inside: 0, children: [] }, frame.path, found);

function attach(root: OutlineNode, path: readonly number[], found: readonly Answered[]): OutlineNode {
  const left: { node: OutlineNode; path: readonly number[]; rank: number }[] = [{ node: root, path, rank: 0 }];
  for (let at = left.pop(); at; at = left.pop()) {
    const { node, rank } = at;
    node.rank += rank;
    let below = { path: at.path, rank };
    if (node.place !== undefined && node.place >= 0) {
      const inner = [...at.path, node.place];
      const answer = found.find(({ frame }) => frame.shown && frame.path.join() === inner.join());
      if (answer?.value.root) {
        const { root: own } = answer.value;
        node.frame = answer.frame.name;
        if (node.name === "") node.name = answer.value.title.slice(0, 80);
        node.states = [...(node.states ?? []), `frame=${answer.frame.name}`];
        node.children = own.children;
        node.inside = own.inside;
        below = { path: inner, rank: rank + IN_FRAME };
      }
    }
    left.push(...node.children.map((child) => ({ node: child, ...below })));
  }
  return root;
}
