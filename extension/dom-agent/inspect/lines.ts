import { decode } from "@jridgewell/sourcemap-codec";
import { OWN_HEADER } from "../../messages/own.ts";
import { isBetween } from "./cascade.ts";

// Where rules stand in the text of their sheets. The CSSOM does not tell, and what it tells of selectors is written anew.
// So the text is cut into rules, and the browser is asked to read each head: what it makes of that is what the CSSOM has.

/** Characters of a sheet that are looked at. */
const MAX_TEXT = 2_000_000;
/** Parts that the browser did not understand, one behind another: what is further is not searched. */
const MAX_SKIPPED = 50;

export interface Place {
  line: number;
  column: number;
  /** What the sheet was made of, by the source map in it: src/app.scss:12:3. */
  original?: string;
}

/** A rule, or declarations between rules, as written. */
interface Part {
  head: string;
  from: number;
  /** What is inside of its braces; undefined for what has none. */
  body: [from: number, to: number] | undefined;
  to: number;
  /** What the CSSOM would tell of it. */
  key?: string;
}

const BLANK = /(?:\s|\/\*[^]*?\*\/|<!--|-->)*/y;
const TOKEN =
  /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|\/\*[^]*?(?:\*\/|$)|url\(\s*(?!["'\s])(?:\\[^]|[^)\\])*\)?|\\[^]|[{}()[\];]/gi;
const CLOSED: Record<string, string> = { "{": "}", "(": ")", "[": "]" };

/** The rules and declarations of one level. */
function partsOf(text: string, begin: number, end: number): Part[] {
  const parts: Part[] = [];
  let from = begun(begin);
  let body: [number, number] | undefined;
  const open: string[] = [];
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token && token.index < end; token = TOKEN.exec(text)) {
    const [sign] = token;
    const closed = CLOSED[sign];
    if (closed) {
      if (open.length === 0 && sign === "{") body = [token.index + 1, end];
      open.push(closed);
    } else if (open.at(-1) === sign) open.pop();
    if (open.length > 0 || (sign !== ";" && !(sign === "}" && body))) continue;
    if (body) body[1] = token.index;
    finish(token.index + 1);
  }
  if (from < end) finish(end);
  return parts;

  function begun(at: number): number {
    BLANK.lastIndex = at;
    BLANK.test(text);
    return BLANK.lastIndex;
  }
  function finish(to: number): void {
    const head = text.slice(from, body ? body[0] - 1 : to).replace(/;$/, "");
    const before = parts.at(-1);
    // Declarations are one run.
    if (before && isRun(before) && isRun({ head, body })) before.to = to;
    else if (head) parts.push({ head: head.replaceAll(/\/\*[^]*?\*\//g, " ").trim(), from, body, to });
    from = begun(to);
    body = undefined;
  }
}

const isRun = ({ head, body }: Pick<Part, "head" | "body">): boolean => !body && !head.startsWith("@");

/** What tells rules of the CSSOM apart. One that a script has changed is not the one that is written. */
function keyOf(rule: CSSRule | undefined): string {
  if (rule instanceof CSSStyleRule) return `${rule.selectorText}{${rule.style.cssText}`;
  if (isBetween(rule)) return `{${rule.style.cssText}`;
  if (rule instanceof CSSConditionRule) return `${rule.constructor.name} ${rule.conditionText}`;
  if (rule instanceof CSSLayerBlockRule) return `@layer ${rule.name}`;
  return (rule?.cssText ?? "none").split(/[{;]/, 1)[0] as string;
}

/** The text of a sheet, with its rules. */
export class Written {
  readonly #text: string;
  readonly #begins = new Map<CSSRule, number>();
  readonly #reader = new CSSStyleSheet();
  #map: ((line: number, column: number) => string | undefined) | undefined;

  constructor(text: string) {
    this.#text = text.replaceAll(/\r\n|[\r\f]/g, "\n");
  }

  /** Reads all of it, and lets the page work in between. */
  async read(sheet: CSSStyleSheet, breathe: () => Promise<void> | undefined): Promise<void> {
    await this.#pair(sheet.cssRules, [0, this.#text.length], false, false, breathe);
  }

  async #pair(
    rules: CSSRuleList,
    [from, to]: [number, number],
    nested: boolean,
    isStyle: boolean,
    breathe: () => Promise<void> | undefined,
  ): Promise<void> {
    const parts = partsOf(this.#text, from, to);
    // What a style rule says before the rules in it is its own.
    let next = isStyle && parts[0] && isRun(parts[0]) ? 1 : 0;
    for (const rule of rules) {
      await breathe();
      const key = keyOf(rule);
      const near = parts.slice(next, next + MAX_SKIPPED);
      const at = near.findIndex((part) => (part.key ??= this.#keyOf(part, nested)) === key);
      const part = near[at];
      if (!part) continue;
      next += at + 1;
      this.#begins.set(rule, part.from);
      if (part.body && "cssRules" in rule) {
        const inStyle = rule instanceof CSSStyleRule;
        await this.#pair(rule.cssRules as CSSRuleList, part.body, nested || inStyle, inStyle, breathe);
      }
    }
  }

  #keyOf({ head, from, body, to }: Part, nested: boolean): string {
    const own = this.#text.slice(from, to);
    const text = !head.startsWith("@") ? own : body ? `${head}{}` : `${head};`;
    // What a rule says before the rules in it would be its own.
    this.#reader.replaceSync(nested ? `a{b{}${text}}` : text);
    const [first] = this.#reader.cssRules;
    return keyOf(nested ? (first as CSSStyleRule | undefined)?.cssRules[1] : first);
  }

  /** Where a rule stands; undefined when it is not in the text, or a script has changed it. */
  placeOf(rule: CSSRule): Place | undefined {
    const from = this.#begins.get(rule);
    if (from === undefined) return undefined;
    const before = this.#text.slice(0, from);
    const line = before.split("\n").length;
    const column = from - before.lastIndexOf("\n");
    const original = (this.#map ??= mapOf(this.#text))(line, column);
    return { line, column, ...(original ? { original } : {}) };
  }
}

/** The source map that a sheet holds in itself; one in a file of its own is not asked for. */
function mapOf(text: string): (line: number, column: number) => string | undefined {
  const at = text.lastIndexOf("sourceMappingURL=data:application/json");
  const data = /^[^,]*;base64,([\w+/=]+)/.exec(text.slice(at))?.[1];
  try {
    if (!data) return () => undefined;
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    const {
      mappings,
      sources,
      sourceRoot = "",
    } = JSON.parse(new TextDecoder().decode(bytes)) as {
      mappings: string;
      sources: string[];
      sourceRoot?: string;
    };
    const lines = decode(mappings);
    return (line, column) => {
      const segment = lines[line - 1]?.findLast(([begin]) => begin < column);
      const source = segment?.length === 1 || !segment ? undefined : sources[segment[1]];
      return source && segment ? `${sourceRoot}${source}:${segment[2]! + 1}:${segment[3]! + 1}` : undefined;
    };
  } catch {
    return () => undefined; // what a page claims may be no map
  }
}

/** The text of a sheet as the page has it, without a request; or why there is none. */
export async function textOf(sheet: CSSStyleSheet, signal: AbortSignal): Promise<{ text: string } | { why: string }> {
  const { href, ownerNode } = sheet;
  const text = href ? await cached(href, signal) : (ownerNode?.textContent ?? "");
  if (typeof text !== "string") return text;
  return text.length > MAX_TEXT ? { why: `it has more than ${MAX_TEXT / 1e6} MB` } : { text };
}

async function cached(href: string, signal: AbortSignal): Promise<string | { why: string }> {
  if (new URL(href).origin !== globalThis.origin) return { why: "it is of another origin" };
  if (navigator.serviceWorker?.controller) return { why: "the page's service worker would be asked" };
  try {
    const how = { cache: "only-if-cached", mode: "same-origin", headers: { [OWN_HEADER]: "1" } } as const;
    const answer = await fetch(href, { ...how, signal });
    if (answer.ok) return await answer.text();
  } catch {
    signal.throwIfAborted();
  }
  return { why: "the browser's cache does not have it" };
}
