import { nearest, parentOf } from "./shadow.ts";

const roles = (names: string): string => names.replace(/[\w-]+/g, "[role=$&]");

/** What is pressed as a whole, wherever in it a pointer comes. */
const PRESSED = `button, a[href], area[href], summary, label, ${roles("button, link, checkbox, radio, switch, tab, menuitem, menuitemcheckbox, menuitemradio, option")}`;

/** What takes a press for itself, and so from what it is in. */
const CONTROLS = `${PRESSED}, input, select, textarea, option, iframe, embed, object, audio[controls], video[controls], [contenteditable]:not([contenteditable=false]), ${roles("combobox, listbox, slider, spinbutton, textbox, searchbox, treeitem")}`;

/** The control that an element is, or is a part of. */
export const controlAround = (element: Element): Element | null => nearest(element, CONTROLS);

/** Whether what comes to a hit is pressed by the same control as what comes to an element. */
export function isSamePress(hit: Element, element: Element): boolean {
  const control = controlAround(element);
  return control !== null && control !== element && control.matches(PRESSED) && controlAround(hit) === control;
}

/** What can be switched off with all that is in it. */
const WHOLE = ":is(button, select):disabled, [aria-disabled=true], [inert]";

/** Whether an element says that it, and so what is in it, cannot be operated. */
export const isOff = (at: Element): true | undefined => at.matches(WHOLE) || undefined;

/** Whether the control that an element is a part of is switched off, or a component that it is made for. */
export function isControlOff(element: Element): boolean {
  let at: Element | null = element;
  while (at && !at.matches(CONTROLS) && !isComponentOff(at)) at = parentOf(at);
  if (at instanceof HTMLLabelElement) return at.control !== null && (isOff(at.control) ?? isControlOff(at.control));
  for (; at; at = hostOf(at)) if (at.matches(":disabled") || isComponentOff(at)) return true;
  return false;
}

const isComponentOff = (at: Element): boolean =>
  at.localName.includes("-") && at.matches(":disabled, [disabled]:not([disabled=false])");

function hostOf(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}
