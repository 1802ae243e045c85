import { secretField, secretsIn } from "@gasoline/capture/sources/fields";

/** What stands in for the value of a secret field. */
export const MASK = "••••••";

/** Says whether the value of a field is nobody's business: passwords, shown or not, codes, card data. */
export function isSecret(element: Element): boolean {
  return (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) && secretField(element) !== "";
}

/** A text that tells about an element, without the secrets that fields around it hold. */
export const clean = (text: string, element: Element): string => secretsIn(text, element, () => MASK)(text);
