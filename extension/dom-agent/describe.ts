import { cssPath } from "@gasoline/capture/locators/css";
import { fold, roleOf } from "@gasoline/capture/locators/name";
import type { Element as ElementRecord } from "@gasoline/schema/commands";
import type { Candidate } from "@gasoline/schema/wire";
import { identityOf, shownName, shownText } from "./identity.ts";
import type { RefBook } from "./refs.ts";
import { MASK, isSecret } from "./secret.ts";
import { parentOf } from "./shadow.ts";
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
  const role = roleOf(element);
  const name = shownName(element);
  const record: ElementRecord = {
    index: 0,
    ref: refs.refOf(element, identityOf(element, role, name)),
    tag: element.localName,
    element_type: kindOf(element, role),
    selector: cssPath(element),
    label: name || shownText(element, 80) || element.getAttribute("title") || "",
    bbox: rounded(boxOf(element)),
    visible: isVisible(element),
  };
  if (role) record.role = role;
  if (frame) record.frame = frame;
  describeControl(element, record);
  const expanded = element.getAttribute("aria-expanded");
  if (expanded !== null) record.expanded = expanded === "true";
  if (isDisabled(element)) record.disabled = true;
  if (inOverlay(element)) record.in_overlay = true;
  const landmark = landmarkOf(element);
  if (landmark) {
    record.landmark_tag = landmark.localName;
    const landmarkRole = roleOf(landmark);
    if (landmarkRole) record.landmark_role = landmarkRole;
  }
  return record;
}

/** An element that might have been meant. */
export function candidate(element: Element, refs: RefBook): Candidate {
  const role = roleOf(element);
  const name = shownName(element);
  return {
    ref: refs.refOf(element, identityOf(element, role, name)),
    visible: isVisible(element),
    selector: cssPath(element),
    ...(role ? { role } : {}),
    ...(name ? { name: fold(name, 80) } : {}),
  };
}

/** An element in a few words, for sentences. */
export function inWords(element: Element): string {
  const name = fold(shownName(element), 40) || shownText(element, 40);
  const id = element.id ? `#${element.id}` : "";
  const classes = element.classList.length > 0 ? `.${[...element.classList].slice(0, 2).join(".")}` : "";
  return `<${element.localName}${id}${id ? "" : classes}>${name ? ` "${name}"` : ""}`;
}

/** Says whether a control cannot be operated. */
export function isDisabled(element: Element): boolean {
  if (element.matches(":disabled")) return true;
  for (let at: Element | null = element; at; at = parentOf(at)) {
    if (at.getAttribute("aria-disabled") === "true" || at.hasAttribute("inert")) return true;
  }
  return false;
}

function describeControl(element: Element, record: ElementRecord): void {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    record.type = element.type;
    if (element.placeholder) record.placeholder = element.placeholder;
    if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) {
      record.checked = element.checked;
    } else if (element.value !== "") {
      record.value = isSecret(element) ? MASK : fold(element.value, 200);
    }
  } else if (element instanceof HTMLSelectElement) {
    record.value = fold(element.selectedOptions[0]?.label ?? "", 200);
  } else if (element instanceof HTMLButtonElement) {
    record.type = element.type;
  }
  const checked = element.getAttribute("aria-checked");
  if (checked !== null && record.checked === undefined) record.checked = checked === "true";
}

function kindOf(element: Element, role: string): string {
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

function inOverlay(element: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    if (at.matches("dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true], :popover-open")) return true;
    const { position, zIndex } = getComputedStyle(at);
    if (position === "fixed" && Number(zIndex) >= 10) return true;
  }
  return false;
}

function landmarkOf(element: Element): Element | null {
  for (let at = parentOf(element); at; at = parentOf(at)) {
    if (LANDMARK_TAGS.has(at.localName) || LANDMARK_ROLES.test(at.getAttribute("role") ?? "")) return at;
  }
  return null;
}
