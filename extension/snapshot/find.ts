import type { Hit } from "../messages/outline.ts";
import type { Engine } from "./engine.ts";
import type { Item, Model } from "./model.ts";
import { BRIEF, nodeOf } from "./nodes.ts";
import { CONTROLS, DIALOGS, LANDMARKS, NAMED_BY_CONTENT, STRUCTURE, TEXT } from "./roles.ts";
import { isInName, wordsIn } from "./tree.ts";

/** Characters of a name that says where something is. */
const MAX_WITHIN = 40;
/** Characters of the words in a part without a name. */
const MAX_TEXT = 80;
/** Characters of a text on either side of what was found. */
const AROUND = 30;

/** The parts whose role, name or text has all the words, the best first, and how many there are. */
export async function find(
  page: Model,
  wanted: string,
  limit: number,
  engine: Engine,
): Promise<{ hits: Hit[]; count: number }> {
  const { items, elements } = page;
  const whole = wanted.toLowerCase().replace(/\s+/g, " ").trim();
  const words = whole.split(" ");
  const scored: { at: number; score: number }[] = [];
  for (const [at, item] of items.entries()) {
    if (at === 0 || isInName(items[at] as Item, items[(items[at] as Item).parent])) continue;
    if ((at & 31) === 0 && engine.over) {
      if (engine.late) break;
      await engine.pause();
    }
    const score = scoreOf(item, elements[at] as Element, whole, words, engine);
    if (score !== undefined) scored.push({ at, score });
  }
  // What is around something that fits, and is called by it, is not meant.
  for (let i = scored.length - 2; i >= 0; i--) {
    const { role, operated, last } = items[(scored[i] as { at: number }).at] as Item;
    if (STRUCTURE.has(role) && !operated && (scored[i + 1]?.at ?? Infinity) <= last) scored.splice(i, 1);
  }
  scored.sort((a, b) => a.score - b.score || a.at - b.at);
  const hits = scored.slice(0, limit).map(({ at, score }) => {
    const node = nodeOf(page, at, engine, BRIEF);
    if (node.role === TEXT) node.text = piece(engine.clean((items[at] as Item).text, elements[at] as Element), words);
    else if (node.name === "") node.text ??= engine.clean(wordsIn(items, at, MAX_TEXT), elements[at] as Element);
    return { node, within: withinOf(page, at, engine), score };
  });
  return { hits, count: scored.length };
}

/** How well a part fits, lower is better; undefined: not at all. */
function scoreOf(
  { role, text, operated }: Item,
  element: Element,
  whole: string,
  words: readonly string[],
  engine: Engine,
): number | undefined {
  if (role === TEXT) {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word)) ? 6 + Number(!lower.includes(whole)) : undefined;
  }
  const left = words.filter((word) => !role.includes(word));
  const held = text.toLowerCase();
  const inText = left.length > 0 && !NAMED_BY_CONTENT.has(role) && left.every((word) => held.includes(word));
  const plain = role === "clickable";
  if (!inText && !plain && !left.every((word) => engine.mayHold(element, word))) return undefined;
  const name = (engine.nameOf(element) || (plain ? engine.textOf(element, MAX_TEXT) : "")).toLowerCase();
  const own = `${role} ${name} ${NAMED_BY_CONTENT.has(role) ? "" : held}`;
  if (!words.every((word) => own.includes(word))) return undefined;
  const control = CONTROLS.has(role) || operated ? 0 : STRUCTURE.has(role) ? 3 : 1;
  return control + (name === whole || role === whole ? 0 : name.includes(whole) ? 1 : 2);
}

/** The words of a text around the first one that was looked for. */
function piece(text: string, [first = ""]: readonly string[]): string {
  const at = Math.max(0, text.toLowerCase().indexOf(first));
  const from = at > AROUND ? at - AROUND : 0;
  const to = at + first.length + AROUND;
  return (from > 0 ? "…" : "") + text.slice(from, to).trim() + (to < text.length ? "…" : "");
}

/** The nearest part around one that has a name, in words. */
function withinOf({ items, elements }: Model, at: number, engine: Engine): string {
  let plain = "";
  for (let up = (items[at] as Item).parent; up > 0; up = (items[up] as Item).parent) {
    const { role } = items[up] as Item;
    if (!LANDMARKS.has(role) && !DIALOGS.has(role) && role !== "group" && role !== "table" && role !== "list") continue;
    const name = engine.nameOf(elements[up] as Element);
    if (name !== "") return `${role} "${name.length > MAX_WITHIN ? name.slice(0, MAX_WITHIN - 1) + "…" : name}"`;
    if (plain === "" && role !== "list" && role !== "table" && role !== "group") plain = role;
  }
  return plain;
}
