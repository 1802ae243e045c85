// What the tests of locators inject: the module as the recorder and the engine use it, and the page's closed roots.
import { Names } from "../../locators/name.ts";
import {
  Naming,
  Roots,
  Search,
  cssPath,
  find,
  locate,
  parse,
  roleOf,
  run,
  selectorFor,
  sketchOf,
} from "../../locators/index.ts";

const closed = new WeakMap<Element, ShadowRoot>();
const { attachShadow } = Element.prototype;
Element.prototype.attachShadow = function (init) {
  const root = attachShadow.call(this, init);
  if (init.mode === "closed") closed.set(this, root);
  return root;
};

const roots = new Roots((host) => closed.get(host) ?? null);

/** What the engine finds for a selector. */
function found(selector: string): Element[] {
  const locator = parse(selector);
  return locator.kind === "ref" ? [] : run(find(locator, new Search(document, roots)));
}

/** Every element of the page, in shadow roots too. */
const everything = (): Element[] => found(">>> *");

/** What is wrong between what the recorder prints for an element and what the engine finds. */
function wrongs(element: Element): string[] {
  const locators = run(locate(sketchOf(element), roots));
  const wrong = locators.flatMap((locator) => {
    const selector = selectorFor(locator);
    let all: Element[];
    try {
      all = found(selector);
    } catch (error) {
      return [`${selector} cannot be read: ${String(error)}`];
    }
    if (!all.includes(element)) return [`${selector} does not find it`];
    return all.length === locator.matches ? [] : [`${selector} finds ${all.length}, not ${locator.matches}`];
  });
  if (locators[0]?.matches !== 1) wrong.push("nothing finds it alone");
  return wrong.map((text) => `${element.outerHTML.slice(0, 200)}: ${text}`);
}

const page = { Names, Naming, cssPath, everything, found, locate, roleOf, roots, run, selectorFor, sketchOf, wrongs };
export type Locators = typeof page;
Object.assign(globalThis, { locators: page });
