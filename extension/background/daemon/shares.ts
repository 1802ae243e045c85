import type { Stamp } from "./outbox.ts";

/** What one document has of a bounded room, and how much of it is over its share. */
export interface Holding {
  held: number;
  over: number;
}

interface Node extends Holding {
  parts: Map<string | number, Node>;
}

/** A part of a queue: whose it is, and how much of the room it takes. */
export interface Held {
  stamp: Stamp;
  weight: number;
}

/**
 * Says for each item whose holding it is in, with what that holding has over its share when all together may have most.
 * Tabs share equally, what one does not need is the others'; so do a tab's page and its frames, and the frames' documents
 * among each other. Without more than most in all, nobody has too much.
 */
export function sharesOf(items: readonly Held[], most: number): Holding[] {
  const root = newNode();
  const holdings = items.map(({ stamp, weight }) => {
    let at = root;
    at.held += weight;
    for (const key of [stamp.tab, stamp.frame === 0 ? "page" : "frames", stamp.document]) {
      let part = at.parts.get(key);
      if (!part) at.parts.set(key, (part = newNode()));
      part.held += weight;
      at = part;
    }
    return at;
  });
  allot(root, most);
  return holdings;
}

function allot(node: Node, most: number): void {
  if (node.held <= most) return;
  node.over = node.held - most;
  const share = equalShare(
    [...node.parts.values()].map(({ held }) => held),
    most,
  );
  for (const part of node.parts.values()) allot(part, share);
}

/** The share of each when all together may have most and nobody needs more than it holds; holdings are more than most. */
function equalShare(holdings: number[], most: number): number {
  let left = most;
  let count = holdings.length;
  for (const held of holdings.sort((a, b) => a - b)) {
    if (held > left / count) break;
    left -= held;
    count--;
  }
  return left / Math.max(1, count);
}

const newNode = (): Node => ({ held: 0, over: 0, parts: new Map() });
