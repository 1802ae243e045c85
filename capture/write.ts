import { isArray, keys, mapClear, mapGet, mapSet, NativeMap, quote } from "./natives.ts";

/** Json is text that is JSON already; write puts it in as it is. */
export class Json {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const deepest = 64;

const maxName = 64;
const maxCached = 2000;
const members = new NativeMap<string, string>();
let cached = 0;

/** member is how the name of a member begins it, `"name":`. The same names come again and again: 2,000 of ≤ 64 characters are kept. */
export function member(name: string): string {
  const before = mapGet(members, name) as string | undefined;
  if (before !== undefined) return before;
  const text = quote(name) + ":";
  if (name.length > maxName) return text;
  if (++cached > maxCached) {
    mapClear(members);
    cached = 1;
  }
  mapSet(members, name, text);
  return text;
}

/** Room is how many characters may still be written, about; absent means no end. */
export interface Room {
  left: number;
}

/**
 * write makes JSON of a value that we built ourselves: literals, arrays, primitives and Json. It is our own because
 * JSON.stringify, even a saved one, calls whatever toJSON the page put on Object.prototype. Members that are undefined
 * are left out, numbers that JSON cannot say become null, what lies deeper than 64 levels becomes null. When the room is
 * used up, what follows is left out.
 */
export function write(value: unknown, room?: Room, depth = 0): string {
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
  return isArray(value) ? writeArray(value, room, depth) : writeObject(value as Record<string, unknown>, room, depth);
}

function writeArray(items: readonly unknown[], room: Room | undefined, depth: number): string {
  let text = "[";
  for (let i = 0; i < items.length && fits(room); i++)
    text += taken((i === 0 ? "" : ",") + write(items[i], room, depth + 1), room, items[i]);
  return text + "]";
}

function writeObject(object: Record<string, unknown>, room: Room | undefined, depth: number): string {
  const names = keys(object);
  let text = "{";
  for (let i = 0; i < names.length && fits(room); i++) {
    const name = names[i] as string;
    const value = object[name];
    if (value !== undefined)
      text += taken((text === "{" ? "" : ",") + member(name) + write(value, room, depth + 1), room, value);
  }
  return text + "}";
}

/**
 * rewrite is write for what JSON.parse made, by the native, which takes a tenth of the time. What is nested deeper than 64
 * levels is left to write, which cuts it, and so is all where somebody put a toJSON on the prototypes.
 */
export function rewrite(value: object): string {
  return "toJSON" in arrayProto || !shallow(value, 0) ? write(value) : stringify(value);
}

const arrayProto = Array.prototype;
const stringify = JSON.stringify as (value: object) => string;

function shallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > deepest) return false;
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!shallow(value[i], depth + 1)) return false;
    return true;
  }
  const names = keys(value);
  for (let i = 0; i < names.length; i++)
    if (!shallow((value as Record<string, unknown>)[names[i]!], depth + 1)) return false;
  return true;
}

const fits = (room: Room | undefined): boolean => room === undefined || room.left > 0;

/** What nested values wrote is off the room already. */
function taken(text: string, room: Room | undefined, value: unknown): string {
  if (room) room.left -= typeof value === "object" ? 2 : text.length;
  return text;
}
