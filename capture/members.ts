/*
 * A form shows its fields as members of itself, before those of its prototypes: in <form><input name=parentElement></form>
 * the form's parentElement is the input, in each world, and nothing can switch it off. So a page would choose what our walks
 * see, and whether they end. The build puts $of around what a member is read of (scripts/members.mjs), because no reader of
 * the code would see where it is missing. In the page's own world a document with <img name=title> does the same.
 *
 * A form is known by the symbol of its class: no field is named by a symbol, and a form that came from another frame has
 * other prototypes than ours.
 */

/** Whether the script runs in an isolated world, where documents do not show their elements as members. */
declare const __ISOLATED__: boolean;

const { apply, get, has } = Reflect;
const { bind } = Function.prototype;
const Shown = Proxy;
const tag = Symbol.toStringTag;

interface Seen {
  of: object;
}

/** What is read are the members of the prototype, of the object. */
const handler = (prototype: object): ProxyHandler<Seen> =>
  ({
    __proto__: null,
    get({ of }, key) {
      const value: unknown = get(prototype, key, of);
      return typeof value === "function" && key !== "constructor" ? apply(bind, value, [of]) : value;
    },
    has: (_, key) => has(prototype, key),
  }) as ProxyHandler<Seen>;

const ofForms = handler(HTMLFormElement.prototype);
const here = __ISOLATED__ ? undefined : document;
const ofDocuments = __ISOLATED__ ? undefined : handler(HTMLDocument.prototype);

const shown = (of: object, how: ProxyHandler<Seen>): unknown => new Shown({ __proto__: null, of } as Seen, how);

/** What was asked for last, and is neither: several members of one element are read one after the other. */
let plain: unknown;

/** $of gives what the members of a value are to be read of. */
export function $of(value: unknown): unknown {
  if (value === plain || value === null || typeof value !== "object") return value;
  // Without asking it: the page may have given its document a symbol of its own.
  if (ofDocuments && value === here) return shown(value, ofDocuments);
  const name = (value as { [tag]?: unknown })[tag];
  if (name === "HTMLFormElement") return shown(value, ofForms);
  if (ofDocuments && name === "HTMLDocument") return shown(value, ofDocuments);
  plain = value;
  return value;
}
