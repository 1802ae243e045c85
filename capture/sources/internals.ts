import type { Internals, Lender } from "../locators/lender.ts";
import {
  append,
  apply,
  bare,
  descriptor,
  getter,
  lower,
  method,
  NativeMap,
  NativeWeakMap,
  mapGet,
  mapSet,
  ownKeys,
  prototypeOf,
  slice,
  uncurry,
  weakGet,
  weakSet,
} from "../natives.ts";
import { proxyMethod } from "../patch.ts";
import type { Source } from "../realm.ts";
import type { PageEnv } from "../record.ts";

const maxTags = 1000;
const maxText = 2000;

interface Read {
  /** the attribute's name without "aria-", or "role" */
  name: string;
  get: (internals: unknown) => unknown;
}

const localName = getter<string>("Element", "localName");
const labelsOf = getter<readonly Element[] | null>("ElementInternals", "ariaLabelledByElements");
const endsWith = method<[string], boolean>("String", "endsWith");

/** What can be read of internals: role and everything that is an attribute aria-… otherwise. */
const reads: Read[] = [];
const proto = prototypeOf("ElementInternals");
const names = proto ? ownKeys(proto) : [];
for (let i = 0; i < names.length; i++) {
  const name = names[i]!;
  if (typeof name !== "string" || (name !== "role" && slice(name, 0, 4) !== "aria") || endsWith(name, "Elements"))
    continue;
  const get = descriptor(proto!, name)?.get;
  if (get) append(reads, { name: name === "role" ? name : lower(slice(name, 4)), get: uncurry(get) });
}

/**
 * Components notes who has attached internals, and reads what is set there when it is asked: a component says so what it
 * is, without attributes, and only the page's realm can tell it.
 */
export class Components implements Lender {
  readonly #noted = new NativeWeakMap<object, object>();
  readonly #known = new NativeMap<string, true>();
  readonly #tags: string[] = [];
  readonly #env: Pick<PageEnv, "component" | "tagged">;

  constructor(env: Pick<PageEnv, "component" | "tagged">) {
    this.#env = env;
  }

  readonly source: Source = {
    name: "internals",
    start: (_realm, guard) =>
      proxyMethod(HTMLElement.prototype, "attachInternals", (target, self, args) => {
        const made: unknown = apply(target, self, args);
        guard.run(() => this.#note(self as Element, made as object));
        return made;
      }),
  };

  #note(element: Element, internals: object): void {
    weakSet(this.#noted, element, internals);
    this.#env.component?.(element);
    const tag = localName(element);
    if (this.#tags.length >= maxTags || mapGet(this.#known, tag)) return;
    mapSet(this.#known, tag, true);
    append(this.#tags, tag);
    this.#env.tagged?.(tag);
  }

  tags(): readonly string[] {
    return this.#tags;
  }

  internals(element: Element): Internals | undefined {
    const internals = weakGet(this.#noted, element);
    if (!internals) return undefined;
    const told: Record<string, string> = bare({});
    for (let i = 0; i < reads.length; i++) {
      const { name, get } = reads[i]!;
      const value = get(internals);
      if (typeof value === "string") told[name] = slice(value, 0, maxText);
    }
    return { told, labels: labelsOf(internals) ?? [] };
  }
}
