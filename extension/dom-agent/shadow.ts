import { deepQuery } from "@gasoline/capture/locators/deep";

/** The shadow root of a host, closed ones included: content scripts may ask Chrome for them. */
export function shadowOf(host: Element): ShadowRoot | null {
  // Only HTML elements can be hosts, and Chrome throws for others.
  return host instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(host) : null;
}

/** Where a search starts. */
export type Scope = Document | ShadowRoot | Element;

/** Finds by CSS with ">>>" for steps into shadow roots. Throws SyntaxError for invalid selectors. */
export const query = (selector: string, scope: Scope): Element[] => deepQuery(selector, scope, shadowOf);

/** Every element below a scope, shadow roots included, in document order. At most max. */
export function everyElement(scope: Scope, max = 50_000): Element[] {
  const found: Element[] = [];
  const walk = (root: Scope): void => {
    for (const element of root.querySelectorAll("*")) {
      if (found.length >= max) return;
      found.push(element);
      const shadow = shadowOf(element);
      if (shadow) walk(shadow);
    }
  };
  walk(scope);
  return found;
}

/** The parent in the tree as it is shown: out of a shadow root to its host. */
export function parentOf(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot;
  if (element.parentElement) return element.parentElement;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Says whether an element is another one or inside of it, through shadow roots. */
export function isInside(element: Element, outer: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) if (at === outer) return true;
  return false;
}

/** The element with the focus, in the innermost shadow root. */
export function focused(): Element | null {
  let at = document.activeElement;
  while (at) {
    const inner = shadowOf(at)?.activeElement;
    if (!inner) return at;
    at = inner;
  }
  return at;
}

/** The topmost element at a point of the viewport, in the innermost shadow root. */
export function elementAt(x: number, y: number): Element | null {
  let at = document.elementFromPoint(x, y);
  for (let depth = 0; at && depth < 50; depth++) {
    const inner: Element | null = shadowOf(at)?.elementFromPoint(x, y) ?? null;
    if (!inner || inner === at) return at;
    at = inner;
  }
  return at;
}
