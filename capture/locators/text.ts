/** textHead is the beginning of a node's text, about max characters, without building the text of a whole page. */
export function textHead(node: Node, max: number): string {
  if (node.nodeType === Node.TEXT_NODE) return (node.nodeValue ?? "").slice(0, max);
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  let text = "";
  for (let steps = 0; text.length < max && steps < max && walker.nextNode(); steps++)
    text += walker.currentNode.nodeValue;
  return text.slice(0, max);
}

/**
 * Signs that nobody sees, in a class of a regular expression: where a word may be parted or must not be, and marks of the
 * direction that a text has anyway. Joiners (U+200C, U+200D) change letters, overrides (U+202A to U+202E) their order: they stay.
 */
export const UNSEEN = "\\u00ad\\u034f\\u061c\\u180e\\u200b\\u200e\\u200f\\u2060-\\u2064\\u2066-\\u2069\\ufeff";
const unseen = new RegExp(`[${UNSEEN}]+`, "g");

/** seen is a text without the signs that nobody sees. */
export const seen = (text: string): string => text.replace(unseen, "");

/** fold makes one line of a text as it is seen, at most max characters long. */
export function fold(text: string, max: number): string {
  const line = seen(text).replace(/\s+/g, " ").trim();
  return line.length > max ? line.slice(0, max - 1) + "…" : line;
}

/** transformed is a text as CSS's text-transform shows it. */
export function transformed(text: string, how: string): string {
  if (how === "uppercase") return text.toUpperCase();
  if (how === "lowercase") return text.toLowerCase();
  return how === "capitalize" ? text.replace(/(?<![\p{L}\p{M}\p{N}'’_])\p{L}/gu, (first) => first.toUpperCase()) : text;
}
