import { fold } from "@gasoline/capture/locators/name";

/** Of a storage so many characters are compared; one that holds more is compared by its number of entries only. */
const MAX_CHARS = 200_000;
const MAX_ENTRIES = 500;

/** Entries that are told. */
const MAX_LINES = 6;
const MAX_NAME = 60;

/** What a storage holds: its entries, or how many there are when they are too many to compare. */
type Held = Map<string, string> | number;

const PLACES = { localStorage: fromStorage, sessionStorage: fromStorage, cookie: fromCookies } as const;
type Place = keyof typeof PLACES;
const NAMES: readonly Place[] = ["localStorage", "sessionStorage", "cookie"];

/** What a document may store, to tell which entries were written meanwhile. Values are compared and never told. */
export class Writes {
  readonly #before = NAMES.map(read);

  /** What differs from then, in words: at most 6 lines. */
  inWords(): string[] {
    return NAMES.flatMap((name, i) => differences(name, this.#before[i], read(name))).slice(0, MAX_LINES);
  }
}

/** undefined: the document may not use it. */
function read(name: Place): Held | undefined {
  try {
    return PLACES[name](name);
  } catch {
    return undefined;
  }
}

function fromStorage(name: Place): Held {
  const storage = name === "localStorage" ? window.localStorage : window.sessionStorage;
  const { length } = storage;
  if (length > MAX_ENTRIES) return length;
  const held = new Map<string, string>();
  let chars = 0;
  for (let i = 0; i < length; i++) {
    const key = storage.key(i);
    const value = key === null ? null : storage.getItem(key);
    if (key === null || value === null) continue;
    chars += key.length + value.length;
    if (chars > MAX_CHARS) return length;
    held.set(key, value);
  }
  return held;
}

function fromCookies(): Held {
  const held = new Map<string, string>();
  for (const part of document.cookie.split("; ")) {
    const at = part.indexOf("=");
    // Cookies of one name differ in path or domain, which scripts do not see.
    const name = part.slice(0, Math.max(at, 0));
    if (part !== "") held.set(name, `${held.get(name) ?? ""};${part}`);
  }
  return held;
}

function differences(place: Place, before: Held | undefined, now: Held | undefined): string[] {
  if (before === undefined || now === undefined) return [];
  if (typeof before === "number" || typeof now === "number") {
    const more = sizeOf(now) - sizeOf(before);
    return more === 0 ? [] : [`${place}: ${Math.abs(more)} entries ${more > 0 ? "more" : "fewer"}`];
  }
  const lines: string[] = [];
  const told = (key: string, word: string) => lines.push(`${place}: ${fold(key, MAX_NAME) || '""'} ${word}`);
  for (const [key, value] of now)
    if (!before.has(key)) told(key, "added");
    else if (before.get(key) !== value) told(key, "changed");
  for (const key of before.keys()) if (!now.has(key)) told(key, "removed");
  return lines;
}

const sizeOf = (held: Held): number => (typeof held === "number" ? held : held.size);
