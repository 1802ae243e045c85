/** One part of a page, without the element. The parts of a page stand in document order in one array; the first is the page. */
export interface Part {
  role: string;
  /** Of a text its words, of a field what it holds, of a button its text. */
  text: string;
  /** aria-label. */
  label: string;
  /** "checked disabled" */
  state: string;
  /** Place of the last part in it; its own where nothing is. */
  last: number;
  /** Of the part with all that is in it: equal ones have equal ones. */
  hash: number;
  /** Of the element, for as long as the document lives; 0 for a text. */
  id: number;
}

/** The places of what stands directly in a part. */
export function* childrenOf(parts: readonly Part[], at: number): Generator<number, void, void> {
  const end = parts[at]?.last ?? at;
  for (let i = at + 1; i <= end; i = (parts[i]?.last ?? i) + 1) yield i;
}

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

/** Sets the hashes of all parts. */
export function hashAll(parts: readonly Part[]): void {
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i] as Part;
    let hash = mix(mix(mix(mix(0x811c9dc5, part.role), part.text), part.label), part.state);
    for (const child of childrenOf(parts, i)) hash = Math.imul(hash ^ (parts[child] as Part).hash, 0x01000193) + 1;
    part.hash = hash | 0;
  }
}
