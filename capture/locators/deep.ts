/** OpenShadow gives the shadow root of a host. The extension passes one that also opens closed roots. */
export type OpenShadow = (host: Element) => ShadowRoot | null;

const openOnly: OpenShadow = (host) => host.shadowRoot;

/** Where a query starts. */
export type Scope = Document | ShadowRoot | Element | DocumentFragment;

/**
 * deepQuery finds elements in document order. ">>>" between two CSS selectors steps into the shadow roots of what the
 * first one found: `my-app >>> button.save`. A leading ">>>" searches the scope and every shadow root below it. An
 * invalid selector throws SyntaxError, as querySelectorAll does.
 */
export function deepQuery(selector: string, scope: Scope = document, open: OpenShadow = openOnly): Element[] {
  const steps = selector.split(">>>").map((step) => step.trim());
  let found: Element[];
  if (steps[0] === "" && steps.length > 1) {
    steps.shift();
    found = everywhere(steps[0] as string, scope, open);
  } else {
    found = [...scope.querySelectorAll(steps[0] as string)];
  }
  for (const step of steps.slice(1)) {
    const next = new Set<Element>();
    for (const host of found) {
      const root = open(host);
      if (root) for (const element of root.querySelectorAll(step)) next.add(element);
    }
    found = [...next];
  }
  return found;
}

function everywhere(selector: string, scope: Scope, open: OpenShadow): Element[] {
  const found = [...scope.querySelectorAll(selector)];
  for (const host of scope.querySelectorAll("*")) {
    const root = open(host);
    if (root) found.push(...everywhere(selector, root, open));
  }
  return found;
}
