import type { OutlineNode } from "../messages/outline.ts";
import { FOLDED_TIER, MAX_UNFOLDED, type Ranked, TIER, rank, unitsOf } from "./choose.ts";
import type { Engine } from "./engine.ts";
import { type Item, type Model, levelOf } from "./model.ts";
import { BRIEF, type Detail, FULL, nodeOf } from "./nodes.ts";
import { DIALOGS, LANDMARKS, LIVE, TEXT } from "./roles.ts";
import { isInName, wordsIn } from "./tree.ts";

/** A line of text has about so many bytes: more parts than fit are not described. */
const BYTES_OF_LINE = 20;
/** Levels of an outline; what is deeper stands at the last one. */
const MAX_DEPTH = 40;
/** Parts that are asked for their box; and how many beside each other may be out of view before the rest is taken to be so. */
const MAX_BOXES = 1500;
const MAX_MISSES = 150;
/** What is in a long list within a section comes behind the rest of the section. */
const FOLDED = 1_000_000;

/** An overview of the page: its most useful parts, ranked. */
export async function overview(page: Model, engine: Engine, bytes: number, folded: boolean): Promise<OutlineNode> {
  const { items, elements } = page;
  let boxes = MAX_BOXES;
  let misses = 0;
  const { innerWidth: width, innerHeight: height } = window;
  const seen = (at: number): boolean => {
    if (boxes <= 0 || misses > MAX_MISSES) return false;
    boxes--;
    const box = (elements[at] as Element).getBoundingClientRect();
    const found = box.bottom > 0 && box.right > 0 && box.top < height && box.left < width;
    misses = found ? 0 : misses + 1;
    return found;
  };
  const ranked = rank(items, seen);
  const end = (folded ? FOLDED_TIER : FOLDED_TIER + 1) * TIER;
  // A rank ends with the place; numbers alone are sorted many times faster than by a function.
  const ranks = Float64Array.from(ranked.flatMap(({ rank: own }, at) => (at > 0 && own < end ? [own] : []))).sort();
  const wanted = Array.from(ranks.subarray(0, Math.ceil(bytes / BYTES_OF_LINE)), (own) => own % TIER);
  const nodes = new Map<number, OutlineNode>();
  const place = (at: number): OutlineNode => {
    const known = nodes.get(at);
    if (known) return known;
    const { rank: order, inside, parent } = ranked[at] as Ranked;
    const node = { ...nodeOf(page, at, engine, BRIEF), rank: order, inside };
    nodes.set(at, node);
    if (at === 0) return node;
    if (parent === 0 && (DIALOGS.has(node.role) || LIVE.has(node.role))) node.first = true;
    place(parent).children.push(node);
    return node;
  };
  const root = place(0);
  for (const at of wanted) {
    if (engine.over) {
      if (engine.late) break;
      await engine.pause();
    }
    place(at);
  }
  inOrder(root, (node) => node.rank % TIER);
  return root;
}

/** Sorts the children of all nodes by their place in the page. */
function inOrder(root: OutlineNode, placeOf: (node: OutlineNode) => number): void {
  const left = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    node.children.sort((a, b) => placeOf(a) - placeOf(b));
    left.push(...node.children);
  }
}

/** One part of the page with all that is in it, as far as the levels and the room go. */
export async function section(
  page: Model,
  at: number,
  engine: Engine,
  bytes: number,
  depth: number,
  detail: Detail = FULL,
): Promise<OutlineNode> {
  const { items, elements } = page;
  const end = endOf(page, at);
  const heading = (items[at] as Item).role === "heading";
  const root: OutlineNode = heading
    ? { role: "", name: "", rank: 0, inside: 0, children: [] }
    : nodeOf(page, at, engine, detail);
  const nodes = new Map<number, { node: OutlineNode; level: number; folded: boolean; long: boolean }>();
  nodes.set(at, { node: root, level: 0, folded: false, long: false });
  const most = Math.ceil(bytes / BYTES_OF_LINE);
  let made = 0;
  const counted: number[] = [];
  for (let i = heading ? at : at + 1; i <= end; i++) {
    if (isInName(items[i] as Item, items[(items[i] as Item).parent])) continue;
    const item = items[i] as Item;
    const up = heading && i === at ? undefined : around(items, i, nodes);
    const outer = up ?? nodes.get(at);
    if (!outer) continue;
    const level = i === at ? 0 : outer.level + 1;
    const deep = depth > 0 && level > depth;
    outer.node.inside++;
    counted.push(i);
    const folded = outer.folded || outer.long;
    if (deep || level > MAX_DEPTH || made >= most * (folded ? 1 : 2)) continue;
    if (engine.over) {
      if (engine.late) continue;
      await engine.pause();
    }
    made++;
    const node = { ...nodeOf(page, i, engine, detail), rank: i + (folded ? FOLDED : 0), inside: 0 };
    if (level === MAX_DEPTH && item.last > i) node.ref ??= engine.refOf(elements[i] as Element);
    if (level === depth && level > 0 && !node.ref && item.last > i)
      node.text ??= engine.clean(wordsIn(items, i, detail.text), elements[i] as Element);
    outer.node.children.push(node);
    nodes.set(i, { node, level, folded, long: i !== at && unitsOf(items, i) > 3 * MAX_UNFOLDED && item.role !== TEXT });
  }
  sum(root);
  return root;
}

/** The nearest part around one that has a node. */
function around<T>(items: readonly Item[], at: number, nodes: ReadonlyMap<number, T>): T | undefined {
  for (let up = (items[at] as Item).parent; up >= 0; up = (items[up] as Item).parent) {
    const known = nodes.get(up);
    if (known) return known;
  }
  return undefined;
}

/** Makes the counts of what is directly in each node counts of all that is in it. */
function sum(root: OutlineNode): number {
  for (const child of root.children) root.inside += sum(child);
  return root.inside;
}

/** Where a section ends: that of a heading before the next one of its level or a higher one. */
function endOf({ items, elements }: Model, at: number): number {
  const item = items[at] as Item;
  if (item.role !== "heading") return item.last;
  const level = levelOf(elements[at] as Element);
  let outer = item.parent;
  while (outer > 0 && !isPart(items[outer] as Item)) outer = (items[outer] as Item).parent;
  const end = (items[Math.max(0, outer)] as Item).last;
  for (let i = item.last + 1; i <= end; i++) {
    if (items[i]?.role === "heading" && levelOf(elements[i] as Element) <= level) return i - 1;
  }
  return end;
}

const isPart = ({ role }: Item): boolean =>
  LANDMARKS.has(role) || DIALOGS.has(role) || role === "article" || role === "group";

/** The place of the part that a ref or words name; undefined where there is none. Throws where they fit several. */
export function sectionAt(
  { items, elements }: Model,
  ref: string | undefined,
  words: string,
  engine: Engine,
): number | undefined {
  if (ref !== undefined) {
    if (!engine.knows(ref)) return undefined;
    const element = engine.elementOf(ref);
    const at = items.findIndex(({ role }, i) => elements[i] === element && role !== TEXT);
    return at < 0 ? undefined : at;
  }
  const wanted = words.toLowerCase().replace(/["“”]/g, "").replace(/\s+/g, " ").trim();
  const letters = wanted.replace(/\s/g, "");
  const [roles, names, parts]: number[][] = [[], [], []];
  for (const [i, { role }] of items.entries()) {
    if (i === 0 || !(role === "heading" || isSection(role))) continue;
    const element = elements[i] as Element;
    if (role === wanted) roles?.push(i);
    const rest = wanted.startsWith(`${role} `) ? wanted.slice(role.length + 1) : wanted;
    if (!engine.mayHold(element, rest === wanted ? letters : rest.replace(/\s/g, ""))) continue;
    const name = engine.nameOf(element).toLowerCase();
    if (name === rest) names?.push(i);
    else if (name.includes(rest)) parts?.push(i);
  }
  for (const found of [roles, names, parts]) {
    const [first, second] = found ?? [];
    if (first === undefined) continue;
    if (second === undefined) return first;
    throw engine.problem(
      "ambiguous_target",
      `${found?.length} parts of the page are called ${JSON.stringify(words.slice(0, 80))}.`,
      found?.slice(0, 8).map((at) => elements[at] as Element),
    );
  }
  return undefined;
}

const isSection = (role: string): boolean =>
  LANDMARKS.has(role) ||
  DIALOGS.has(role) ||
  LIVE.has(role) ||
  /^(article|feed|grid|group|list|listbox|menu|radiogroup|table|tablist|tree|treegrid|toolbar)$/.test(role);
