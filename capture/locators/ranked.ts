import type { Locator } from "@gasoline/schema/wire";
import { cssPath, stable } from "./css.ts";
import { fold, nameOf, roleOf, textHead } from "./name.ts";

type Root = Document | ShadowRoot;

/** Attributes that teams put on elements for their tests. */
const testAttributes = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];
/** Looking for equally named elements stops here; more of them make no locator better. */
const maxCompared = 300;
/** Names that are not an element's text alone take long to compute: at most so many are compared. */
const maxNamed = 40;
/** A text longer than this changes too easily to find an element by. */
const maxText = 60;

/** What a kind costs when it is unique. The gaps say how readily it survives a change of the page. */
const score = { testid: 1, role: 10, label: 20, placeholder: 30, text: 40, id: 50, css: 100 };
/** What each further match costs. */
const ambiguous = 200;

/** Sketch is what an element is found by, read at one moment: a page may change or remove the element right after. */
export interface Sketch {
  element: Element;
  root: Root;
  role: string;
  name: string;
  /** attribute and value, "" without one */
  testid: readonly [attribute: string, value: string];
  label: string;
  placeholder: string;
  text: string;
  id: string;
}

/** sketchOf reads an element and nothing around it. */
export function sketchOf(element: Element): Sketch {
  const at = element.getRootNode();
  const role = roleOf(element);
  const attribute = testAttributes.find((name) => element.getAttribute(name)) ?? "";
  return {
    element,
    root: at instanceof ShadowRoot || at instanceof Document ? at : element.ownerDocument,
    role,
    name: nameOf(element),
    testid: [attribute, element.getAttribute(attribute || "data-testid") ?? ""],
    label: labelOf(element),
    placeholder: element.getAttribute("placeholder") ?? "",
    text: shortText(element),
    id: element.id && stable(element.id) ? element.id : "",
  };
}

/**
 * locate lists the ways to find an element again, best first (lowest score): test id, role and name, label, placeholder,
 * text, id, CSS path. Values are selectors that the locator grammar takes, without the kind in front. `matches` counts
 * within the element's own document or shadow root; the CSS path also crosses shadow roots, and is left out for an
 * element that has been removed. It searches the root, within bounds of work: the main thread belongs to the page.
 */
export function locate(sketch: Sketch): Locator[] {
  const { element, root } = sketch;
  const found: Locator[] = [];
  const add = (kind: keyof typeof score, value: string, others: number): void => {
    found.push({ kind, value, matches: others + 1, score: score[kind] + others * ambiguous });
  };
  const others = (selector: string, alike?: (other: Element) => boolean): number => {
    let matches = 0;
    let compared = 0;
    for (const other of root.querySelectorAll(selector)) {
      if (other === element) continue;
      if (!alike) matches++;
      else if (compared++ >= maxCompared) break;
      else if (alike(other)) matches++;
    }
    return matches;
  };
  const { role, name, label, placeholder, text, id } = sketch;
  const [attribute, value] = sketch.testid;
  let named = 0;
  const isNamed = (other: Element): boolean =>
    hasTextAlone(other) ? fold(textHead(other, 400), 200) === name : named++ < maxNamed && nameOf(other) === name;
  // The usual attribute needs no name; the others say which one they are.
  if (value)
    add(
      "testid",
      attribute === "data-testid" ? value : `${attribute}=${value}`,
      others(`[${attribute}="${CSS.escape(value)}"]`),
    );
  if (role && name)
    add(
      "role",
      `${role}[name=${JSON.stringify(name)}]`,
      others(ofRole(role, element), (other) => isNamed(other) && roleOf(other) === role),
    );
  if (label)
    add(
      "label",
      label,
      others("label,[aria-label]", (other) => isLabelled(other, label, element)),
    );
  if (placeholder) add("placeholder", placeholder, others(`[placeholder=${CSS.escape(placeholder)}]`));
  if (text)
    add(
      "text",
      text,
      others(CSS.escape(element.localName), (other) => shortText(other) === text),
    );
  if (id) add("id", id, others("#" + CSS.escape(id)));
  if (element.isConnected || found.length === 0) add("css", cssPath(element), 0);
  return found.sort((a, b) => a.score - b.score);
}

function ofRole(role: string, element: Element): string {
  // Other tags can imply the same role, but computing roles of a whole page costs more than it tells.
  const alike: Record<string, string> = {
    button: "button,summary,input[type=button],input[type=submit],input[type=reset],input[type=image]",
    link: "a[href],area[href]",
    textbox: "input,textarea",
    heading: "h1,h2,h3,h4,h5,h6",
  };
  return `[role=${CSS.escape(role)}],${alike[role] ?? CSS.escape(element.localName)}`;
}

/** hasTextAlone reports whether an element's accessible name is its text, which is told at once. */
function hasTextAlone(element: Element): boolean {
  return (
    element.childElementCount === 0 &&
    !element.matches("input,select,textarea,[aria-label],[aria-labelledby],[title],[alt]") &&
    !element.closest("label")
  );
}

function labelOf(element: Element): string {
  const labels = (element as HTMLInputElement).labels;
  return fold(labels?.length ? (labels[0]?.textContent ?? "") : (element.getAttribute("aria-label") ?? ""), maxText);
}

/** isLabelled reports whether a label, or an element with one in its attribute, says this of another element. */
function isLabelled(other: Element, label: string, of: Element): boolean {
  if (!(other instanceof HTMLLabelElement)) return fold(other.getAttribute("aria-label") ?? "", maxText) === label;
  return other.control !== of && fold(other.textContent ?? "", maxText) === label;
}

/** shortText is the text of an element by which it may be found, "" where that is none or too long. */
function shortText(element: Element): string {
  // textContent of a form field is its default value, of a container everything below it.
  if (element.childElementCount > 3 || element.matches("input,select,textarea,html,body")) return "";
  const text = fold(textHead(element, maxText * 4), maxText + 1);
  return text.length > maxText ? "" : text;
}
