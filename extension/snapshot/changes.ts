import type { OutlineChange, Outlined } from "../messages/outline.ts";
import { type Difference, differences } from "./diff.ts";
import type { Engine } from "./engine.ts";
import type { Item, Model } from "./model.ts";
import { BRIEF, nodeOf } from "./nodes.ts";
import { section } from "./outline.ts";
import { DIALOGS, FIELDS, LIVE, NAMED_BY_CONTENT, TEXT } from "./roles.ts";
import { type Part, wordsIn } from "./tree.ts";

/** Changes that are described. */
const MAX_TOLD = 40;
/** Of more equal changes beside each other the first is told, with their number. */
const MAX_ALIKE = 3;
/** Characters of what something was. */
const MAX_WAS = 60;
/** Bytes for what is in a part that came. */
const ADDED_BYTES = 600;

/** What became of the page since a snapshot, in words. */
export async function changes(
  before: readonly Part[],
  page: Model,
  engine: Engine,
): Promise<NonNullable<Outlined["changes"]>> {
  const { items } = page;
  const found = differences(before, items);
  const count = (kind: Difference["kind"]): number => found.filter((at) => at.kind === kind).length;
  const groups: Difference[][] = [];
  for (const at of found) {
    const last = groups.at(-1);
    if (last && alike(last[0] as Difference, at, before, items)) last.push(at);
    else groups.push([at]);
  }
  const told = groups.flatMap((group) =>
    group.length > MAX_ALIKE
      ? [{ at: group[0] as Difference, count: group.length }]
      : group.map((at) => ({ at, count: 1 })),
  );
  told.sort((a, b) => weight(a.at, before, items) - weight(b.at, before, items));
  const list: OutlineChange[] = [];
  for (const { at, count: of } of told.slice(0, MAX_TOLD)) {
    if (engine.over) {
      if (engine.late) break;
      await engine.pause();
    }
    list.push({ ...(await describe(at, before, page, engine)), ...(of > 1 ? { count: of } : {}) });
  }
  return { list, added: count("added"), removed: count("removed"), changed: count("changed") };
}

const partOf = (at: Difference, before: readonly Part[], now: readonly Part[]): Part =>
  (at.kind === "removed" ? before[at.was] : now[at.now]) as Part;

const alike = (a: Difference, b: Difference, before: readonly Part[], now: readonly Part[]): boolean =>
  a.kind === b.kind &&
  a.kind !== "changed" &&
  partOf(a, before, now).role === partOf(b, before, now).role &&
  partOf(a, before, now).role !== TEXT;

/** Who is told first: what lies over the page, what just happened, what came, what changed, what went. */
function weight(at: Difference, before: readonly Part[], now: readonly Part[]): number {
  const { role } = partOf(at, before, now);
  if (DIALOGS.has(role) || LIVE.has(role)) return 0;
  return { added: 1, changed: 2, removed: 3 }[at.kind];
}

async function describe(at: Difference, before: readonly Part[], page: Model, engine: Engine): Promise<OutlineChange> {
  const { items, elements } = page;
  if (at.kind === "removed") {
    const { role } = before[at.was] as Part;
    const words = wordsIn(before, at.was, MAX_WAS);
    const clean = engine.clean(words, elements[0] as Element);
    return { kind: at.kind, node: { role, name: "", text: clean, rank: 0, inside: 0, children: [] } };
  }
  if (at.kind === "added") {
    const item = items[at.now] as Item;
    if (item.role === TEXT) return { kind: at.kind, node: nodeOf(page, at.now, engine, BRIEF) };
    return { kind: at.kind, node: await section(page, at.now, engine, ADDED_BYTES, 0, BRIEF) };
  }
  const [old, item] = [before[at.was] as Part, items[at.now] as Item];
  return {
    kind: at.kind,
    node: nodeOf(page, at.now, engine, BRIEF),
    was: engine.clean(was(before, at.was, old, item), elements[at.now] as Element),
  };
}

/** What something was that is different now. */
function was(before: readonly Part[], at: number, old: Part, { role, text, state, label }: Item): string {
  if (role === TEXT) return JSON.stringify(short(old.text));
  if (FIELDS.has(role) && old.text !== text) return old.text === "" ? "empty" : JSON.stringify(short(old.text));
  if (old.label !== label) return JSON.stringify(short(old.label));
  if (old.state !== state) {
    const now = state.split(" ");
    const gone = old.state.split(" ").filter((one) => one !== "" && !now.includes(one));
    const come = now.filter((one) => one !== "" && !old.state.split(" ").includes(one));
    return gone.length > 0 ? gone.join(", ") : come.map((one) => `not ${one}`).join(", ");
  }
  const words = NAMED_BY_CONTENT.has(role) ? wordsIn(before, at, MAX_WAS) : old.text;
  return words === "" ? "" : JSON.stringify(short(words));
}

const short = (text: string): string => (text.length > MAX_WAS ? text.slice(0, MAX_WAS - 1) + "…" : text);
