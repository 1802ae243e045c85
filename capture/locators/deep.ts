/**
 * OpenShadow gives the shadow root of a host that keeps it closed; null where there is none. Asking is dear, and a page
 * has thousands of elements that could have one.
 */
export type OpenShadow = (host: Element) => ShadowRoot | null;

/** Where a search starts. */
export type Scope = Document | ShadowRoot | Element;

/** Work that can pause: each yield is a place to do so. */
export type Steps<T> = Generator<void, T, void>;

/** run does all steps at once. */
export function run<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** A tree of elements, and the roots below it. */
export interface Tree {
  scope: Scope;
  /** In document order. */
  below: { host: Element; tree: Tree }[];
}

/** The tags that can have a shadow root, beside custom elements. */
const HOSTS: ReadonlySet<string> = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

/** Of the elements that had no root before, so many are asked again in each search: one can come at any time. */
const ASKED_AGAIN = 200;
/** Elements between two pauses. */
const STRIDE = 500;
/** Roots in roots end here. */
const MAX_DEPTH = 50;

/** Roots finds shadow roots. Open ones are seen at once; elements that were asked for closed ones are remembered. */
export class Roots {
  readonly #closed: OpenShadow | undefined;
  readonly #none = new WeakSet<Element>();
  #turn = 0;
  #known = 0;

  constructor(closed?: OpenShadow) {
    this.#closed = closed;
  }

  /** The shadow root of an element. */
  of(host: Element): ShadowRoot | null {
    return host.shadowRoot ?? (this.#closed && host instanceof HTMLElement ? this.#closed(host) : null);
  }

  /** The scope with all roots below it. */
  *below(scope: Scope): Steps<Tree> {
    this.#known = 0;
    const tree = yield* this.#tree(scope, 0);
    this.#turn = this.#turn + ASKED_AGAIN < this.#known ? this.#turn + ASKED_AGAIN : 0;
    return tree;
  }

  *#tree(scope: Scope, depth: number): Steps<Tree> {
    const below: Tree["below"] = [];
    const own = scope instanceof Element ? this.of(scope) : null;
    if (own && depth < MAX_DEPTH) below.push({ host: scope as Element, tree: yield* this.#tree(own, depth + 1) });
    const walker = document.createTreeWalker(scope, NodeFilter.SHOW_ELEMENT);
    for (let n = 1; walker.nextNode(); n++) {
      if (n % STRIDE === 0) yield;
      const root = this.#ask(walker.currentNode as Element);
      if (root && depth < MAX_DEPTH)
        below.push({ host: walker.currentNode as Element, tree: yield* this.#tree(root, depth + 1) });
    }
    return { scope, below };
  }

  #ask(element: Element): ShadowRoot | null {
    const custom = element.localName.includes("-");
    if (!custom && !HOSTS.has(element.localName)) return null;
    if (element.shadowRoot) return element.shadowRoot;
    if (!this.#closed || !(element instanceof HTMLElement)) return null;
    if (custom) return this.#closed(element);
    const place = this.#none.has(element) ? this.#known++ - this.#turn : 0;
    if (place < 0 || place >= ASKED_AGAIN) return null;
    const root = this.#closed(element);
    if (!root) this.#none.add(element);
    return root;
  }
}

/** Every element below a scope that fits a selector, through shadow roots, in the order of the page. */
export function select(selector: string, tree: Tree): Element[] {
  return gather(tree, (scope) => [...scope.querySelectorAll(selector)]);
}

/** gather merges what is found in each root, given in document order, into the order of the page. */
export function gather(tree: Tree, search: (scope: Scope) => Element[]): Element[] {
  const found = search(tree.scope);
  const inside = new Map<Element, Element[]>();
  for (const { host, tree: inner } of tree.below) {
    const own = gather(inner, search);
    if (own.length > 0) inside.set(host, own);
  }
  if (inside.size === 0) return found;
  if (found.length === 0) return [...inside.values()].flat();
  // A host stands before what is in it.
  const itself = tree.scope instanceof Element ? (inside.get(tree.scope) ?? []) : [];
  return [...itself, ...inOrder(tree.scope, new Set(found), inside)];
}

/** inOrder puts elements below a scope into document order, each with what is inside of it behind it. */
export function inOrder(scope: Scope, elements: Set<Element>, inside?: Map<Element, Element[]>): Element[] {
  const sorted: Element[] = [];
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const element = walker.currentNode as Element;
    if (elements.has(element)) sorted.push(element);
    const own = inside?.get(element);
    if (own) sorted.push(...own);
  }
  return sorted;
}

/** Search looks below one scope. It is good for one pass: shadow roots are looked for once. */
export class Search {
  readonly scope: Scope;
  readonly roots: Roots;
  #tree: Tree | undefined;

  constructor(scope: Scope, roots: Roots) {
    this.scope = scope;
    this.roots = roots;
  }

  *tree(): Steps<Tree> {
    return (this.#tree ??= yield* this.roots.below(this.scope));
  }

  /**
   * query finds elements by CSS in steps: each step but the first is looked for in the shadow roots of what the one before
   * found. A first step "" searches every root below the scope. Invalid CSS throws SyntaxError, as querySelectorAll does.
   */
  *query(steps: readonly string[]): Steps<Element[]> {
    const [first = "", ...rest] = steps;
    let found: Element[];
    if (first === "" && rest.length > 0) found = select(rest.shift() as string, yield* this.tree());
    else found = [...this.scope.querySelectorAll(first)];
    for (const step of rest) {
      const next = new Set<Element>();
      for (const host of found) {
        const root = this.roots.of(host);
        if (root) for (const element of root.querySelectorAll(step)) next.add(element);
      }
      found = [...next];
    }
    return found;
  }
}
