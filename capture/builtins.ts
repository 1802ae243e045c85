import {
  apply,
  bare,
  construct,
  defineProperty,
  descriptor,
  type Fn,
  getPrototypeOf,
  hasOwn,
  NativeProxy,
  ownKeys,
  prototypeOf,
  weakGet,
  weakSet,
} from "./natives.ts";

/** A property as it is to be, or as the page had it. */
interface Property {
  owner: object;
  key: PropertyKey;
  /** undefined: there is none. */
  is: PropertyDescriptor | undefined;
  next: Property | undefined;
}

const realm = globalThis as unknown as Record<string, object>;
const { deleteProperty } = Reflect;
const locked = new Error("the page has locked what it replaced");

/** Of these the document half and its library use the methods; of the others they only read the global. */
const classes = "Object Array String Number RegExp Function Map Set WeakMap WeakSet Math JSON";
const others = "Date URL performance getComputedStyle";
/** These take callbacks. */
const callers =
  "setTimeout queueMicrotask requestAnimationFrame requestIdleCallback addEventListener removeEventListener MutationObserver";
const observer = "PerformanceObserver";

let entered: ((work: () => unknown) => unknown) | undefined;
const entering = new WeakMap<object, Fn>();

/** What a caller is given instead of a callback: it calls the callback among the builtins. */
function enter(callback: Fn): Fn {
  const made = function (this: unknown, ...args: unknown[]): unknown {
    const call = (): unknown => apply(callback, this, args);
    try {
      return entered ? entered(call) : call();
    } catch {
      return undefined; // the page's onerror is not the place for it
    }
  };
  const known = weakGet(entering, callback) as Fn | undefined;
  if (!known) weakSet(entering, callback, made);
  return known ?? made;
}

/** A caller that enters. */
function wrapped(key: string): object {
  const swap = (args: unknown[]): unknown[] => {
    for (let i = 0; i < args.length; i++) if (typeof args[i] === "function") args[i] = enter(args[i] as Fn);
    return args;
  };
  return new NativeProxy(
    realm[key] as Fn,
    {
      __proto__: null,
      apply: (native: Fn, _: unknown, args: unknown[]): unknown => apply(native, globalThis, swap(args)),
      construct: (native: Fn, args: unknown[]): unknown => construct(native, swap(args)),
    } as ProxyHandler<Fn>,
  );
}

// Around the natives, and not around what the page half puts there: what the library does is nothing that the page does.
let library: Property | undefined;
for (const key of `${callers} ${observer}`.split(" ")) {
  if (!realm[key]) continue; // not every browser has all
  const is = bare({ value: wrapped(key), writable: true, enumerable: true, configurable: true });
  library = { owner: globalThis, key, is, next: library };
}

// The library makes an observer while it is loaded, which is after this file. The first Builtins gives the class back.
const Observer = realm[observer] as object;
realm[observer] = wrapped(observer);

/**
 * Builtins lets code that calls methods by their names (array.map, for-of, new Map) run in the page's own realm: what the page
 * has replaced since document_start is put back before such code works, and is the page's again when it has. No line of the page
 * runs in between. Covered are the language's arrays, strings, numbers, maps, sets, regular expressions, functions and
 * iterators, the globals that lead to them, and accessors that the page put on the prototypes of objects and arrays;
 * not the DOM's own classes.
 *
 * To be made once, at document_start, after startPageRealm. What the page replaced and locked cannot be put back: then run
 * throws, and nothing has run.
 */
export class Builtins {
  #saved: Property | undefined;
  #changed: Property | undefined;
  readonly #known = bare<Record<PropertyKey, true>>({});
  #inside = false;

  constructor() {
    realm[observer] = Observer;
    entered = (work) => this.runWith(work);
    const values: (object | null | undefined)[] = [
      [].values(),
      new Map().keys(),
      new Set().keys(),
      ""[Symbol.iterator](),
      "".matchAll(/^/g),
      (function* () {})(),
    ];
    const owners = values.map((value) => getPrototypeOf(value as object));
    owners.push(getPrototypeOf(owners[0] as object), getPrototypeOf(owners[5] as object));
    for (const key of classes.split(" ")) owners.push(realm[key] as object, prototypeOf(key) ?? null);
    for (const owner of owners) if (owner) for (const key of ownKeys(owner)) this.#save(owner, key);
    for (const key of `${classes} ${others} ${callers} ${observer}`.split(" ")) this.#save(globalThis, key);
    this.#save(Date, "now");
    for (const key of ownKeys(Object.prototype)) this.#known[key] = true;
  }

  /** run does work among the saved builtins. Work inside of work is only called. */
  run<T>(work: () => T): T {
    if (this.#inside) return work();
    this.#inside = true;
    try {
      // First what could pose as a member of the descriptors below, then what an assignment to an index would call.
      this.#clear(Object.prototype);
      this.#clear(Array.prototype);
      for (let at = this.#saved; at; at = at.next) {
        const now = descriptor(at.owner, at.key);
        const same = now && (hasOwn(now, "value") ? now.value === at.is?.value : now.get === at.is?.get);
        if (!same) this.#change(at, now);
      }
      return work();
    } finally {
      for (let at = this.#changed; at; at = at.next) put(at);
      this.#changed = undefined;
      this.#inside = false;
    }
  }

  /** runWith is run for code that gives callbacks to the browser by itself: they run the same way. */
  runWith<T>(work: () => T): T {
    return this.run(() => {
      for (let at = library; at; at = at.next) this.#change(at, descriptor(at.owner, at.key));
      return work();
    });
  }

  #save(owner: object, key: PropertyKey): void {
    const is = descriptor(owner, key);
    if (is) this.#saved = { owner, key, is: bare(is), next: this.#saved };
  }

  /** Takes accessors away that were not there at the start. */
  #clear(owner: object): void {
    const keys = ownKeys(owner);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as PropertyKey;
      if (owner === Object.prototype && this.#known[key]) continue;
      const now = descriptor(owner, key);
      if (now && hasOwn(now, "get")) this.#change({ owner, key, is: undefined, next: undefined }, now);
    }
  }

  #change(to: Property, now: PropertyDescriptor | undefined): void {
    if (!put(to)) throw locked;
    this.#changed = { owner: to.owner, key: to.key, is: now && bare(now), next: this.#changed };
  }
}

const put = ({ owner, key, is }: Property): boolean =>
  is ? defineProperty(owner, key, is) : deleteProperty(owner, key);
