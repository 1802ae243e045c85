/** Where a script says its source map is: a URL, or the map itself in a data: URL. undefined without one. */
export function sourceMapURL(script: string, scriptURL: string, header: string | null): string | undefined {
  const named = header ?? lastComment(script);
  if (!named) return undefined;
  try {
    return new URL(named, scriptURL).href;
  } catch {
    return undefined;
  }
}

const NAME = "sourceMappingURL=";

/**
 * The URL in the last sourceMappingURL comment, of either form. A comment that code follows belongs to something else,
 * such as a string in a bundle.
 */
function lastComment(script: string): string | undefined {
  const at = script.lastIndexOf(NAME);
  const opening = /(\/\/|\/\*)[#@][ \t]$/.exec(script.slice(Math.max(0, at - 4), Math.max(0, at)));
  if (!opening) return undefined;
  const from = at + NAME.length;
  const end = opening[1] === "/*" ? script.indexOf("*/", from) : endOfLine(script, from);
  if (end < 0) return undefined;
  const url = script.slice(from, end).trim();
  if (url === "" || /\s/.test(url)) return undefined;
  return onlyComments(script, opening[1] === "/*" ? end + 2 : end) ? url : undefined;
}

function endOfLine(script: string, from: number): number {
  const at = script.slice(from).search(/[\n\r\u2028\u2029]/);
  return at < 0 ? script.length : from + at;
}

/** Says whether there is no code from here on. */
function onlyComments(script: string, from: number): boolean {
  const space = /\s*/y;
  for (let at = from; ;) {
    space.lastIndex = at;
    space.test(script);
    at = space.lastIndex;
    if (at >= script.length) return true;
    if (script.startsWith("//", at)) at = endOfLine(script, at);
    else if (script.startsWith("/*", at)) {
      const end = script.indexOf("*/", at + 2);
      if (end < 0) return false;
      at = end + 2;
    } else return false;
  }
}

/** Decodes the JSON in a data: URL; undefined when it is none. */
export function decodeDataURL(url: string): string | undefined {
  const match = /^data:application\/json[^,]*?(;base64)?,/i.exec(url);
  if (!match) return undefined;
  const body = url.slice(match[0].length);
  try {
    if (!match[1]) return decodeURIComponent(body);
    const binary = atob(body);
    const bytes = new Uint8Array(binary.length); // Uint8Array.from takes seconds for 30 MB, and the worker stands still
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
