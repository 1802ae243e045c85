import { type Internals, lender } from "./lender.ts";

let closed: ((host: Element) => ShadowRoot | null) | undefined;

/** lendShadow gives them who opens closed shadow roots. */
export const lendShadow = (given: (host: Element) => ShadowRoot | null): void => void (closed = given);

/** Tags of components that may have internals. */
export const componentTags = (): readonly string[] => lender()?.tags() ?? [];

function internalsOf(element: Element): Internals | undefined {
  const tags = lender()?.tags();
  // Few pages have any, and each element is asked.
  return tags && tags.length > 0 && tags.includes(element.localName) ? lender()?.internals(element) : undefined;
}

/** ariaOf is what an element says by its attribute aria-…, or else by its internals; null for nothing. */
export const ariaOf = (element: Element, name: string): string | null =>
  element.getAttribute(`aria-${name}`) ?? internalsOf(element)?.told[name] ?? null;

/** The role that an element gives itself: by its attribute, or else by its internals. */
export const roleGiven = (element: Element): string | null =>
  element.getAttribute("role") ?? internalsOf(element)?.told["role"] ?? null;

const NONE: readonly Element[] = [];

/** The elements that a component says name it. */
export const labelsGiven = (element: Element): readonly Element[] => internalsOf(element)?.labels ?? NONE;

/** hasInternals says whether a component has set something on its internals. */
export const hasInternals = (element: Element): boolean => internalsOf(element) !== undefined;

/** The shadow root that stands in the place of an element's children. */
export const rootShown = (element: Element): ShadowRoot | null =>
  element.shadowRoot ?? (closed && element.localName.includes("-") ? closed(element) : null);
