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

/** The last "sourceMappingURL" comment; the end of the script is enough, unless the map is inline. */
function lastComment(script: string): string | undefined {
  const at = Math.max(script.lastIndexOf("//# sourceMappingURL="), script.lastIndexOf("//@ sourceMappingURL="));
  if (at < 0) return undefined;
  const value = /^\S+/.exec(script.slice(at + "//# sourceMappingURL=".length))?.[0];
  // A comment followed by code belongs to something else, such as a string in a bundle.
  const rest = value === undefined ? "" : script.slice(at + "//# sourceMappingURL=".length + value.length);
  return /^\s*(\*\/)?\s*$/.test(rest) ? value : undefined;
}

/** Decodes the JSON in a data: URL; undefined when it is none. */
export function decodeDataURL(url: string): string | undefined {
  const match = /^data:application\/json[^,]*?(;base64)?,/i.exec(url);
  if (!match) return undefined;
  const body = url.slice(match[0].length);
  try {
    if (!match[1]) return decodeURIComponent(body);
    return new TextDecoder().decode(Uint8Array.from(atob(body), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
