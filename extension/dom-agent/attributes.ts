import { MASK, isSecret } from "./secret.ts";

/** An attribute's value; null where the element has none. What a secret field began with is masked. */
export function attributeOf(element: Element, name: string): string | null {
  const value = element.getAttribute(name);
  return value && name.toLowerCase() === "value" && isSecret(element) ? MASK : value;
}
