// What an agent knows of a page from the answers that it has read.
import type { Target } from "../task.ts";

/** A line of a snapshot. */
export interface Node {
  role: string;
  name: string;
  /** What acts name it by; undefined: nothing but what it shows. */
  ref?: string;
  /** The snapshot says that nobody sees it. */
  invisible?: true;
}

const squeeze = (text: string): string => text.replace(/\s+/g, " ").trim();

export const inWords = (target: Target): string => {
  const [kind, name] = "text" in target ? ["text", target.text] : [target.role, target.name ?? ""];
  return `${kind} ${JSON.stringify(name)}${target.nth === undefined ? "" : ` number ${target.nth}`}`;
};

/** The node that is meant, as a reader of the snapshot would find it: by an equal name before one that contains it. */
export function find(nodes: readonly Node[], target: Target): Node | undefined {
  const nth = target.nth ?? 0;
  const wanted = squeeze("text" in target ? target.text : (target.name ?? ""));
  const fits = nodes.filter((node) => !node.invisible && ("text" in target || node.role === target.role));
  const equal = fits.filter((node) => squeeze(node.name) === wanted);
  if (equal.length > nth && (wanted || !("text" in target))) return equal[nth];
  // A text that several elements contain is that of the innermost one, which comes last.
  const containing = fits.filter((node) => squeeze(node.name).toLowerCase().includes(wanted.toLowerCase()));
  return containing[nth];
}

const LINE = /^\s*[-+~] (?:'|")?([a-z]+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)(?:'|")?(?::(?: (.*))?)?/;

/** Reads a tree in the YAML that Playwright made known: - role "name" [attribute] [ref=e1]: text. */
export function yaml(text: string): Node[] {
  const nodes: Node[] = [];
  for (const line of text.split("\n")) {
    const [, role, quoted, attributes = "", content] = LINE.exec(line) ?? [];
    if (role === undefined) continue;
    const ref = /\[ref=(\w+)\]/.exec(attributes)?.[1];
    const name = quoted === undefined ? scalar(content ?? "") : quoted.replace(/\\(.)/g, "$1");
    const invisible = attributes.includes("[invisible]");
    nodes.push({ role, name, ...(ref !== undefined && { ref }), ...(invisible && { invisible }) });
  }
  return nodes;
}

/** Reads what a receipt of Gasoline says came: then: new: button "Save" e17, link "Back" e18. */
export function came(text: string): Node[] {
  const nodes: Node[] = [];
  for (const [, line = ""] of text.matchAll(/^then: (?:new|[a-z]+(?: "[^"]*")? opened): (.*)$/gm)) {
    let last = "";
    for (const [, role = last, name = "", ref = ""] of line.matchAll(
      /(?:^|, )(?:(\w+) ?)?(?:"((?:[^"\\]|\\.)*)" )?(e\d+)/g,
    )) {
      nodes.push({ ref, role, name });
      last = role;
    }
  }
  return nodes;
}

/** A scalar of YAML, as these trees have them. */
function scalar(text: string): string {
  if (text.startsWith('"')) return text.slice(1, -1).replace(/\\(.)/g, "$1");
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  return text;
}
