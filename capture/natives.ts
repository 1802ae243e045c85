/*
 * What the page's realm gave us at document_start. Pages replace globals and prototypes later (zone.js, core-js,
 * mocks, attackers), so everything the page-side code calls afterwards is taken from here and never looked up again.
 * For the same reason that code uses no for-of, no array spread and no array methods: they read the page's prototypes.
 */

// The one place where the type system cannot help: natives are taken apart by name.
// oxlint-disable-next-line typescript/no-explicit-any
export type Fn = (...args: any[]) => any;

const realm = globalThis as unknown as Record<string, unknown>;

export const { apply, construct, get, getPrototypeOf, defineProperty, ownKeys } = Reflect;
export const descriptor = Reflect.getOwnPropertyDescriptor;
export const { keys, create } = Object;
export const isArray = Array.isArray;
export const NativeProxy = Proxy;
export const NativePromise = Promise;
export const NativeMap = Map;
export const NativeWeakMap = WeakMap;
export const NativeURL = URL;
export const now = performance.now.bind(performance);
export const epoch = Date.now;
export const random = Math.random;

const bind = Function.prototype.bind;
const call = Function.prototype.call;

/** uncurry turns a method into a function of its receiver that no later change to a prototype can reach. */
export function uncurry<A extends unknown[], R>(method: (...args: A) => R): (self: unknown, ...args: A) => R {
  return apply(bind, call, [method]) as (self: unknown, ...args: A) => R;
}

/** prototypeOf gives the prototype of a global class, or undefined where the realm has no such class. */
export function prototypeOf(name: string): object | undefined {
  return (realm[name] as { prototype?: object } | undefined)?.prototype;
}

/** getter saves the accessor of a class. Reading where the class is missing gives undefined; a wrong receiver throws. */
export function getter<T>(className: string, name: string): (self: unknown) => T {
  const proto = prototypeOf(className);
  const get = proto && descriptor(proto, name)?.get;
  return get ? (uncurry(get) as (self: unknown) => T) : () => undefined as T;
}

/** method saves a method of a class; where it is missing, calling it gives undefined. */
export function method<A extends unknown[], R>(className: string, name: string): (self: unknown, ...args: A) => R {
  const proto = prototypeOf(className);
  const value = proto && (descriptor(proto, name)?.value as ((...args: A) => R) | undefined);
  return value ? uncurry(value) : () => undefined as R;
}

// JSON.stringify never consults toJSON for a string primitive, whatever the page put on the prototypes.
const stringify = JSON.stringify as (text: string) => string;
/** quote makes a JSON string; lone surrogates come out escaped. */
export const quote = (text: string): string => stringify(text);
/** parse is JSON.parse. Its results inherit from the page's Object.prototype; only read own properties. */
export const parse = JSON.parse as (text: string) => unknown;

export const hasOwn = uncurry(Object.prototype.hasOwnProperty);
export const slice = uncurry(String.prototype.slice);
export const charCode = uncurry(String.prototype.charCodeAt);
export const lower = uncurry(String.prototype.toLowerCase);
export const upper = uncurry(String.prototype.toUpperCase);
export const indexOf = uncurry(String.prototype.indexOf as (s: string, from?: number) => number);
export const lastIndexOf = uncurry(String.prototype.lastIndexOf as (s: string, from?: number) => number);
export const startsWith = uncurry(String.prototype.startsWith as (s: string, at?: number) => boolean);
export const trim = uncurry(String.prototype.trim);
export const radix = uncurry(Number.prototype.toString as (base?: number) => string);

export const mapGet = uncurry(Map.prototype.get as (key: unknown) => unknown);
export const mapSet = uncurry(Map.prototype.set as (key: unknown, value: unknown) => unknown);
export const mapDelete = uncurry(Map.prototype.delete as (key: unknown) => boolean);
export const mapClear = uncurry(Map.prototype.clear);
export const weakGet = uncurry(WeakMap.prototype.get as (key: object) => unknown);
export const weakSet = uncurry(WeakMap.prototype.set as (key: object, value: unknown) => unknown);
export const settled = uncurry(
  Promise.prototype.then as (ok: (value: never) => unknown, err: (reason: unknown) => unknown) => unknown,
);

export const listen = method<[string, Fn, (boolean | AddEventListenerOptions)?], void>(
  "EventTarget",
  "addEventListener",
);
export const unlisten = method<[string, Fn, (boolean | EventListenerOptions)?], void>(
  "EventTarget",
  "removeEventListener",
);
export const dispatch = method<[Event], boolean>("EventTarget", "dispatchEvent");
export const stopImmediate = method<[], void>("Event", "stopImmediatePropagation");

/** later is setTimeout; sooner-or-later code must not depend on the page's fake timers. */
export const later = setTimeout.bind(globalThis) as (fn: () => void, ms: number) => number;
export const cancelLater = clearTimeout.bind(globalThis) as (id: number) => void;

const utf8 = typeof TextEncoder === "function" ? new TextEncoder() : undefined;
const encode = method<[string], Uint8Array>("TextEncoder", "encode");
const typedArray = getPrototypeOf(Uint8Array.prototype) as object;
const typedLength = uncurry(descriptor(typedArray, "byteLength")!.get as () => number);

const maxCounted = 1 << 20;

/** byteLength counts the UTF-8 bytes of a text. Of more than 1,048,576 characters it says -1: counting would take the page's time. */
export function byteLength(text: string): number {
  if (text.length > maxCounted) return -1;
  return utf8 ? typedLength(encode(utf8, text)) : text.length;
}

/** viewLength is the byteLength of any typed array. */
export const viewLength = typedLength;

/** prefix is the shape of everything that gives a text at most max characters long, never half a surrogate pair. */
export function prefix(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = charCode(text, max - 1);
  return slice(text, 0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/** peek reads a data property, own or inherited, without running any getter of the page. */
export function peek(object: object, key: string): unknown {
  let at: object | null = object;
  for (let up = 0; at !== null && up < 8; up++) {
    const found: PropertyDescriptor | undefined = descriptor(at, key);
    if (found) return hasOwn(found, "value") ? found.value : undefined;
    at = getPrototypeOf(at);
  }
  return undefined;
}

/** bare gives the literal a null prototype, so that nothing on Object.prototype can pose as one of its members. */
export function bare<T extends object>(own: T): T {
  return { __proto__: null, ...own } as T;
}

const arrayProto = Array.prototype;
const objectProto = Object.prototype;

/**
 * append adds an item to an array of ours, past any index setter on Array.prototype. Where no prototype knows the index, which
 * is nearly always, an assignment does it: defining takes thirty times as long.
 */
export function append<T>(items: T[], item: T): void {
  const at = items.length;
  // The chain is looked at first: a proxy in it would be asked.
  if (getPrototypeOf(arrayProto) === objectProto && !(at in arrayProto)) {
    items[at] = item;
    return;
  }
  defineProperty(items, at, {
    __proto__: null,
    value: item,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}
