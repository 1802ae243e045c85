import { secretField } from "@gasoline/capture/sources/fields";
import { fold } from "@gasoline/capture/locators/name";

/** What stands in for the value of a secret field. */
export const MASK = "••••••";

/** Values of other lengths are not looked for in texts: "1" is everywhere. */
const MIN_SOUGHT = 3;
const MAX_SOUGHT = 500;

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Says whether the value of a field is nobody's business: passwords, shown or not, codes, card data. */
export function isSecret(element: Element): boolean {
  return (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) && secretField(element) !== "";
}

/** Secrets cleans many texts of one pass: the fields of each document or shadow root are read once. */
export class Secrets {
  readonly #roots = new Map<Node, Map<string, [value: string, field: Field][]>>(); // fields by how their values begin

  /** A text that tells about an element, without the secrets that fields around it hold. */
  clean(text: string, element: Element): string {
    const fields = this.#fieldsOf(element.getRootNode());
    if (fields.size === 0) return text;
    let cleaned = text;
    for (let i = 0; i + MIN_SOUGHT <= text.length; i++) {
      for (const [value, field] of fields.get(text.slice(i, i + MIN_SOUGHT)) ?? [])
        if (text.startsWith(value, i) && isSecret(field)) cleaned = cleaned.replaceAll(value, () => MASK);
    }
    return cleaned;
  }

  #fieldsOf(root: Node): Map<string, [string, Field][]> {
    let fields = this.#roots.get(root);
    if (fields) return fields;
    this.#roots.set(root, (fields = new Map()));
    if (!(root instanceof Document || root instanceof ShadowRoot)) return fields;
    for (const field of root.querySelectorAll<Field>("input,textarea")) {
      const { length } = field.value;
      if (length < MIN_SOUGHT || length > MAX_SOUGHT) continue;
      const value = fold(field.value, MAX_SOUGHT);
      if (value.length < MIN_SOUGHT) continue;
      const alike = fields.get(value.slice(0, MIN_SOUGHT));
      if (alike) alike.push([value, field]);
      else fields.set(value.slice(0, MIN_SOUGHT), [[value, field]]);
    }
    return fields;
  }
}
