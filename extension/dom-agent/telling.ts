import { fold, nameOf, roleTold } from "@gasoline/capture/locators/name";
import { short } from "./describe.ts";
import { type Room, contentOf } from "./parts.ts";
import { Pass } from "./pass.ts";
import { first } from "./shadow.ts";

/** Bounds of what is told: lines, characters of one, and bytes of all together. */
const MAX_LINES = 12;
const MAX_LINE = 140;
const MAX_BYTES = 1000;

/** Of a part so many controls are told, and so many characters of its words. */
const MAX_CONTROLS = 6;
const MAX_WORDS = 100;

/** What is told is read in one go, ms. */
const SLICE_MS = 12;

/** A ref takes about so many characters. */
const REF = 6;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Lines about what an act changed, within their bounds, and what they are about. */
export class Telling {
  readonly lines = new Set<string>();
  readonly pass = new Pass();
  /** Nodes that may still be read. */
  readonly room: Room = { nodes: 4000 };
  /** What opened. */
  readonly opened: Element[] = [];
  readonly #say: (control: Element) => string;
  readonly #told = new Set<Element>();
  readonly #until = performance.now() + SLICE_MS;
  /** Not all was read. */
  cut = false;
  #bytes = 0;

  /** say names a control by its ref; it is asked for no more than are told. */
  constructor(say: (control: Element) => string) {
    this.#say = say;
  }

  /** Whether a slice of work is over. */
  get late(): boolean {
    return performance.now() >= this.#until;
  }

  /** How many are left behind those that are told. */
  #more(left: number): string {
    return this.cut ? " (and more)" : ` (and ${left} more)`;
  }

  /** Says whether what an element says is told. */
  has = (element: Element): boolean => first(element, (at) => this.#told.has(at)) !== null;

  /** Says whether an element is told of itself. */
  is = (element: Element): boolean => this.#told.has(element);

  /** Says whether words stand in a line. */
  says = (words: string): boolean => [...this.lines].some((line) => line.includes(fold(words, 60).replace(/…$/, "")));

  /** A line about an element. */
  add(at: Element | undefined, words: string): void {
    if (at) this.#told.add(at);
    const line = cut(words);
    const bytes = bytesOf(line);
    if (this.lines.size >= MAX_LINES || this.#bytes + bytes > MAX_BYTES || this.lines.has(line)) return;
    this.#bytes += bytes;
    this.lines.add(line);
  }

  /** A part that opened: what can be pressed in it, and what it says. */
  open(at: Element, kind: string, name: string): void {
    const { words, controls } = contentOf(at, this.pass, this.room);
    const text = words.join(" ");
    const title = name || (kind === "menu" || kind === "listbox" ? "" : fold(text, 60));
    const called = `${kind} ${title === "" ? "" : `${quote(title)} `}opened`;
    this.opened.push(at);
    this.#told.add(at);
    if (controls.length === 0) this.add(at, called);
    else this.list(`${called}: `, controls, MAX_CONTROLS, kind === "menu" || kind === "listbox");
    const more = text.startsWith(title) ? text.slice(title.length).trim() : text;
    if (more !== "") this.add(at, `${kind} says: ${quote(fold(name === "" ? text : more, MAX_WORDS))}`);
  }

  /** A part that tells something, with what can be pressed in it. */
  tell(at: Element, kind: string, words: string): void {
    const { controls } = contentOf(at, this.pass, this.room);
    const line = `${kind}: ${quote(fold(words, MAX_WORDS))}`;
    this.#told.add(at);
    if (controls.length === 0) this.add(at, line);
    else this.list(`${line}, `, controls);
  }

  /** Controls behind some words. alike: their role is said once. */
  list(words: string, controls: readonly Element[], most = MAX_CONTROLS, alike = false): void {
    if (this.lines.size >= MAX_LINES || controls.length === 0) return;
    let line = words;
    let role = "";
    let told = 0;
    for (const control of controls.slice(0, most)) {
      const name = short(control);
      const rest = REF + (controls.length > told + 1 ? 16 : 0);
      if (told > 0 && line.length + name.length + rest > MAX_LINE) break;
      if (this.#bytes + bytesOf(`${line}, ${name}`) + rest > MAX_BYTES) break;
      const said = this.#say(control);
      const own = said.split(" ", 1)[0] ?? "";
      const part = `${told > 0 ? ", " : ""}${alike && own === role ? said.slice(own.length + 1) : said}`;
      // A ref that is cut names nothing, or another one.
      const room = MAX_LINE - part.length;
      if (told > 0 && line.length > room) break;
      const before = room - (controls.length > 1 ? 16 : 0);
      if (line.length > before && told === 0) line = `${line.slice(0, before - 2)}… `;
      line += part;
      told++;
      role = own;
    }
    const left = controls.length - told;
    if (told === 0) this.add(undefined, words.replace(/[:,] $/, ""));
    else this.add(undefined, left > 0 ? line + this.#more(left) : line);
  }

  /** What stands in a part, text by text. */
  quotes(words: string, texts: readonly string[]): void {
    let line = words;
    let told = 0;
    for (const text of texts) {
      const longer = `${line}${told > 0 ? ", " : ""}${quote(fold(text, MAX_WORDS))}`;
      if (told > 0 && longer.length + 16 > MAX_LINE) break;
      line = longer;
      told++;
    }
    if (told > 0) this.add(undefined, texts.length > told ? line + this.#more(texts.length - told) : line);
  }
}

export const quote = (text: string): string => (text === "" ? "" : `"${text}"`);

const cut = (line: string): string => {
  const bare = line.trim();
  return bare.length > MAX_LINE ? `${bare.slice(0, MAX_LINE - 1)}…` : bare;
};

/** A part of the page as a reader would call it. */
export function partInWords(part: Element): string {
  if (part === document.body || part === document.documentElement) return "the page";
  const name = fold(nameOf(part), 60);
  const role = roleTold(part) || part.localName;
  return name === "" ? role : `${role} ${quote(name)}`;
}
