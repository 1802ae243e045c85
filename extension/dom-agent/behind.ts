import { roleTold } from "@gasoline/capture/locators/name";
import { labelOf } from "./describe.ts";
import { Pass } from "./pass.ts";
import { elementAt, everywhere, hostOf, isInside, nearest } from "./shadow.ts";
import { isVisible } from "./visible.ts";

/**
 * Of elements those that can be reached: not inert, and not behind a modal dialog, which makes all around it so. All where
 * none can. Of a component and the control in it one is left.
 */
export function reachable(elements: readonly Element[]): readonly Element[] {
  if (elements.length < 2) return elements;
  const modal = topModal();
  // Libraries hide what is behind a dialog of their own from screen readers.
  const off = everywhere("[aria-modal=true]", document).some(isVisible) ? "[inert], [aria-hidden=true]" : "[inert]";
  const reached = elements.filter((at) => !nearest(at, off) && (!modal || isInside(at, modal)));
  return [...withoutHosts(new Set(reached.length > 0 ? reached : elements))];
}

/**
 * Leaves out components in whose shadow roots another one of the elements is the same control: it is called alike, and has
 * no other role.
 */
export function withoutHosts(elements: Set<Element>, pass = new Pass()): Set<Element> {
  for (const at of elements)
    for (let host = hostOf(at); host; host = hostOf(host))
      if (
        elements.has(host) &&
        new Set(["", roleTold(at), roleTold(host)]).size < 3 &&
        labelOf(at, pass) === labelOf(host, pass) &&
        labelOf(at, pass)
      )
        elements.delete(host);
  return elements;
}

/** The modal dialog that keeps the page from users. Of several it is the one that pointers come to: the others are inert. */
function topModal(): Element | undefined {
  const modals = everywhere("dialog:modal", document);
  if (modals.length < 2) return modals[0];
  const met = modals.filter((at) => {
    const { x, y, width, height } = at.getBoundingClientRect();
    const hit = elementAt(x + width / 2, y + height / 2);
    return hit && isInside(hit, at);
  });
  return met.at(-1) ?? modals.at(-1);
}
