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

/** A tree of elements, and the roots below it. Slots in a part of a root have trees below, too: of what is shown there. */
export interface Tree {
  scope: Scope;
  /** The scope is one of the elements. */
  itself?: true;
  /** In no order. */
  below: { host: Element; tree: Tree }[];
}

/** The tags that can have a shadow root, beside custom elements. */
const HOSTS: ReadonlySet<string> = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

const isCustom = ({ localName }: Element): boolean => localName.includes("-");

/** Of the elements that had no root before, so many are asked again in each search: one can come at any time. */
const ASKED_AGAIN = 200;
/** Elements between two pauses. */
const STRIDE = 500;
/** Roots in roots end here. */
const MAX_DEPTH = 50;
/** With more new nodes than this since the last search the whole page is gone through again. */
const MAX_ADDED = 1000;

/**
 * Roots finds the shadow roots of the document and remembers them: after the first search only what the page has added
 * is gone through. A closed root that an element got after it was first seen is found by and by, 200 elements a search.
 */
export class Roots {
  readonly #closed: OpenShadow | undefined;
  readonly #hosts = new Map<Element, ShadowRoot>();
  readonly #waiting = new Set<Element>(); // custom elements that have no root yet
  readonly #observer = new MutationObserver((records) => this.#take(records));
  #added: Node[] = [];
  #whole = true; // nothing is known, or too much has changed
  #again: TreeWalker | undefined;

  constructor(closed?: OpenShadow) {
    this.#closed = closed;
  }

  /** The shadow root of an element. Browsers take seconds to be asked for that of a form with thousands of fields. */
  of(host: Element): ShadowRoot | null {
    if (!isCustom(host) && !HOSTS.has(host.localName)) return null;
    return host.shadowRoot ?? (this.#closed && host instanceof HTMLElement ? this.#closed(host) : null);
  }

  /** The scope with all roots below it. */
  *below(scope: Scope): Steps<Tree> {
    this.#take(this.#observer.takeRecords());
    if (this.#whole) {
      this.#hosts.clear();
      this.#waiting.clear();
      this.#added = [];
      this.#observer.observe(document, { childList: true, subtree: true });
      yield* this.#scan(document, 0);
      this.#whole = false;
    } else {
      for (const node of this.#added.splice(0)) if (node.isConnected) yield* this.#scan(node, 0);
      for (const element of this.#waiting) yield* this.#enter(element, 0);
      yield* this.#askAgain();
    }
    return this.#tree(scope);
  }

  #take(records: MutationRecord[]): void {
    for (const { addedNodes } of records)
      for (const node of addedNodes) if (node instanceof Element) this.#added.push(node);
    if (this.#added.length <= MAX_ADDED) return;
    // A page that changes all the time is not watched until the next search.
    this.#observer.disconnect();
    this.#added = [];
    this.#whole = true;
  }

  *#scan(from: Node, depth: number): Steps<void> {
    if (from instanceof Element) yield* this.#enter(from, depth);
    const walker = document.createTreeWalker(from, NodeFilter.SHOW_ELEMENT);
    for (let n = 1; walker.nextNode(); n++) {
      if (n % STRIDE === 0) yield;
      yield* this.#enter(walker.currentNode as Element, depth);
    }
  }

  *#enter(host: Element, depth: number): Steps<void> {
    const root = this.#ask(host);
    if (!root || this.#hosts.has(host) || depth >= MAX_DEPTH) return;
    yield; // there may be many small ones
    this.#hosts.set(host, root);
    this.#observer.observe(root, { childList: true, subtree: true });
    yield* this.#scan(root, depth + 1);
  }

  #ask(element: Element): ShadowRoot | null {
    const root = this.of(element);
    if (isCustom(element)) {
      if (root) this.#waiting.delete(element);
      else if (this.#waiting.size < MAX_ADDED) this.#waiting.add(element);
    }
    return root;
  }

  *#askAgain(): Steps<void> {
    if (!this.#closed) return;
    this.#again ??= document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
    for (let asked = 0; asked < ASKED_AGAIN; asked++) {
      if (!this.#again.nextNode()) {
        this.#again = undefined;
        return;
      }
      const element = this.#again.currentNode as Element;
      if (!this.#hosts.has(element)) yield* this.#enter(element, 0);
    }
  }

  #tree(scope: Scope): Tree {
    const byRoot = new Map<Node, Element[]>();
    for (const hosts of [this.#hosts, this.#waiting])
      for (const host of hosts.keys()) if (!host.isConnected) hosts.delete(host);
    for (const host of this.#hosts.keys()) {
      const root = host.getRootNode();
      const known = byRoot.get(root);
      if (known) known.push(host);
      else byRoot.set(root, [host]);
    }
    const grow = (at: Scope): Tree => {
      const hosts = byRoot.get(at.getRootNode()) ?? [];
      const below: Tree["below"] = [];
      for (const host of at instanceof Element ? hosts.filter((host) => at.contains(host)) : hosts) {
        const root = this.#hosts.get(host);
        if (root) below.push({ host, tree: grow(root) });
      }
      // What is shown in a slot stands in another tree. A search of a whole root comes there by itself.
      if (at instanceof Element && at.getRootNode() instanceof ShadowRoot)
        for (const slot of itselfAnd("slot", at) as HTMLSlotElement[])
          for (const shown of slot.assignedElements())
            below.push({ host: slot, tree: { ...grow(shown), itself: true } });
      return { scope: at, below };
    };
    return grow(scope);
  }
}

/** Every element below a scope that fits a selector, through shadow roots, in the order of the page. */
export function select(selector: string, tree: Tree): Element[] {
  return gather(tree, (scope, itself) => fitting(selector, scope, itself));
}

/** The elements of one tree that fit a selector. */
export const fitting = (selector: string, scope: Scope, itself?: true): Element[] =>
  itself ? itselfAnd(selector, scope as Element) : [...scope.querySelectorAll(selector)];

function itselfAnd(selector: string, element: Element): Element[] {
  const inside = [...element.querySelectorAll(selector)];
  return element.matches(selector) ? [element, ...inside] : inside;
}

/** selectEach is select for several selectors: elements that fit one of them, and fits says yes to. */
export function selectEach(selectors: readonly string[], tree: Tree, fits: (element: Element) => boolean): Element[] {
  return gather(tree, (scope, itself) => {
    const groups = selectors.map((selector) => fitting(selector, scope, itself).filter(fits));
    const [only = [], ...others] = groups.filter((group) => group.length > 0);
    // Most groups fit nothing, and then nothing has to be put in order.
    return others.length === 0 ? only : [...new Set([only, ...others].flat())].sort(inPage);
  });
}

const inPage = (a: Node, b: Node): number => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

/** gather merges what is found in each root, given in document order, into the order of the page. */
export function gather(tree: Tree, search: (scope: Scope, itself?: true) => Element[]): Element[] {
  const found = search(tree.scope, tree.itself);
  const inside = new Map<Element, Element[]>();
  for (const { host, tree: inner } of tree.below) {
    const own = gather(inner, search);
    if (own.length > 0) inside.set(host, [...(inside.get(host) ?? []), ...own]);
  }
  if (inside.size === 0) return found;
  // A host stands before what is in it.
  const itself = tree.scope instanceof Element ? (inside.get(tree.scope) ?? []) : [];
  const before = found[0] === tree.scope ? [found[0]] : [];
  return [...before, ...itself, ...inOrder(tree.scope, new Set(found), inside)];
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

/** A tree with what its slots show, and without the roots in it. */
const withoutRoots = ({ below, ...rest }: Tree): Tree => ({
  ...rest,
  below: below.filter(({ tree }) => tree.itself).map(({ host, tree }) => ({ host, tree: withoutRoots(tree) })),
});

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
    else if (this.scope instanceof Element && this.scope.getRootNode() instanceof ShadowRoot)
      found = select(first, withoutRoots(yield* this.tree()));
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
