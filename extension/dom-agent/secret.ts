import { secretName } from "@gasoline/capture/names";

/** What stands in for the value of a secret field. */
export const MASK = "••••••";

/** Says whether the value of a field is nobody's business: passwords, codes, card data. */
export function isSecret(element: Element): boolean {
  if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) return false;
  if (element.type === "password") return true;
  if (/\b(current-password|new-password|one-time-code|cc-(number|csc|exp\S*))\b/i.test(element.autocomplete)) return true;
  return secretName(element.name) !== "" || secretName(element.id) !== "";
}
