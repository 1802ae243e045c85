import { ariaOf, hasInternals } from "@gasoline/capture/locators/lent";
import { roleOf } from "@gasoline/capture/locators/role";
import { hostOf, isInside, nearest, parentOf } from "./shadow.ts";
import { isTransparent, isVisible } from "./visible.ts";

const PRESSED_ROLES = "button, link, checkbox, radio, switch, tab, menuitem, menuitemcheckbox, menuitemradio, option";
const OTHER_ROLES = "combobox, listbox, slider, spinbutton, textbox, searchbox, treeitem";

/** CSS for elements of some ARIA roles, given as a list with commas. */
export const roles = (names: string): string => names.replace(/[\w-]+/g, "[role=$&]");

/** What is pressed as a whole, wherever in it a pointer comes. */
const PRESSED = `button, a[href], area[href], summary, label, ${roles(PRESSED_ROLES)}`;

/** What takes a press for itself, and so from what it is in. */
const CONTROLS = `${PRESSED}, input, select, textarea, option, iframe, embed, object, audio[controls], video[controls], [contenteditable]:not([contenteditable=false]), ${roles(OTHER_ROLES)}`;

const COMPONENT_ROLES: ReadonlySet<string> = new Set(`${PRESSED_ROLES}, ${OTHER_ROLES}`.split(", "));

const isControl = (at: Element): boolean =>
  at.matches(CONTROLS) || (hasInternals(at) && COMPONENT_ROLES.has(roleOf(at)));

/** The control that an element is, or is a part of. */
export const controlAround = (element: Element): Element | null => nearest(element, CONTROLS);

/** Whether what comes to a hit is pressed by the same control as what comes to an element. */
export function isSamePress(hit: Element, element: Element): boolean {
  const control = controlAround(element);
  return control !== null && control !== element && control.matches(PRESSED) && controlAround(hit) === control;
}

/** What is pressed as a whole, and may have controls of its own in it. */
const WHOLES = `${PRESSED}, input, [role=treeitem], [onclick]:not([role]), [tabindex="0"]:not([role])`;

/**
 * What takes a press at a hit for itself before it comes to an element that is pressed as a whole: a link in a label, a
 * button on a card. What nobody sees there is a part of how the element is made.
 */
export function takerOf(hit: Element, element: Element): Element | null {
  if (!element.matches(WHOLES)) return null;
  for (let at: Element | null = hit; at && !isInside(element, at); at = parentOf(at)) {
    if (isLabelOf(at, element) || isLabelOf(element, at)) return null;
    if (isControl(at) && !isTransparent(at)) return at;
  }
  return null;
}

const isLabelOf = (label: Element, control: Element): boolean =>
  label instanceof HTMLLabelElement && label.control === control;

/** What is hidden for all but screen readers keeps a box of so many pixels. */
const HIDDEN_PX = 1;

/** Whether a pointer can come to an element: it has a box, and that is not beside the page. */
export function hasBox(element: Element): boolean {
  const { width, height, right, bottom } = element.getBoundingClientRect();
  const isBeside = right + scrollX <= 0 || bottom + scrollY <= 0;
  return isVisible(element) && width > HIDDEN_PX && height > HIDDEN_PX && !isBeside;
}

/** Whether an element is a checkbox or radio button. */
export const isBox = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type);

/** Whether an element is a checkbox or radio button that keys come to and no pointer does: the page shows another one for it. */
export const isUnseen = (element: Element): boolean =>
  isBox(element) && !hasBox(element) && element.checkVisibility({ visibilityProperty: true });

/** What can be switched off with all that is in it. */
const WHOLE = ":is(button, select):disabled, [aria-disabled=true], [inert]";

/** Whether an element says that it, and so what is in it, cannot be operated. */
export const isOff = (at: Element): true | undefined =>
  at.matches(WHOLE) || ariaOf(at, "disabled") === "true" || undefined;

/** Whether the control that an element is a part of is switched off, or a component that it is made for. */
export function isControlOff(element: Element): boolean {
  let at: Element | null = element;
  while (at && !at.matches(CONTROLS) && !isComponentOff(at)) at = parentOf(at);
  // A component in its own label is no control that stands above: what it is in is not asked again.
  if (at instanceof HTMLLabelElement) {
    at = at.control;
    if (at && isOff(at)) return true;
  }
  for (; at; at = hostOf(at)) if (at.matches(":disabled") || isComponentOff(at)) return true;
  return false;
}

const isComponentOff = (at: Element): boolean =>
  at.localName.includes("-") && at.matches(":disabled, [disabled]:not([disabled=false])");
