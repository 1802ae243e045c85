import { readFileSync } from "node:fs";
import Module from "node:module";
import { apply } from "../natives.ts";
import type { Runtime } from "../runtime.ts";

/** Patch changes what a module exports, in place. */
export type Patch = (exported: unknown) => void;

interface Loading {
  exports: unknown;
}

/**
 * watchModules applies patches to files of packages when the program loads them, by require or import. They are named
 * by package and path, as in "pg/lib/client.js". Programs that were bundled into one file load none of them.
 */
export function watchModules(runtime: Runtime, patches: ReadonlyMap<string, Patch>): void {
  const prototype = (Module as unknown as { prototype: { load(this: Loading, filename: string): void } }).prototype;
  const { load } = prototype;
  const files = new Set([...patches.keys()].map((name) => name.slice(name.indexOf("/"))));
  prototype.load = function (filename) {
    apply(load, this, [filename]);
    const at = filename.lastIndexOf("node_modules");
    if (at < 0) return;
    const inside = filename.slice(at + 13).replaceAll("\\", "/");
    runtime.guard(() => (patches.get(inside) ?? aliased(filename, inside))?.(this.exports));
  };

  /** A package may be installed under another name than its own. */
  function aliased(filename: string, inside: string): Patch | undefined {
    const end = inside.indexOf("/", inside[0] === "@" ? inside.indexOf("/") + 1 : 0);
    const file = inside.slice(end);
    if (end < 0 || !files.has(file)) return undefined;
    const manifest = readFileSync(`${filename.slice(0, -file.length)}/package.json`, "utf8");
    return patches.get((JSON.parse(manifest) as { name: string }).name + file);
  }
}

/** wrap puts a function around a method. What it makes gets the native method, and has to call it. */
export function wrap<T extends object>(
  of: T,
  name: string,
  around: (native: (this: unknown, ...args: unknown[]) => unknown) => (this: unknown, ...args: unknown[]) => unknown,
): void {
  const native = (of as Record<string, unknown>)[name];
  if (typeof native !== "function") return;
  const ours = around(native as (this: unknown, ...args: unknown[]) => unknown);
  Object.defineProperty(ours, "name", { value: native.name });
  Object.defineProperty(ours, "length", { value: native.length });
  const descriptor = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, {
    configurable: true,
    writable: true,
    enumerable: descriptor?.enumerable ?? true,
    value: ours,
  });
}
