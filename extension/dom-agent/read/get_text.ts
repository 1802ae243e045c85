import type { Section, TextParams, TextResult } from "@gasoline/schema/commands";
import { describe } from "../describe.ts";
import type { Deadline, Environment } from "../environment.ts";
import { isNamed, resolve } from "../target.ts";
import { Flat, renderedText } from "../rendered.ts";
import { MASK, isSecret } from "../secret.ts";
import { isInside } from "../shadow.ts";
import { Slices } from "../slices.ts";
import { pageRoot, sortOf, sourceOf } from "../sort.ts";
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
  const element = found?.element ?? pageRoot();
  const result: TextResult = { url: location.href };
  const sort = found ? "" : sortOf();
  if (!element) return { ...result, value: sort };
  if (found) {
    result.matched = describe(found.element, environment.refs, environment.frame);
    if (!isVisible(found.element)) result.hidden = true;
  }
  if (params.structured) {
    const told = sort === "" ? [] : [{ header: "", content: sort, tag: element.localName }];
    return { ...result, sections: [...told, ...(await sections(element, environment.deadline))] };
  }
  const source = found ? undefined : sourceOf();
  const text = source ?? (await marked(textOf(element), element, new Slices(environment.deadline)));
  const all = [sort, text].filter((part) => part !== "").join("\n");
  result.value = all.slice(0, MAX_TEXT);
  if (all.length > MAX_TEXT) result.true_size = all.length;
  return result;
}

function textOf(element: Element): string {
  // What a textarea began with is its text.
  if (isSecret(element)) return element.textContent ? MASK : "";
  // What is not rendered has no rendered text; it was asked for by name.
  return element.checkVisibility() || getComputedStyle(element).display === "contents"
    ? renderedText(element)
    : ((element as HTMLElement).innerText ?? element.textContent ?? "");
}

/** A rendered text with what nobody sees marked as that. */
async function marked(text: string, root: Element, slices: Slices): Promise<string> {
  let unseen = new Unseen();
  let [rest, done] = [text, ""];
  const flat = new Flat(root);
  const nodes = flat.nodes();
  let skip: boolean;
  for (let step = nodes.next(); !step.done; step = nodes.next(skip)) {
    const at = step.value;
    skip = at instanceof Element && at.childElementCount === 0 && flat.isPlain(at); // nothing but text
    if (slices.over) {
      await slices.pause();
      unseen = new Unseen();
    }
    const hidden =
      at instanceof HTMLElement && hasText(at) && at.checkVisibility({ visibilityProperty: true }) && unseen.has(at);
    if (!hidden) continue;
    // What is in it may be seen, in letters of another size or colour.
    const seenIn = [...at.querySelectorAll("*")].some((inner) => hasText(inner) && !unseen.has(inner));
    for (const words of seenIn ? ownTexts(at) : [renderedText(at).trim()]) {
      const found = words === "" ? -1 : rest.indexOf(words);
      if (found < 0) continue;
      done += rest.slice(0, found) + NOT_SEEN + words;
      rest = rest.slice(found + words.length);
      // What is in it was marked with it.
      skip ||= !seenIn;
    }
  }
  return done + rest;
}

/** The texts that stand directly in an element, on one line each. */
const ownTexts = ({ childNodes }: Element): string[] =>
  [...childNodes].flatMap((node) => (node instanceof Text ? [node.data.replace(/\s+/g, " ").trim()] : []));

/** Says whether an element has text of its own. */
function hasText(element: Element): boolean {
  if (element.childElementCount === 0) return /\S/.test(element.textContent ?? "");
  for (let node = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType === Node.TEXT_NODE && /\S/.test(node.nodeValue!)) return true;
  return false;
}

/** The text cut at its headings, in slices; parts that open and close say whether they are open. */
async function sections(root: Element, deadline: Deadline): Promise<Section[]> {
  const slices = new Slices(deadline);
  const found: { head: Element; parts: string[]; size: number }[] = [{ head: root, parts: [], size: 0 }];
  let shown = new WeakMap<Element, boolean>();
  let unseen = new Unseen();
  const isShown = (element: Element): boolean => {
    let visible = shown.get(element);
    if (visible === undefined) shown.set(element, (visible = isVisible(element)));
    return visible;
  };
  const nodes = new Flat(root).nodes();
  let skip: boolean;
  for (let step = nodes.next(); !step.done; step = nodes.next(skip)) {
    if (slices.over) {
      await slices.pause();
      shown = new WeakMap();
      unseen = new Unseen();
    }
    const node = step.value;
    skip = node instanceof Element && /^(script|style|noscript|template)$/.test(node.localName);
    if (node instanceof Element) {
      if (node === root || !node.matches(HEADS) || !isShown(node)) continue;
      if (found.length > MAX_SECTIONS) break;
      found.push({ head: node, parts: [], size: 0 });
      continue;
    }
    const at = found.at(-1) as (typeof found)[0];
    const parent = node.assignedSlot ?? node.parentElement ?? (node.getRootNode() as ShadowRoot).host;
    if (!parent || at.size >= MAX_TEXT || (at.head !== root && isInside(parent, at.head))) continue;
    const line = node.data.replace(/\s+/g, " ").trim();
    if (line === "" || !isShown(parent)) continue;
    at.parts.push(unseen.has(parent) ? NOT_SEEN + line : line);
    at.size += line.length;
  }
  const [before, ...rest] = found;
  const told: Section[] = [];
  if (before && before.parts.length > 0)
    told.push({ header: "", content: before.parts.join("\n"), tag: root.localName });
  for (const { head, parts } of rest) {
    const section: Section = { header: textOf(head).trim(), content: parts.join("\n"), tag: head.localName };
    const expanded =
      head.localName === "summary" ? (head.parentElement as HTMLDetailsElement | null)?.open : attribute(head);
    if (expanded !== undefined) section.expanded = expanded;
    told.push(section);
  }
  return told;
}

function attribute(head: Element): boolean | undefined {
  const value = head.getAttribute("aria-expanded");
  return value === null ? undefined : value === "true";
}
