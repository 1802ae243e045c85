import { inspect } from "node:util";
import { withoutOurs } from "./frames.ts";
import type { Attributes, Value } from "./record.ts";

/** Bounds of what is kept of one record, in characters. */
export const MAX_BODY = 16 << 10;
const MAX_TEXT = 4 << 10;
const MAX_ATTRIBUTES = 64;

/** clip cuts a text and says how long it was. */
export function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}

/** word returns a text or a number as text, and anything else as what stands for it. */
export const word = (value: unknown, otherwise: string): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : otherwise;

/** valueOf makes an attribute's value of anything: what is no scalar becomes JSON text. It never throws. */
export function valueOf(value: unknown): Value {
  switch (typeof value) {
    case "string":
      return clip(value, MAX_TEXT);
    case "number":
    case "boolean":
      return value;
    case "bigint":
      return value.toString();
    case "undefined":
    case "function":
    case "symbol":
      return String(value).slice(0, 256);
    case "object":
      break;
  }
  if (value === null) return "null";
  try {
    if (value instanceof Error) return clip(`${value.name}: ${value.message}`, MAX_TEXT);
    return clip(json(value, 0), MAX_TEXT);
  } catch {
    return "[unreadable]";
  }
}

/** json writes an object within bounds: depth 4, 64 members of each, no getters, circles cut by depth. */
function json(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(clip(value, 1024));
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `"${value}"`;
  if (typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "bigint" || typeof value === "symbol") return JSON.stringify(value.toString().slice(0, 256));
  if (typeof value !== "object") return JSON.stringify(typeof value);
  if (value instanceof Date)
    return JSON.stringify(Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString());
  if (value instanceof Error) return JSON.stringify(`${value.name}: ${value.message}`);
  if (Array.isArray(value)) {
    if (depth > 3) return '"[…]"';
    const items = value.slice(0, 64).map((item: unknown) => json(item, depth + 1));
    if (value.length > 64) items.push('"…"');
    return `[${items.join(",")}]`;
  }
  if (ArrayBuffer.isView(value)) return JSON.stringify(`[${value.byteLength} bytes]`);
  if (depth > 3) return '"{…}"';
  const members: string[] = [];
  for (const key of Object.keys(value)) {
    if (members.length >= 64) {
      members.push('"…":true');
      break;
    }
    const member = Object.getOwnPropertyDescriptor(value, key);
    if (!member || !("value" in member) || member.value === undefined) continue;
    members.push(`${JSON.stringify(key)}:${json(member.value, depth + 1)}`);
  }
  return `{${members.join(",")}}`;
}

/** attributesOf makes attributes of an object's members, but for those named. Getters are not called. */
export function attributesOf(object: object, without: ReadonlySet<string>, out: Attributes = {}): Attributes {
  let left = MAX_ATTRIBUTES;
  for (const key of Object.keys(object)) {
    if (without.has(key)) continue;
    if (left-- === 0) break;
    const member = Object.getOwnPropertyDescriptor(object, key);
    if (!member || !("value" in member) || member.value === undefined) continue;
    const value: unknown = member.value;
    if (value instanceof Error) Object.assign(out, exceptionOf(value));
    else out[key] = valueOf(value);
  }
  return out;
}

/** exceptionOf describes what was thrown by OpenTelemetry's names. It never throws. */
export function exceptionOf(error: unknown): Attributes {
  try {
    if (error instanceof Error || (typeof error === "object" && error !== null && "stack" in error)) {
      withoutOurs(error);
      const { name, message, stack, code, cause, errors } = error as AggregateError & { code?: unknown };
      const out: Attributes = {
        "exception.type": clip(String(error.constructor?.name ?? name ?? "Error"), 256),
        "exception.message": clip(String(message), MAX_TEXT),
        "exception.stacktrace": clip(stackWith(String(stack ?? ""), cause, errors), MAX_BODY),
      };
      if (typeof code === "string" || typeof code === "number") out["error.code"] = code;
      return out;
    }
    return { "exception.type": typeof error, "exception.message": clip(inspect(error, { depth: 1 }), MAX_TEXT) };
  } catch {
    return { "exception.type": "Error", "exception.message": "[unreadable]" };
  }
}

/** stackWith appends what caused an error, and what an AggregateError holds. */
function stackWith(stack: string, cause: unknown, errors: unknown): string {
  const causes: unknown[] = [];
  for (let next = cause; causes.length < 5 && next instanceof Error; next = next.cause) causes.push(next);
  return causes
    .concat(errors)
    .slice(0, 16)
    .reduce<string>(
      (out, error) => (error instanceof Error ? `${out}\nCaused by: ${error.stack ?? error}` : out),
      stack,
    );
}
