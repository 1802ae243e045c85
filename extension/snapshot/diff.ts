import { NAMED_BY_CONTENT } from "./roles.ts";
import { type Part, childrenOf, hashAll, isInName, wordsIn } from "./tree.ts";

/** What became of a part. was and now are places in the two arrays. */
export type Difference =
  | { kind: "added"; now: number }
  | { kind: "removed"; was: number }
  | { kind: "changed"; was: number; now: number };

/** Two texts of a name are compared up to so many characters. */
const MAX_WORDS = 300;

/**
 * What became of a page: the parts that came, went and changed, in document order; of what came or went as a whole the
 * outermost part. Parts are the same when their element is, or when they are equal, or have the same role at the same
 * place: a framework that renders anew changes nothing by that.
 */
export function differences(before: readonly Part[], now: readonly Part[]): Difference[] {
  hashAll(before);
  hashAll(now);
  const found: Difference[] = [];
  const pairs: [was: number, now: number][] = [[0, 0]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair;
    const [old, own] = [before[a], now[b]];
    if (!old || !own || old.hash === own.hash) continue;
    const byContent = NAMED_BY_CONTENT.has(own.role);
    const words = byContent && wordsIn(before, a, MAX_WORDS) !== wordsIn(now, b, MAX_WORDS);
    if (words || old.state !== own.state || old.text !== own.text || old.label !== own.label || old.role !== own.role)
      found.push({ kind: "changed", was: a, now: b });
    const matched = match(before, [...childrenOf(before, a)], now, [...childrenOf(now, b)]);
    // A text that is a name is told by what it names.
    const told = (part: Part | undefined): boolean => part !== undefined && !isInName(part, own);
    for (const pair of matched.pairs) if (told(now[pair[1]])) pairs.push(pair);
    for (const was of matched.removed) if (told(before[was])) found.push({ kind: "removed", was });
    for (const at of matched.added) if (told(now[at])) found.push({ kind: "added", now: at });
  }
  const place = (at: Difference): number => (at.kind === "removed" ? at.was : at.now);
  return found.sort((x, y) => place(x) - place(y));
}

/** Which of the old children are which of the new ones. */
function match(before: readonly Part[], olds: number[], now: readonly Part[], news: number[]) {
  const pairs: [number, number][] = [];
  let [from, a, b] = [0, olds.length, news.length];
  const same = (x: number | undefined, y: number | undefined): boolean =>
    x !== undefined && y !== undefined && before[x]?.hash === now[y]?.hash;
  while (from < a && from < b && same(olds[from], news[from])) from++;
  while (a > from && b > from && same(olds[a - 1], news[b - 1])) [a, b] = [a - 1, b - 1];
  let left = olds.slice(from, a);
  let right = news.slice(from, b);
  const keys: ((part: Part) => string | number | undefined)[] = [
    ({ id }) => id || undefined,
    ({ hash }) => hash,
    // Last: what has the same role in the same order has become another.
    ({ role }) => role,
  ];
  for (const key of keys) {
    if (left.length === 0 || right.length === 0) break;
    const byKey = new Map<string | number, number[]>();
    for (const x of left) {
      const k = key(before[x] as Part);
      if (k === undefined) continue;
      const known = byKey.get(k);
      if (known) known.push(x);
      else byKey.set(k, [x]);
    }
    const used = new Set<number>();
    const next = new Map<number | string, number>();
    right = right.filter((y) => {
      const k = key(now[y] as Part);
      if (k === undefined) return true;
      const at = next.get(k) ?? 0;
      const x = byKey.get(k)?.[at];
      if (x === undefined) return true;
      next.set(k, at + 1);
      used.add(x);
      pairs.push([x, y]);
      return false;
    });
    left = left.filter((x) => !used.has(x));
  }
  return { pairs, removed: left, added: right };
}
