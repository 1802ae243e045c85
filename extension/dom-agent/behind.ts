import { elementAt, everywhere, isInside, nearest } from "./shadow.ts";
import { isVisible } from "./visible.ts";

/**
 * Of elements those that can be reached: not inert, and not behind a modal dialog, which makes all around it so. All where
 * none can.
 */
export function reachable(elements: readonly Element[]): readonly Element[] {
  if (elements.length < 2) return elements;
  const modal = topModal();
  // Libraries hide what is behind a dialog of their own from screen readers.
  const off = everywhere("[aria-modal=true]", document).some(isVisible) ? "[inert], [aria-hidden=true]" : "[inert]";
  const reached = elements.filter((at) => !nearest(at, off) && (!modal || isInside(at, modal)));
  return reached.length > 0 ? reached : elements;
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
