import {
  apply,
  bare,
  construct,
  defineProperty,
  descriptor,
  hasOwn,
  NativeProxy,
  NativeWeakMap,
  weakGet,
  weakSet,
  type Fn,
} from "./natives.ts";

/** Stop undoes something that was started. Calling it twice does no harm. */
export type Stop = () => void;

/**
 * Around stands in for a call: it must run target exactly once, with the same receiver and arguments, and hand its
 * result or its exception on. `top` is our frame on the stack, for cutting traces below it.
 */
export type Around = (target: Fn, self: unknown, args: unknown[], top: Fn) => unknown;

/** Made sees an instance after the native constructor made it. It must not throw. */
export type Made = (instance: object, args: unknown[], top: Fn) => void;

const nothing: Stop = () => {};

/**
 * proxyMethod puts a Proxy in front of owner[name]. A Proxy, because name, length, statics and what instanceof sees stay
 * the native's without any work. Where the property is missing or locked nothing happens.
 */
export function proxyMethod(owner: object, name: string, around: Around): Stop {
  let live = true;
  return replace(owner, name, (target) => {
    const trap = (_: Fn, self: unknown, args: unknown[]): unknown =>
      live ? around(target, self, args, trap) : apply(target, self, args);
    return {
      // Without the null prototype a page could set Object.prototype.get and so become a trap of this proxy.
      traps: { __proto__: null, apply: trap } as ProxyHandler<Fn>,
      off: () => (live = false),
    };
  });
}

/**
 * proxyConstructor puts a Proxy in front of a class, and makes the prototype's constructor point to it. before may put
 * another argument in the place of one; it must not throw.
 */
export function proxyConstructor(owner: object, name: string, made: Made, before?: (args: unknown[]) => void): Stop {
  let live = true;
  return replace(owner, name, (target) => {
    let proxy: Fn | undefined;
    const trap = (_: Fn, args: unknown[], newTarget: Fn): object => {
      // A subclass keeps its own newTarget; a plain `new` must look to the native as if it had been called itself.
      if (live) before?.(args);
      const instance = construct(target, args, newTarget === proxy ? target : newTarget) as object;
      if (live) made(instance, args, trap);
      return instance;
    };
    return {
      traps: { __proto__: null, construct: trap } as ProxyHandler<Fn>,
      ready: (made) => {
        proxy = made;
        pointBack(target, made);
      },
      off: () => {
        live = false;
        pointBack(target, target);
      },
    };
  });
}

/** proxySetter puts a Proxy in front of what sets owner[name]. */
export function proxySetter(owner: object, name: string, around: Around): Stop {
  let live = true;
  return replace(
    owner,
    name,
    (target) => {
      const trap = (_: Fn, self: unknown, args: unknown[]): unknown =>
        live ? around(target, self, args, trap) : apply(target, self, args);
      return { traps: { __proto__: null, apply: trap } as ProxyHandler<Fn>, off: () => (live = false) };
    },
    "set",
  );
}

/** Our proxies → what they stand for. */
const behind = new NativeWeakMap<object, Fn>();

/**
 * disguise makes Function.prototype.toString print our proxies as what they stand for. By itself it prints a proxy
 * without its name, "function () { [native code] }", and pages that look for patches compare the whole text. It stays
 * when capture ends: the page may hold our proxies.
 */
export function disguise(): Stop {
  replace(Function.prototype, "toString", (target) => {
    const trap = (_: Fn, self: unknown, args: unknown[]): unknown => {
      const real = typeof self === "function" ? weakGet(behind, self) : undefined;
      return apply(target, real ?? self, args);
    };
    return { traps: { __proto__: null, apply: trap } as ProxyHandler<Fn>, off: nothing };
  });
  return nothing;
}

interface Wrapping {
  traps: ProxyHandler<Fn>;
  ready?: (proxy: Fn) => void;
  off: () => void;
}

function replace(owner: object, name: string, wrap: (target: Fn) => Wrapping, slot: "value" | "set" = "value"): Stop {
  const was = descriptor(owner, name);
  const target = was && hasOwn(was, slot) ? (was[slot] as unknown) : undefined;
  if (!was || typeof target !== "function" || (!was.configurable && !was.writable)) return nothing;
  const wrapping = wrap(target as Fn);
  const proxy = new NativeProxy(target as Fn, wrapping.traps);
  weakSet(behind, proxy, target);
  put(owner, name, was, proxy);
  wrapping.ready?.(proxy);
  return () => {
    wrapping.off();
    const is = descriptor(owner, name);
    // Somebody who wrapped us calls through us: taking ourselves out would take them out.
    if (is && hasOwn(is, slot) && is[slot] === proxy) put(owner, name, was, target);
  };
}

function pointBack(target: Fn, value: Fn): void {
  const proto = target.prototype as object | undefined;
  const was = proto && descriptor(proto, "constructor");
  if (proto && was?.configurable) put(proto, "constructor", was, value);
}

function put(owner: object, name: string, was: PropertyDescriptor, value: unknown): void {
  const { writable, enumerable, configurable } = was;
  const content = hasOwn(was, "value") ? { value, writable } : { get: was.get, set: value };
  defineProperty(owner, name, bare({ ...content, enumerable, configurable }) as PropertyDescriptor);
}
