/** textHead is the beginning of a node's text, about max characters, without building the text of a whole page. */
export function textHead(node: Node, max: number): string {
  if (node.nodeType === Node.TEXT_NODE) return (node.nodeValue ?? "").slice(0, max);
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  let text = "";
  for (let steps = 0; text.length < max && steps < max && walker.nextNode(); steps++)
    text += walker.currentNode.nodeValue;
  return text.slice(0, max);
}

/** fold makes one line of a text, at most max characters long. */
export function fold(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > max ? line.slice(0, max - 1) + "…" : line;
}
