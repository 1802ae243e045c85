import { secretName } from "../names.ts";
import { mask } from "../redact.ts";
import { fold } from "../locators/name.ts";

const maxValue = 500;

/** autocomplete tokens of fields whose value is nobody's business. */
const secretTokens: Record<string, string> = {
  "current-password": "password",
  "new-password": "password",
  "one-time-code": "otp",
  "cc-number": "card_number",
  "cc-csc": "cvc",
  "cc-exp": "card_expiry",
  "cc-exp-month": "card_expiry",
  "cc-exp-year": "card_expiry",
};

/** Secrets shorter than this are not looked for in other texts: "1" is everywhere. */
const minSought = 3;

type Root = Document | ShadowRoot;

/** Every field that was seen as a password's: the eye icon of a form changes the type, not what the field holds. */
const passwords = new WeakSet<Element>();

/**
 * secretField says which kind of secret a form field holds, by its type now or at any time it was seen, its
 * autocomplete, name or id; "" for none.
 */
export function secretField(field: Element): string {
  if (isPassword(field.getAttribute("type"))) passwords.add(field);
  if (passwords.has(field)) return "password";
  for (const token of (field.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/)) {
    // On a list to choose from it only keeps the browser from filling it in.
    if (token === "new-password" && field.getAttribute("role") === "combobox") continue;
    const kind = secretTokens[token];
    if (kind) return kind;
  }
  for (const attribute of ["name", "id"]) {
    const kind = secretName(field.getAttribute(attribute) ?? "");
    if (kind) return kind;
  }
  return "";
}

/**
 * fieldValue is what a field holds, as it may be recorded: masked when secret, ≤ 500 characters. What was typed stays as it is,
 * so that it can be typed again; a longer text is cut, ends with "…" and is one line.
 */
export function fieldValue(field: Element, salt: string): string {
  const value = rawValue(field);
  const kind = secretField(field);
  if (kind) return value === "" ? "" : mask(kind, value, salt);
  return "value" in field && value.length <= maxValue ? value : fold(value, maxValue);
}

const isPassword = (type: string | null): boolean => type?.toLowerCase() === "password";

/**
 * secretsIn looks for the values of secret fields in a text that tells about an element: the name of a control spells out
 * the text fields in its label. It looks at the fields of the element's document or shadow root, now, and returns what
 * replaces those values in this text and in parts of it.
 */
export function secretsIn(
  text: string,
  element: Element,
  hide: (kind: string, value: string) => string,
): (part: string) => string {
  const root = element.getRootNode();
  const found: [value: string, hidden: string][] = [];
  if (text.length >= minSought && (root instanceof Document || root instanceof ShadowRoot)) {
    // One tag at a time: for a list of them the browser takes several times as long, and the page's handlers wait.
    for (const tag of ["input", "textarea"] as const) {
      for (const field of root.querySelectorAll(tag)) {
        const { value: whole } = field;
        if (whole.length < minSought || whole.length > maxValue) continue;
        const value = fold(whole, maxValue);
        const kind = text.includes(value) ? secretField(field) : "";
        if (kind && value) found.push([value, hide(kind, whole)]);
      }
    }
    // A secret can be a part of another one.
    found.sort(([a], [b]) => b.length - a.length);
  }
  return (part) => found.reduce((clean, [value, hidden]) => clean.replaceAll(value, () => hidden), part);
}

/** PasswordWatch remembers fields whose type changes, before or after somebody touched them. */
export class PasswordWatch {
  readonly #observer = new MutationObserver((records) => this.#take(records));

  /** observe watches a document, or a shadow root, which no observer of its document sees into. Again does no harm. */
  observe(root: Root): void {
    this.#observer.observe(root, { subtree: true, attributeFilter: ["type"], attributeOldValue: true });
  }

  /** look catches up with changes in this turn, and remembers the target of an event before the page can change it. */
  look(target: Element | undefined): void {
    this.#take(this.#observer.takeRecords());
    if (!target) return;
    secretField(target);
    const root = target.getRootNode();
    if (root instanceof ShadowRoot) this.observe(root);
  }

  stop(): void {
    this.#observer.disconnect();
  }

  #take(records: MutationRecord[]): void {
    for (const { target, oldValue } of records) {
      if (isPassword(oldValue)) passwords.add(target as Element);
      else secretField(target as Element);
    }
  }
}

function rawValue(field: Element): string {
  if (field instanceof HTMLInputElement && field.type === "file") {
    return [...(field.files ?? [])].map((file) => `${file.name} (${file.size} bytes)`).join(", ");
  }
  if (field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio"))
    return field.checked ? "checked" : "unchecked";
  if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map((option) => option.label).join(", ");
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field.textContent ?? "";
}
