import type { OutlineChange, OutlineNode } from "../messages/outline.ts";

/** Bytes of a text in an answer: signs that are not printed are written in eight. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    bytes += code < 0x20 || HIDDEN.test(sign) ? 8 : code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** What was written, and how much of the page it shows. */
export interface Written {
  text: string;
  /** Parts that have a line. */
  shown: number;
}

/** Parts that lie over the page come first, then what just happened, then its main part; else in the order of the page. */
const FIRST: Readonly<Record<string, number>> = {
  alertdialog: 0,
  dialog: 0,
  overlay: 0,
  alert: 1,
  status: 1,
  log: 1,
  main: 2,
};

/**
 * Writes a tree in the YAML that accessibility snapshots are known in: "- button "Save" [ref=e12] [disabled]". As many
 * parts as fit into the bytes are shown, by their rank; a part of which something is left out says how much, and the section
 * that shows it.
 */
export function write(root: OutlineNode, bytes: number): Written {
  const nodes: OutlineNode[] = [];
  const parents = new Map<OutlineNode, OutlineNode>();
  const left = [root];
  for (let node = left.pop(); node; node = left.pop()) {
    for (const child of node.children) {
      parents.set(child, node);
      nodes.push(child);
      left.push(child);
    }
  }
  nodes.sort((a, b) => a.rank - b.rank);
  const chosen = (count: number): Set<OutlineNode> => {
    const set = new Set<OutlineNode>([root]);
    for (const node of nodes.slice(0, count))
      for (let at: OutlineNode | undefined = node; at && !set.has(at); at = parents.get(at)) set.add(at);
    return set;
  };
  const print = (count: number): Written => {
    const set = chosen(count);
    return { text: linesOf(root, set).join("\n"), shown: set.size - 1 };
  };
  // The most that fits; a fold can be longer than what it folds, so the last steps go one by one.
  let [low, high] = [0, nodes.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (bytesOf(print(middle).text) <= bytes) low = middle;
    else high = middle - 1;
  }
  let written = print(low);
  while (low > 0 && bytesOf(written.text) > bytes) written = print(--low);
  return written;
}

/** The lines of the chosen nodes, without those of the root itself where it has neither role nor name. */
function linesOf(root: OutlineNode, chosen: ReadonlySet<OutlineNode>): string[] {
  const out: string[] = [];
  const add = (node: OutlineNode, indent: string): void => {
    const children = node.children.filter((child) => chosen.has(child));
    const more = leftOut(node, children);
    const [only] = children;
    if (only?.role === "text" && children.length === 1 && more === 0 && !node.text) {
      const text = only.text === node.name ? "" : (only.text ?? "");
      out.push(...lineOf({ ...node, text, children: [] }, indent, false, 0));
      return;
    }
    out.push(...lineOf(node, indent, children.length > 0, more));
    // What is in a frame or deeper than a tree goes is bounded by who made it.
    for (const child of ordered(children)) add(child, `${indent}  `);
    if (children.length > 0 && more > 0) out.push(`${indent}  - … ${more} more${opened(node)}`);
  };
  if (root.role !== "") add(root, "");
  else {
    const children = root.children.filter((child) => chosen.has(child));
    for (const child of ordered(children)) add(child, "");
    const more = leftOut(root, children);
    if (more > 0) out.push(`- … ${more} more: section:"a heading", find, or a larger budget`);
  }
  return out;
}

/** How many parts of a node have no line, and are not told of by a child: of what is in a frame the frame tells. */
const leftOut = (node: OutlineNode, children: readonly OutlineNode[]): number =>
  node.inside - children.reduce((sum, { inside, frame }) => sum + 1 + (frame === undefined ? inside : 0), 0);

const ordered = (nodes: readonly OutlineNode[]): OutlineNode[] =>
  nodes.some((node) => node.first || node.role === "main")
    ? nodes.toSorted((a, b) => placeOf(a) - placeOf(b))
    : [...nodes];

const placeOf = ({ first, role }: OutlineNode): number => (first || role === "main" ? (FIRST[role] ?? 3) : 3);

/** Parts that are opened: their ref stands where something of them is left out. */
const OPENED =
  /^(alert|alertdialog|article|banner|complementary|contentinfo|dialog|feed|form|grid|group|iframe|list|log|main|menu|navigation|overlay|radiogroup|region|search|status|table|tablist|tree|treegrid)$/;

const opened = (node: OutlineNode): string => {
  const call = callOf(node);
  return call === "" ? "" : `: ${call}`;
};

/** The parameter that shows all of a part. */
const callOf = ({ ref, frame }: OutlineNode): string =>
  frame !== undefined ? `frame:"${frame}"` : ref ? `section:"${ref}"` : "";

/** The parts of a tree that can be opened, in its order. */
export function sectionsOf(root: OutlineNode, most: number): OutlineNode[] {
  const found: OutlineNode[] = [];
  const left = [root];
  for (let node = left.pop(); node && found.length < most; node = left.pop()) {
    if (node.ref && OPENED.test(node.role)) found.push(node);
    left.push(...node.children.toReversed());
  }
  return found;
}

/** The line of one node, and those of its properties. */
function lineOf(node: OutlineNode, indent: string, open: boolean, more: number): string[] {
  if (node.role === "text") return [`${indent}- text: ${value(node.text ?? "")}`];
  const folded = !open && more > 0;
  const container = node.inside > 0;
  let key = node.role;
  if (node.name !== "") key += ` ${JSON.stringify(node.name)}`;
  if (node.ref && (!container || !OPENED.test(node.role))) key += ` [ref=${node.ref}]`;
  for (const state of node.states ?? []) key += ` [${state}]`;
  const properties = [
    ...(node.url === undefined ? [] : [`${indent}  - /url: ${value(node.url)}`]),
    ...(node.placeholder === undefined ? [] : [`${indent}  - /placeholder: ${value(node.placeholder)}`]),
  ];
  const words: string[] = [];
  if (node.text) words.push(value(node.text));
  // In an overview the rows of a table have no lines of their own, though buttons in them may.
  const rowless = node.items?.unit === "rows" && !node.children.some(({ role }) => role === "row");
  if (node.items && (!open || rowless)) {
    const { count, unit, first, columns } = node.items;
    words.push(`${count} ${unit}${columns ? ` of ${JSON.stringify(columns)}` : ""}`);
    if (first) words.push(`first ${JSON.stringify(first)}`);
  }
  if (folded && !node.items && !node.text) words.push(`${more} inside`);
  if ((folded || (rowless && container)) && callOf(node) !== "") words.push(callOf(node));
  const said = words.length > 0 ? ` ${words.join(", ")}` : "";
  const colon = open || properties.length > 0 || said !== "" ? ":" : "";
  return [`${indent}- ${keyOf(key)}${colon}${said}`, ...properties];
}

/** A key as YAML reads it: in quotes where its signs would mean something. */
const keyOf = (key: string): string => (/: |:$| #|^[^\w]/.test(key) ? `'${key.replaceAll("'", "''")}'` : key);

/** A value as YAML reads it: in quotes where it would be more than words. */
const value = (text: string): string =>
  /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|: | #|:$|\s$|^(true|false|null|yes|no|on|off|~)$|^[\d.+-]+$/i.test(text) ||
  /\p{C}/u.test(text)
    ? JSON.stringify(text)
    : text;

/** One node as a hit tells it, in a line. */
export function hitLine(node: OutlineNode, within: string): string {
  const [line = ""] = lineOf({ ...node, inside: 0, children: [] }, "", false, 0);
  const section = node.inside > 0 && node.ref ? `, section:"${node.ref}"` : "";
  return `${line}${within === "" ? "" : ` (in ${within})`}${section}`;
}

/** What became of a part, in lines: "+" came, "-" went, "~" changed. */
export function changeLines({ kind, node, was, count }: OutlineChange, bytes: number): string[] {
  const times = count === undefined ? "" : `${count} × `;
  if (kind === "removed") return [`- ${times}${node.role}${node.text ? ` ${JSON.stringify(node.text)}` : ""}`];
  if (kind === "changed") {
    const [line = ""] = lineOf({ ...node, inside: 0, children: [] }, "", false, 0);
    return [`~ ${line.slice(2)}${was ? ` (was ${was})` : ""}`];
  }
  const [first = "", ...rest] = write({ role: "", name: "", rank: 0, inside: 0, children: [node] }, bytes).text.split(
    "\n",
  );
  return [`+ ${times}${first.slice(2)}`, ...(count === undefined ? rest : [])];
}
