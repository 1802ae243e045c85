import { cssPath } from "@gasoline/capture/locators/css";
import { ariaOf, roleGiven } from "@gasoline/capture/locators/lent";
import { fold, roleTold } from "@gasoline/capture/locators/name";
import type { Element as ElementRecord } from "@gasoline/schema/commands";
import type { Candidate } from "@gasoline/schema/wire";
import { isControlOff, isOff } from "./control.ts";
import { identityOf, shownName, shownText } from "./identity.ts";
import { Pass } from "./pass.ts";
import type { RefBook } from "./refs.ts";
import { MASK, isSecret } from "./secret.ts";
import { isInside, nearest, parentOf } from "./shadow.ts";
import { boxOf, isVisible, rounded } from "./visible.ts";

const LANDMARK_TAGS: ReadonlySet<string> = new Set([
  "main",
  "nav",
  "header",
  "footer",
  "aside",
  "form",
  "section",
  "dialog",
  "article",
]);
const LANDMARK_ROLES = /^(main|navigation|banner|contentinfo|complementary|form|search|region|dialog|alertdialog)$/;

/** Says what an element is, as agents see it. index is set by who makes a list. */
export function describe(element: Element, refs: RefBook, frame: string): ElementRecord {
  const record = inList(element, refs, frame, new Pass(), isVisible(element));
  const selector = cssPath(element);
  return selector ? { ...record, selector } : record;
}

/** The same for one of many: without a selector, which takes a search. The ref is enough. */
export function inList(element: Element, refs: RefBook, frame: string, pass: Pass, visible: boolean): ElementRecord {
  const role = roleTold(element);
  const name = shownName(element, pass);
  const record: ElementRecord = {
    index: 0,
    ref: refs.refOf(element, identityOf(element, role, name)),
    tag: element.localName,
    element_type: kindOf(element, role),
    label: labelOf(element, pass),
    bbox: rounded(boxOf(element)),
    visible,
    ...controlOf(element),
  };
  if (role) record.role = role;
  if (frame) record.frame = frame;
  const expanded = ariaOf(element, "expanded");
  if (expanded !== null) record.expanded = expanded === "true";
  if (isDisabled(element, pass)) record.disabled = true;
  if (pass.upwards("overlay", element, isOverlay, false)) record.in_overlay = true;
  const landmark = landmarkOf(element, pass);
  if (landmark) {
    record.landmark_tag = landmark.localName;
    const landmarkRole = roleTold(landmark);
    if (landmarkRole) record.landmark_role = landmarkRole;
  }
  return record;
}

/** An element that might have been meant, without a selector: that would take a search for each. */
export function candidate(element: Element, refs: RefBook): Candidate {
  const role = roleTold(element);
  const name = shownName(element);
  return {
    ref: refs.refOf(element, identityOf(element, role, name)),
    visible: isVisible(element),
    ...(role ? { role } : {}),
    ...(name ? { name: fold(name, 80) } : {}),
  };
}

/**
 * Elements of which one might have been meant. What is called as another one is called is told with where it stands: in
 * which row, or other part of the page that holds none of the others, and in which dialog. What has no name has a selector.
 */
export function candidates(elements: readonly Element[], refs: RefBook): Candidate[] {
  const all = elements.map((at) => candidate(at, refs));
  const isAlike = (a: Candidate, b: Candidate): boolean => a !== b && a.role === b.role && a.name === b.name;
  return all.map((at, i) => {
    if (!all.some((other) => isAlike(at, other))) return at;
    const element = elements[i] as Element;
    const inside = whereOf(element, elements);
    const selector = at.name ? null : cssPath(element);
    return { ...at, ...(inside ? { in: inside } : {}), ...(selector ? { selector } : {}) };
  });
}

const DIALOGS = "dialog[open], [role=dialog], [role=alertdialog]";

/** Where an element stands that the others do not: row "17 Ada", dialog "Delete?". */
function whereOf(element: Element, others: readonly Element[]): string {
  const hasOther = (at: Element): boolean => others.some((other) => other !== element && isInside(other, at));
  let part = element;
  for (let at = parentOf(element); at && !hasOther(at); at = parentOf(at)) part = at;
  const dialog = nearest(element, DIALOGS);
  const parts = new Set([part === element ? null : part, dialog].filter((at) => at !== null));
  return [...parts]
    .map((at) => `${roleTold(at) || at.localName} "${fold(shownName(at), 60) || shownText(at, 60)}"`)
    .join(", ");
}

/** A control in a line of an answer: button "Save". */
export function short(element: Element): string {
  const role = roleTold(element);
  const words = fold(shownName(element) || shownText(element, 40), 40);
  return `${role || kindOf(element, "")}${words ? ` "${words}"` : ""}`;
}

/** The same with its ref: button "Save" e17. */
export const inShort = (element: Element, refs: RefBook): string => `${short(element)} ${refs.refOf(element)}`;

/** An element in a few words, for sentences. */
export function inWords(element: Element): string {
  const name = fold(shownName(element), 40) || shownText(element, 40);
  const id = element.id ? `#${element.id}` : "";
  const classes = element.classList.length > 0 ? `.${[...element.classList].slice(0, 2).join(".")}` : "";
  return `<${element.localName}${id}${id ? "" : classes}>${name ? ` "${name}"` : ""}`;
}

/** Says whether an element, or the control that it is a part of, cannot be operated. */
export const isDisabled = (element: Element, pass = new Pass()): boolean =>
  isControlOff(element) || pass.upwards("disabled", element, isOff, false);

/** What an element is called: its name, or else its text. */
export const labelOf = (element: Element, pass: Pass): string =>
  shownName(element, pass) || shownText(element, 80) || element.getAttribute("title") || "";

/** What a control holds, as it may be told. */
export function controlOf(element: Element): Pick<ElementRecord, "type" | "placeholder" | "checked" | "value"> {
  const told: ReturnType<typeof controlOf> = {};
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    told.type = element.type;
    if (element.placeholder) told.placeholder = element.placeholder;
    if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) {
      told.checked = element.checked;
    } else if (element.value !== "") {
      told.value = isSecret(element) ? MASK : fold(element.value, 200);
    }
  } else if (element instanceof HTMLSelectElement) {
    told.value = fold(element.selectedOptions[0]?.label ?? "", 200);
  } else if (element instanceof HTMLButtonElement) {
    told.type = element.type;
  }
  const checked = ariaOf(element, "checked");
  if (checked !== null && told.checked === undefined) told.checked = checked === "true";
  return told;
}

/** The element_type of an element. */
export function kindOf(element: Element, role: string): string {
  switch (role) {
    case "link":
    case "button":
    case "tab":
      return role;
    case "menuitem":
    case "menuitemcheckbox":
    case "menuitemradio":
      return "menuitem";
    case "checkbox":
    case "radio":
    case "switch":
      return "checkbox";
  }
  switch (element.localName) {
    case "a":
      return "link";
    case "button":
    case "input":
    case "select":
    case "textarea":
      return element.localName;
  }
  if (element instanceof HTMLElement && element.isContentEditable) return "textarea";
  return element.hasAttribute("onclick") || element.hasAttribute("tabindex") ? "interactive" : "clickable";
}

function isOverlay(at: Element): true | undefined {
  if (at.matches("dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true], :popover-open")) return true;
  const { position, zIndex } = getComputedStyle(at);
  return (position === "fixed" && Number(zIndex) >= 10) || undefined;
}

const isLandmark = (at: Element): Element | undefined =>
  LANDMARK_TAGS.has(at.localName) || LANDMARK_ROLES.test(roleGiven(at) ?? "") ? at : undefined;

function landmarkOf(element: Element, pass: Pass): Element | null {
  const around = parentOf(element);
  return around && pass.upwards<Element | null>("landmark", around, isLandmark, null);
}
