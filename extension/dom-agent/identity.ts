import { fold, roleOf, textHead } from "@gasoline/capture/locators/name";
import type { Identity } from "../messages/agent.ts";
import { Pass } from "./pass.ts";
import { isSecret } from "./secret.ts";

/** The accessible name of an element, as it may be told. */
export const shownName = (element: Element, pass = new Pass()): string =>
  pass.secrets.clean(pass.names.of(element), element);

/** The beginning of an element's text on one line, as it may be told. */
export const shownText = (element: Element, max: number): string =>
  isSecret(element) ? "" : fold(textHead(element, max * 5), max);

/** What an element is now. Never its value: a field stays what it is while somebody types. */
export function identityOf(element: Element, role = roleOf(element), name = shownName(element)): Identity {
  return { role: kindOf(element, role), name: name || (hasText(element, role) ? shownText(element, 80) : "") };
}

/** Says whether an element is what was known. */
export function is(element: Element, known: Identity, pass?: Pass): boolean {
  const role = roleOf(element);
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
