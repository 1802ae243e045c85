import type { Section, TextParams, TextResult } from "@gasoline/schema/commands";
import { describe } from "../describe.ts";
import type { Deadline, Environment } from "../environment.ts";
import { isNamed, resolve } from "../target.ts";
import { MASK, isSecret } from "../secret.ts";
import { Slices } from "../slices.ts";
import { NOT_SEEN, Unseen } from "../unseen.ts";
import { isVisible } from "../visible.ts";
import { retry } from "../waiting.ts";

/** Characters of one text; the rest is cut, and the true size told. */
const MAX_TEXT = 100_000;
const MAX_SECTIONS = 100;
const HEADS = "h1, h2, h3, h4, h5, h6, summary, [role=heading], [aria-expanded][aria-controls]";

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
  if (params.structured) return { ...result, sections: await sections(element, environment.deadline) };
  const all = await marked(textOf(element), element, new Slices(environment.deadline));
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

/** A rendered text with what nobody sees marked as that. */
async function marked(text: string, root: Element, slices: Slices): Promise<string> {
  let unseen = new Unseen();
  let [rest, done] = [text, ""];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  let at: Element | null = root;
  while (at) {
    if (slices.over) {
      await slices.pause();
      unseen = new Unseen();
    }
    const hidden =
      at instanceof HTMLElement && hasText(at) && at.checkVisibility({ visibilityProperty: true }) && unseen.has(at);
    const words = hidden ? (at as HTMLElement).innerText.trim() : "";
    const found = words === "" ? -1 : rest.indexOf(words);
    if (found >= 0) {
      done += rest.slice(0, found) + NOT_SEEN + words;
      rest = rest.slice(found + words.length);
    }
    // What is in it was marked with it.
    at = (found >= 0 ? after(walker) : walker.nextNode()) as Element | null;
  }
  return done + rest;
}

/** Says whether an element has text of its own. */
const hasText = ({ childNodes }: Element): boolean =>
  [...childNodes].some((node) => node instanceof Text && node.data.trim() !== "");

/** The next element that is not in the present one. */
function after(walker: TreeWalker): Node | null {
  for (;;) {
    const next = walker.nextSibling();
    if (next) return next;
    if (!walker.parentNode()) return null;
  }
}

/** The text cut at its headings, in slices; parts that open and close say whether they are open. */
async function sections(root: Element, deadline: Deadline): Promise<Section[]> {
  const slices = new Slices(deadline);
  const heads: Element[] = [];
  for (const head of root.querySelectorAll(HEADS)) {
    if (slices.over) await slices.pause();
    if (isVisible(head)) heads.push(head);
    // One more: the text of the last section ends at it.
    if (heads.length > MAX_SECTIONS) break;
  }
  const found: Section[] = [];
  const parts: string[][] = Array.from({ length: heads.length + 1 }, () => []);
  let at = 0;
  let size = 0;
  let shown = new WeakMap<Element, boolean>();
  let unseen = new Unseen();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && at <= MAX_SECTIONS; node = walker.nextNode()) {
    if (slices.over) {
      await slices.pause();
      shown = new WeakMap();
      unseen = new Unseen();
    }
    for (let next = heads[at]; next && reaches(node, next); next = heads[at]) {
      at++;
      size = 0;
    }
    const parent = node.parentElement;
    if (!parent || size >= MAX_TEXT || heads[at - 1]?.contains(node)) continue;
    if (/^(script|style|noscript|template)$/.test(parent.localName)) continue;
    const line = (node.nodeValue ?? "").replace(/\s+/g, " ").trim();
    if (line === "") continue;
    let visible = shown.get(parent);
    if (visible === undefined) shown.set(parent, (visible = isVisible(parent)));
    if (!visible) continue;
    parts[at]?.push(unseen.has(parent) ? NOT_SEEN + line : line);
    size += line.length;
  }
  const before = parts[0]?.join("\n");
  if (before) found.push({ header: "", content: before, tag: root.localName });
  for (const [i, head] of heads.slice(0, MAX_SECTIONS).entries()) {
    const section: Section = {
      header: textOf(head).trim(),
      content: parts[i + 1]?.join("\n") ?? "",
      tag: head.localName,
    };
    const expanded =
      head.localName === "summary" ? (head.parentElement as HTMLDetailsElement | null)?.open : attribute(head);
    if (expanded !== undefined) section.expanded = expanded;
    found.push(section);
  }
  return found;
}

/** Whether a text stands in a head, or behind it. */
const reaches = (node: Node, head: Element): boolean =>
  (head.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

function attribute(head: Element): boolean | undefined {
  const value = head.getAttribute("aria-expanded");
  return value === null ? undefined : value === "true";
}
