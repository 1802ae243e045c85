import { LABEL, NAMED_BY_CONTENT, TEXT } from "./roles.ts";

/** One part of a page, without the element. The parts of a page stand in document order in one array; the first is the page. */
export interface Part {
  role: string;
  /** Of a text its words, of a field what it holds, of a button its text. */
  text: string;
  /** aria-label. */
  label: string;
  /** "checked disabled" */
  state: string;
  /** It is operated although its role is a part of a structure: a button that is a cell, a head that sorts. */
  operated?: boolean;
  /** Place of the last part in it; its own where nothing is. */
  last: number;
  /** Of the part with all that is in it: equal ones have equal ones. 0 until two pages are compared. */
  hash: number;
  /** Of the element, for as long as the document lives; 0 for a text. */
  id: number;
  /** Place of the part around it; -1 for the page. */
  parent: number;
}

/** The places of what stands directly in a part. */
export function* childrenOf(parts: readonly Part[], at: number): Generator<number, void, void> {
  const end = parts[at]?.last ?? at;
  for (let i = at + 1; i <= end; i = (parts[i]?.last ?? i) + 1) yield i;
}

/** Whether a text is told by the name of the part that it stands in, or of a field. */
export const isInName = ({ role, state }: Part, around: Part | undefined): boolean =>
  role === TEXT && (state === LABEL || (around !== undefined && NAMED_BY_CONTENT.has(around.role)));

/** The words in a part, on one line. */
export function wordsIn(parts: readonly Part[], at: number, max: number): string {
  const own = parts[at];
  if (!own) return "";
  let words = own.label || own.text;
  for (let i = at + 1; i <= own.last && words.length < max; i++) {
    const { label = "", text = "" } = parts[i] ?? {};
    if (label || text) words += (words === "" ? "" : " ") + (label || text);
  }
  return words.length > max ? words.slice(0, max - 1) + "…" : words;
}

/** Mixes a text into a hash. */
export function mix(hash: number, text: string): number {
  let mixed = hash;
  for (let i = 0; i < text.length; i++) mixed = Math.imul(mixed ^ text.charCodeAt(i), 0x01000193);
  return Math.imul(mixed ^ (mixed >>> 15) ^ text.length, 0x2c1b3c6d);
}

/** Sets the hashes of all parts, where that was not done before. */
export function hashAll(parts: readonly Part[]): void {
  if (parts.length === 0 || parts[0]?.hash !== 0) return;
  const inner = new Int32Array(parts.length);
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] as Part;
    const own = mix(mix(mix(mix(0x811c9dc5, part.role), part.text), part.label), part.state);
    part.hash = Math.imul(own ^ (inner[i] ?? 0), 0x01000193) || 1;
    if (part.parent >= 0) inner[part.parent] = Math.imul((inner[part.parent] ?? 0) ^ part.hash, 0x2c1b3c6d) + 1;
  }
}
