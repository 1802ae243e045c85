import { isArray, keys, quote } from "./natives.ts";

/** Json is text that is JSON already; write puts it in as it is. */
export class Json {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const deepest = 64;

/**
 * write makes JSON of a value that we built ourselves: literals, arrays, primitives and Json. It is our own because
 * JSON.stringify, even a saved one, calls whatever toJSON the page put on Object.prototype. Members that are undefined
 * are left out, numbers that JSON cannot say become null, what lies deeper than 64 levels becomes null.
 */
export function write(value: unknown, depth = 0): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return value - value === 0 ? "" + value : "null";
    case "boolean":
      return value ? "true" : "false";
    case "object":
      break;
    default:
      return "null";
  }
  if (value === null || depth > deepest) return "null";
  if (value instanceof Json) return value.text;
  return isArray(value) ? writeArray(value, depth) : writeObject(value as Record<string, unknown>, depth);
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = "[";
  for (let i = 0; i < items.length; i++) text += (i === 0 ? "" : ",") + write(items[i], depth + 1);
  return text + "]";
}

function writeObject(object: Record<string, unknown>, depth: number): string {
  const names = keys(object);
  let text = "{";
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const value = object[name];
    if (value !== undefined) text += (text === "{" ? "" : ",") + quote(name) + ":" + write(value, depth + 1);
  }
  return text + "}";
}
