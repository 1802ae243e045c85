const MAX_LINES = 1_000_000; // of the script, as the map tells it
const MAX_SEGMENTS = 4_000_000;
const MAX_SOURCES = 100_000_000; // characters of the sources' addresses, each with the root and the map's address before it
const MAX_DEPTH = 20; // of sections

/**
 * Says whether a map makes no more of its bytes than it may. A page wrote it, and all pages share what reads it: a section
 * that begins at line 1,000,000,000 is that many lists, a long root is copied to each source.
 */
export function isModest(map: unknown, url: string): boolean {
  let lines = 0;
  let segments = 0;
  let sources = 0;

  function fits(map: unknown, from: number, depth: number): boolean {
    if (typeof map !== "object" || map === null || depth > MAX_DEPTH) return false;
    if ("sections" in map) {
      return (
        Array.isArray(map.sections) &&
        map.sections.every((section: { offset?: { line?: unknown; column?: unknown }; map?: unknown } | null) => {
          const line = section?.offset?.line;
          if (!isPlace(line) || !isPlace(section?.offset?.column)) return false;
          return from + line <= MAX_LINES && fits(section?.map, from + line, depth + 1);
        })
      );
    }
    const { mappings, sources: named, sourceRoot } = map as Record<string, unknown>;
    if (typeof mappings === "string") {
      for (let at = 0; at < mappings.length; at++) {
        const char = mappings.charCodeAt(at);
        if (char === SEMICOLON) lines++;
        else if (char === COMMA) segments++;
      }
    }
    if (Array.isArray(named)) {
      const before = url.length + (typeof sourceRoot === "string" ? sourceRoot.length : 0);
      for (const source of named) sources += before + (typeof source === "string" ? source.length : 0);
    }
    return lines <= MAX_LINES && segments <= MAX_SEGMENTS && sources <= MAX_SOURCES;
  }

  return fits(map, 0, 0);
}

const SEMICOLON = 0x3b;
const COMMA = 0x2c;

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
