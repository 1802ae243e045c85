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

/** secretField says which kind of secret a form field holds, by its type, autocomplete, name or id; "" for none. */
export function secretField(field: Element): string {
  const type = (field.getAttribute("type") ?? "").toLowerCase();
  if (type === "password") return "password";
  for (const token of (field.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/)) {
    const kind = secretTokens[token];
    if (kind) return kind;
  }
  for (const attribute of ["name", "id"]) {
    const kind = secretName(field.getAttribute(attribute) ?? "");
    if (kind) return kind;
  }
  return "";
}

/** fieldValue is what a field holds, as it may be recorded: masked when secret, one line, ≤ 500 characters. */
export function fieldValue(field: Element, salt: string): string {
  const value = rawValue(field);
  const kind = secretField(field);
  // A field that shows a password once it was one (the eye icon) is still called password.
  if (kind) return value === "" ? "" : mask(kind, value, salt);
  return fold(value, maxValue);
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
