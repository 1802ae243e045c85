import { descriptor, hasOwn, prefix } from "./natives.ts";

/** functionName reads a function's own name if it is plain data. */
export function functionName(fn: object): string {
  const own = descriptor(fn, "name");
  const name = own && hasOwn(own, "value") ? (own.value as unknown) : undefined;
  return typeof name === "string" ? prefix(name, 100) : "";
}

/** className is the name of the class that a prototype belongs to, read without getters. */
export function className(proto: object | null): string {
  const made = proto && descriptor(proto, "constructor");
  const maker = made && hasOwn(made, "value") ? (made.value as unknown) : undefined;
  return typeof maker === "function" ? functionName(maker) : "";
}
