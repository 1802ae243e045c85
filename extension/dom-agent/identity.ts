import { fold, roleTold } from "@gasoline/capture/locators/name";
import type { Identity } from "../messages/agent.ts";
import { Pass } from "./pass.ts";
import { isSecret } from "./secret.ts";

/** The accessible name of an element, as it may be told. */
export const shownName = (element: Element, pass = new Pass()): string =>
  pass.secrets.clean(pass.names.of(element), element);

/** The beginning of an element's text on one line, as it may be told. */
export const shownText = (element: Element, max: number): string =>
  isSecret(element) ? "" : fold(spacedText(element, max * 5), max);

/** Elements that begin and end within a word. */
const IN_WORDS =
  /^(abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|time|tspan|u|var|wbr)$/;

/** Elements whose text nobody sees. */
const UNSEEN = /^(script|style|template|noscript)$/;

/** About max characters of an element's text, without elements that are passed. What other elements hold is apart. */
export function spacedText(element: Element, max: number, passed?: (element: Element) => boolean): string {
  let text = "";
  const apart = (node: Node): void => {
    if (node instanceof Element && !IN_WORDS.test(node.localName)) text += " ";
  };
  let at: Node | null = element.firstChild;
  for (let steps = 0; at && text.length < max && steps < max; steps++) {
    apart(at);
    if (at instanceof Text) text += at.data;
    if (at.firstChild && !(at instanceof Element && (UNSEEN.test(at.localName) || passed?.(at)))) {
      at = at.firstChild;
      continue;
    }
    while (at && at !== element && !at.nextSibling) {
      at = at.parentNode;
      if (at) apart(at);
    }
    at = at === element ? null : (at?.nextSibling ?? null);
  }
  return text.slice(0, max);
}

/** What an element is now. Never its value: a field stays what it is while somebody types. */
export function identityOf(element: Element, role = roleTold(element), name = shownName(element)): Identity {
  return { role: kindOf(element, role), name: name || (hasText(element, role) ? shownText(element, 80) : "") };
}

/** Says whether an element is what was known. */
export function is(element: Element, known: Identity, pass?: Pass): boolean {
  const role = roleTold(element);
  return (
    kindOf(element, role) === known.role && identityOf(element, role, shownName(element, pass)).name === known.name
  );
}

/** A password has no role until it is shown; that makes it no other field. */
const kindOf = (element: Element, role: string): string => (isSecret(element) ? "textbox" : role || element.localName);

const hasText = (element: Element, role: string): boolean =>
  role === "" &&
  !element.matches("input, textarea, select") &&
  !(element instanceof HTMLElement && element.isContentEditable);
