import type { Scope, Tree } from "@gasoline/capture/locators/deep";
import type { Slices } from "../slices.ts";
import type { Tools } from "./main.ts";

// Elements one by one, so that the page works in between: a search of a large page at once takes longer than a frame.

/** What is in these is no text of the page. */
export const SILENT = /^(script|style|noscript|template|option|textarea|title)$/;

/** The roots below a scope. */
export async function treeOf(scope: Scope, { ROOTS }: Tools, slices: Slices): Promise<Tree> {
  const steps = ROOTS.below(scope);
  let step = steps.next();
  for (; !step.done; step = steps.next()) if (slices.over) await slices.pause();
  return step.value;
}

/** Looks for what is called as an element is, which a ref of it is made with. */
export async function compared({ localName }: Element, { indexing }: Tools, slices: Slices): Promise<void> {
  const steps = indexing(localName);
  while (!steps.next().done) if (slices.over) await slices.pause();
}

/** The elements of a tree, through shadow roots, in the order of the page. */
export function* elementsOf({ scope, itself, below }: Tree): Generator<Element, void, void> {
  const inside = new Map<Element, Tree[]>();
  for (const { host, tree } of below) inside.set(host, [...(inside.get(host) ?? []), tree]);
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_ELEMENT);
  if (itself) yield scope as Element;
  if (scope instanceof Element) for (const tree of inside.get(scope) ?? []) yield* elementsOf(tree);
  while (walker.nextNode()) {
    const at = walker.currentNode as Element;
    yield at;
    for (const tree of inside.get(at) ?? []) yield* elementsOf(tree);
  }
}

/** The elements of a scope, and it itself where it is one. */
export function* everyIn(scope: Document | Element, tree: Tree): Generator<Element, void, void> {
  if (scope instanceof Element) yield scope;
  yield* elementsOf(tree);
}

/** The roots of a tree, with itself. */
export function* rootsOf({ scope, below }: Tree): Generator<Scope, void, void> {
  yield scope;
  for (const { tree } of below) yield* rootsOf(tree);
}

/** What fits CSS below some scopes, in the order of the page; they themselves, too. */
export async function fitting(
  css: string,
  scopes: readonly (Document | Element)[],
  tools: Tools,
  slices: Slices,
): Promise<Set<Element>> {
  const found = new Set<Element>();
  for (const scope of scopes) {
    for (const at of everyIn(scope, await treeOf(scope, tools, slices))) {
      if (slices.over) await slices.pause();
      if (at.matches(css)) found.add(at);
    }
  }
  return found;
}
