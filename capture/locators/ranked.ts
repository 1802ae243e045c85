import type { Locator } from "@gasoline/schema/wire";
import { cssPath, stable } from "./css.ts";
import { fold, nameOf, roleOf, textHead } from "./name.ts";

type Root = Document | ShadowRoot;

/** Attributes that teams put on elements for their tests. */
const testAttributes = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];
/** Looking for equally named elements stops here; more of them make no locator better. */
const maxCompared = 300;
/** A text longer than this changes too easily to find an element by. */
const maxText = 60;

/** What a kind costs when it is unique. The gaps say how readily it survives a change of the page. */
const score = { testid: 1, role: 10, label: 20, placeholder: 30, text: 40, id: 50, css: 100 };
/** What each further match costs. */
const ambiguous = 200;

/**
 * locatorsOf lists the ways to find an element again, best first (lowest score): test id, role and name, label,
 * placeholder, text, id, CSS path. Values are selectors that the locator grammar takes, without the kind in front.
 * `matches` counts within the element's own document or shadow root; the CSS path also crosses shadow roots.
 */
export function locatorsOf(element: Element): Locator[] {
  const at = element.getRootNode();
  const root: Root = at instanceof ShadowRoot || at instanceof Document ? at : element.ownerDocument;
  const found: Locator[] = [];
  const add = (kind: keyof typeof score, value: string, matches: number): void => {
    if (value === "" || matches === 0) return;
    found.push({ kind, value, matches, score: score[kind] + (matches - 1) * ambiguous });
  };
  byTestId(element, root, add);
  byRole(element, root, add);
  byLabel(element, root, add);
  const placeholder = element.getAttribute("placeholder") ?? "";
  if (placeholder) add("placeholder", placeholder, count(root, `[placeholder=${CSS.escape(placeholder)}]`));
  byText(element, root, add);
  if (element.id && stable(element.id)) add("id", element.id, count(root, "#" + CSS.escape(element.id)));
  add("css", cssPath(element), 1);
  return found.sort((a, b) => a.score - b.score);
}

type Add = (kind: keyof typeof score, value: string, matches: number) => void;

function byTestId(element: Element, root: Root, add: Add): void {
  for (const attribute of testAttributes) {
    const value = element.getAttribute(attribute);
    if (!value) continue;
    const matches = count(root, `[${attribute}="${CSS.escape(value)}"]`);
    // The usual attribute needs no name; the others say which one they are.
    add("testid", attribute === "data-testid" ? value : `${attribute}=${value}`, matches);
    return;
  }
}

function byRole(element: Element, root: Root, add: Add): void {
  const role = roleOf(element);
  if (!role) return;
  const name = nameOf(element);
  if (!name) return;
  let matches = 0;
  let compared = 0;
  for (const other of sameRole(element, root, role)) {
    if (other === element || (compared++ < maxCompared && roleOf(other) === role && nameOf(other) === name)) matches++;
  }
  add("role", `${role}[name=${JSON.stringify(name)}]`, Math.max(1, matches));
}

function sameRole(element: Element, root: Root, role: string): Iterable<Element> {
  // Other tags can imply the same role, but computing roles of a whole page costs more than it tells.
  const alike: Record<string, string> = {
    button: "button,summary,input[type=button],input[type=submit],input[type=reset],input[type=image]",
    link: "a[href],area[href]",
    textbox: "input,textarea",
    heading: "h1,h2,h3,h4,h5,h6",
  };
  return root.querySelectorAll(`[role=${CSS.escape(role)}],${alike[role] ?? CSS.escape(element.localName)}`);
}

function byLabel(element: Element, root: Root, add: Add): void {
  const labels = (element as HTMLInputElement).labels;
  const label = labels?.length
    ? fold(labels[0]?.textContent ?? "", maxText)
    : fold(element.getAttribute("aria-label") ?? "", maxText);
  if (!label) return;
  let matches = 0;
  for (const other of root.querySelectorAll("label")) if (fold(other.textContent ?? "", maxText) === label) matches++;
  for (const other of root.querySelectorAll("[aria-label]"))
    if (fold(other.getAttribute("aria-label") ?? "", maxText) === label) matches++;
  add("label", label, Math.max(1, matches));
}

function byText(element: Element, root: Root, add: Add): void {
  // textContent of a form field is its default value, of a container everything below it.
  if (element.childElementCount > 3 || element.matches("input,select,textarea,html,body")) return;
  const raw = textHead(element, maxText * 4);
  const text = fold(raw, maxText + 1);
  if (!text || text.length > maxText) return;
  let matches = 0;
  let compared = 0;
  for (const other of root.querySelectorAll(CSS.escape(element.localName))) {
    if (other === element || (compared++ < maxCompared && fold(textHead(other, maxText * 4), maxText + 1) === text))
      matches++;
  }
  add("text", text, matches);
}

function count(root: Root, selector: string): number {
  return root.querySelectorAll(selector).length;
}
