import type { Section, TextParams, TextResult } from "@gasoline/schema/commands";
import { describe } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { isNamed, resolve } from "../target.ts";
import { MASK, isSecret } from "../secret.ts";
import { isVisible } from "../visible.ts";
import { retry } from "../waiting.ts";

/** Characters of one text; the rest is cut, and the true size told. */
const MAX_TEXT = 100_000;
const MAX_SECTIONS = 100;

/** Reads the text of an element as it is rendered, or of the page. */
export async function getText(params: TextParams, environment: Environment): Promise<TextResult> {
  const found = isNamed(params)
    ? await retry(environment.deadline, () => resolve(params, environment.refs))
    : undefined;
  const element = found?.element ?? document.body ?? document.documentElement;
  const result: TextResult = { url: location.href };
  if (found) {
    result.matched = describe(found.element, environment.refs, environment.frame);
    if (!isVisible(found.element)) result.hidden = true;
  }
  if (params.structured) return { ...result, sections: sections(element) };
  const all = textOf(element);
  result.value = all.slice(0, MAX_TEXT);
  if (all.length > MAX_TEXT) result.true_size = all.length;
  return result;
}

function textOf(element: Element): string {
  // What a textarea began with is its text.
  if (isSecret(element)) return element.textContent ? MASK : "";
  // innerText of what is not rendered is all of its text, styles and scripts included.
  return element instanceof HTMLElement ? element.innerText : (element.textContent ?? "");
}

/** The text cut at its headings; parts that open and close say whether they are open. */
function sections(root: Element): Section[] {
  const heads = [
    ...root.querySelectorAll("h1, h2, h3, h4, h5, h6, summary, [role=heading], [aria-expanded][aria-controls]"),
  ].filter(isVisible);
  const found: Section[] = [];
  const before = between(root, undefined, heads[0]);
  if (before) found.push({ header: "", content: before, tag: root.localName });
  for (const [i, head] of heads.slice(0, MAX_SECTIONS).entries()) {
    const section: Section = {
      header: textOf(head).trim(),
      content: between(root, head, heads[i + 1]),
      tag: head.localName,
    };
    const expanded =
      head.localName === "summary" ? (head.parentElement as HTMLDetailsElement | null)?.open : attribute(head);
    if (expanded !== undefined) section.expanded = expanded;
    found.push(section);
  }
  return found;
}

function attribute(head: Element): boolean | undefined {
  const value = head.getAttribute("aria-expanded");
  return value === null ? undefined : value === "true";
}

/** The visible text of root after one element and before another. */
function between(root: Element, after: Element | undefined, until: Element | undefined): string {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const parts: string[] = [];
  let size = 0;
  for (let node = walker.nextNode(); node && size < MAX_TEXT; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || /^(script|style|noscript|template)$/.test(parent.localName)) continue;
    if (after && (after.contains(node) || after.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING))
      continue;
    if (until && (until.contains(node) || until.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING))
      break;
    const line = (node.nodeValue ?? "").replace(/\s+/g, " ").trim();
    if (line === "" || !isVisible(parent)) continue;
    parts.push(line);
    size += line.length;
  }
  return parts.join("\n");
}
