import { descriptor, hasOwn, prefix } from "./natives.ts";

/** functionName reads a function's own name if it is plain data. */
export function functionName(fn: object): string {
  const name = own(fn, "name");
  return typeof name === "string" ? prefix(name, 100) : "";
}

/** className is the name of the class that a prototype belongs to, read without getters. */
export function className(proto: object | null): string {
  const maker = proto && own(proto, "constructor");
  return typeof maker === "function" ? functionName(maker) : "";
}

function own(object: object, name: string): unknown {
  try {
    const found = descriptor(object, name);
    return found && hasOwn(found, "value") ? found.value : undefined;
  } catch {
    return undefined; // a proxy's trap threw
  }
}
