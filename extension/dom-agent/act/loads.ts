import type { Acts } from "../../messages/acts.ts";
import { isOwn } from "../own.ts";
import type { Scope } from "../shadow.ts";
import { inViewport, pointOf } from "../visible.ts";
import { brought, watch } from "../waiting.ts";

type Runs = ReturnType<Acts["runs"]>;

/** Elements that load something by being in a document. */
const LOADING = "script, link, img, iframe, frame";

/** What has them load something else. */
const CHANGES: MutationObserverInit = {
  subtree: true,
  childList: true,
  attributeFilter: ["src", "srcset", "srcdoc", "href", "rel"],
};

/** Links that say when what they name has come. */
const LINKS = /(^|\s)(stylesheet|modulepreload|preload)(\s|$)/i;

/** Scripts that run: the type of others is one of data. */
const SCRIPTS = /^(|module|(text|application)\/(java|ecma)script)$/i;

/** Frames of these are there at once. */
const EMPTY = /^\s*($|about:|javascript:)/i;

/** So many are told and, at the same time, waited for. */
const MAX_TOLD = 5;
const MAX_LOADS = 100;

/** What elements load that came to a document, or were changed, as the doing of an act. */
export class Loads {
  readonly #runs: () => Runs;
  readonly #ended: () => void;
  readonly #watched = new Set<Scope>();
  readonly #loading = new Set<Element>();
  readonly #control = new AbortController();
  readonly #observer = new MutationObserver((records) => this.#take(records));

  /** runs says whether what happens at that moment is the act's doing; ended is told when something of it has come, or will not. */
  constructor(runs: () => Runs, ended: () => void) {
    this.#runs = runs;
    this.#ended = ended;
    watch(this.#observer, CHANGES, this.#watched);
  }

  /** What has not come yet, in words. */
  busy(): string[] {
    for (const at of this.#loading) if (isOver(at)) this.#loading.delete(at);
    return [...this.#loading].slice(0, MAX_TOLD).map(inWords);
  }

  stop(): void {
    this.#observer.disconnect();
    this.#control.abort();
  }

  #take(records: MutationRecord[]): void {
    const found = new Set<Element>();
    for (const { type, target, addedNodes } of records) {
      const nodes = type === "attributes" ? [target] : [...addedNodes];
      for (const node of nodes) {
        if (!(node instanceof Element) || isOwn(node)) continue;
        if (node.matches(LOADING) && loads(node, addedNodes.length < 2)) found.add(node);
        if (type === "attributes") continue;
        for (const at of node.querySelectorAll(LOADING)) if (loads(at, false)) found.add(at);
      }
    }
    const fresh = brought(records) ? watch(this.#observer, CHANGES, this.#watched) : [];
    for (const root of fresh) for (const at of root.querySelectorAll(LOADING)) if (loads(at, false)) found.add(at);
    const runs = found.size > 0 ? this.#runs() : undefined;
    if (runs) for (const at of found) this.#follow(at, runs === "own");
  }

  #follow(at: Element, own: boolean): void {
    if (this.#loading.has(at) || this.#loading.size >= MAX_LOADS) return;
    this.#loading.add(at);
    const control = new AbortController();
    const over = (): void => {
      control.abort();
      if (this.#loading.delete(at) && own) this.#ended();
    };
    // Before the page's own listeners: what they do is the act's.
    const first = { capture: true, signal: AbortSignal.any([control.signal, this.#control.signal]) };
    at.addEventListener("load", over, first);
    at.addEventListener("error", over, first);
  }
}

/** Whether an element has begun to load and will say when it has ended. alone: nothing came with it. */
function loads(at: Element, alone: boolean): boolean {
  if (at instanceof HTMLScriptElement) {
    // One that was written as markup into an element never runs, and nothing of it says so.
    const made = alone || (at.async && !at.hasAttribute("async"));
    return made && at.src !== "" && SCRIPTS.test(at.type) && !at.noModule;
  }
  if (at instanceof HTMLLinkElement) return at.href !== "" && LINKS.test(at.rel) && !at.disabled && !at.sheet;
  if (at instanceof HTMLImageElement) return !at.complete && (at.loading !== "lazy" || inViewport(pointOf(at)));
  const inner = at.getAttribute("src") ?? "";
  if (at.getAttribute("loading") === "lazy" && !inViewport(pointOf(at))) return false;
  return at.hasAttribute("srcdoc") || !EMPTY.test(inner);
}

/** Whether it has ended without a word: a script is run wherever it is, others are given up with their place. */
const isOver = (at: Element): boolean =>
  at instanceof HTMLImageElement ? at.complete : !(at instanceof HTMLScriptElement || at.isConnected);

function inWords(at: Element): string {
  const url = at instanceof HTMLLinkElement ? at.href : ((at as HTMLImageElement).src ?? "");
  const path = URL.canParse(url) ? new URL(url).pathname.slice(0, 100) : "";
  return `loading of ${at.localName}${path === "" || /^(data|blob):/.test(url) ? "" : ` ${path}`}`;
}
