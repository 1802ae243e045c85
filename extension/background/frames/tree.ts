import type { FrameInfo } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { type Where, runIn } from "./browser.ts";

/** Frames of a tab that are asked for their place. A page with more has them counted. */
const MAX_KNOWN = 200;

/** Frames that are asked for their place where a target or a frame is not among the first ones. */
export const MAX_SEARCHED = 2000;

/** A document that did not answer before has so long, ms. */
const AGAIN_MS = 150;

/** Frames are asked together in parts of this many, where they cannot be asked all at once. */
const PART = 25;

/** A document that is known to be in a tab. */
export interface Known {
  frame: number;
  document: string;
  page_url: string;
}

/** The frames of a tab. */
export interface Tree {
  /** Those that can be reached, the main frame first, then in document order. */
  frames: FrameInfo[];
  /** Documents that did not say where they are in time. */
  silent: Known[];
  /** Frames that were not asked for their place. */
  more: number;
}

/** What a frame says of itself. */
type Said = Omit<FrameInfo, "name" | "frameId" | "documentId">;
type Found = Omit<FrameInfo, "name">;

/**
 * The frames of a tab. A frame says where it hangs by finding itself in its parent's window.frames, which works across
 * origins too. Where all cannot be asked at once within silence (ms), because one does not answer or there are too many,
 * the known ones are asked in parts. Documents of which it is known that they are silent are asked alone.
 */
export async function frameTree(
  tab: number,
  known: Known[],
  silence: number,
  silent: ReadonlySet<string>,
  max = MAX_KNOWN,
): Promise<Tree> {
  const inner = known.filter(({ frame }) => frame !== 0).sort((a, b) => a.frame - b.frame);
  if (inner.length <= MAX_KNOWN && !inner.some(({ document }) => silent.has(document))) {
    const all = inject(tab, { allFrames: true });
    const found = await Promise.race([all, after(silence)]);
    if (found) return { frames: inOrder(found), silent: [], more: 0 };
    all.catch(() => undefined);
  }
  const asked = inner.slice(0, max);
  const speaking = asked.filter(({ document }) => !silent.has(document));
  const again = asked.filter(({ document }) => silent.has(document));
  const asking = inject(tab, { frameIds: [0] });
  const [main, ...inners] = await Promise.all([
    asking,
    injectParts(tab, inParts(speaking, PART), silence, asking),
    injectParts(tab, inParts(again, 1), AGAIN_MS, asking),
  ]);
  const found = inners.flat();
  const heard = new Set(found.map(({ documentId }) => documentId));
  const quiet = asked.filter(({ document }) => !heard.has(document));
  const more = inner.length - asked.length;
  return { frames: inOrder([...main, ...found], quiet.length + more), silent: quiet, more };
}

/**
 * What the documents of each part say, until none has answered for silence (ms). A frame that is frozen or gone holds the
 * others of its part; those are asked one by one then.
 */
async function injectParts(tab: number, parts: Known[][], silence: number, first: Promise<unknown>): Promise<Found[]> {
  const found: Found[] = [];
  const left: Known[] = [];
  const quiet = new Silence(silence, Infinity, first);
  const one = async (part: Known[]): Promise<void> => {
    const asking = inject(tab, { documentIds: part.map(({ document }) => document) }).catch(() => undefined);
    const answer = await Promise.race([asking, quiet.over]);
    if (answer) {
      quiet.heard();
      found.push(...answer);
    } else if (part.length > 1) left.push(...part);
  };
  await Promise.all(parts.map(one));
  quiet.stop();
  return left.length > 0 ? [...found, ...(await injectParts(tab, inParts(left, 1), silence, first))] : found;
}

function inParts<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

/**
 * Tells when nothing was heard for ms, and not later than until (epoch ms). Before first has ended nothing is silence: where
 * the main frame itself is slow, the others may be.
 */
export class Silence {
  readonly over: Promise<undefined>;
  readonly #ms: number;
  readonly #until: number;
  #first: boolean;
  #end: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, until: number, first?: Promise<unknown>) {
    this.#ms = ms;
    this.#until = until;
    this.#first = first === undefined;
    this.over = new Promise((resolve) => (this.#end = () => resolve(undefined)));
    const begin = (): void => {
      this.#first = true;
      this.heard();
    };
    first?.then(begin, begin);
    this.heard();
  }

  heard(): void {
    clearTimeout(this.#timer);
    const left = Math.min(this.#first ? this.#ms : Infinity, this.#until - Date.now());
    if (left < Infinity) this.#timer = setTimeout(this.#end, Math.max(0, left));
  }

  /** Nobody waits any more. */
  stop(): void {
    this.#first = false;
    clearTimeout(this.#timer);
  }
}

/** The main frame of a tab. */
export async function mainFrame(tab: number): Promise<FrameInfo> {
  const [main] = await inject(tab, { frameIds: [0] });
  if (!main) throw new CommandProblem("tab_gone", `Tab ${tab} shows no page that can be reached.`);
  return { ...main, name: "" };
}

/** Resolves when a document has answered, however late; rejects when it is gone. */
export async function spoken(tab: number, document: string): Promise<void> {
  await inject(tab, { documentIds: [document] });
}

async function inject(tab: number, where: Where): Promise<Found[]> {
  const results = await runIn(tab, where, whereAmI, []);
  return results.flatMap(({ frameId, documentId, result }) => (result ? [{ frameId, documentId, ...result }] : []));
}

/** Runs in the page's frame. */
function whereAmI(): Said {
  const path: number[] = [];
  for (let at: Window = window; at !== at.parent; at = at.parent) {
    let index = at.parent.length - 1;
    while (index >= 0 && at.parent[index] !== at) index--;
    path.unshift(index);
  }
  const root = document.body ?? document.documentElement;
  const hasElement = [...(root?.children ?? [])].some(
    ({ localName }) => !/^(script|style|link|template|noscript|meta)$/.test(localName),
  );
  return {
    path,
    url: location.href,
    origins:
      self.origin === "null"
        ? [...(/^https?:/.test(location.href) ? [location.origin] : []), ...location.ancestorOrigins]
        : [self.origin],
    title: document.title.slice(0, 200),
    shown: path.length === 0 || (innerWidth > 1 && innerHeight > 1),
    empty: path.length > 0 && !hasElement && window.length === 0 && !root?.textContent?.trim(),
    children: window.length,
  };
}

/**
 * Numbers the frames, and hides those that are in hidden ones. unheard frames of the page did not say where they are: their
 * places have numbers, too, or all behind them would have others than when all say it.
 */
export function inOrder(found: Found[], unheard = 0): FrameInfo[] {
  const hidden = new Set<string>();
  let number = 0;
  return [...found, ...placesLeft(found, unheard)]
    .sort((a, b) => compare(a.path, b.path) || a.frameId - b.frameId)
    .flatMap((frame) => {
      const name = frame.path.length === 0 ? "" : String(number++);
      if (!isFound(frame)) return [];
      const key = frame.path.join(".");
      const shown = frame.shown && !hidden.has(frame.path.slice(0, -1).join("."));
      if (!shown) hidden.add(key);
      return [{ ...frame, shown, name }];
    });
}

/** A place where a frame is that did not say so. */
type PlaceLeft = Pick<Found, "path" | "frameId">;

const isFound = (at: Found | PlaceLeft): at is Found => "documentId" in at;

/**
 * The places of frames that none of those found has. Where there are more than unheard, some are of frames that nobody may
 * ask, which have no numbers, and nobody knows which: then none.
 */
function placesLeft(found: readonly Found[], unheard: number): PlaceLeft[] {
  const taken = new Set(found.map(({ path }) => path.join(".")));
  const left: PlaceLeft[] = [];
  if (unheard === 0) return left;
  for (const { path, children } of found) {
    for (let i = 0; i < children; i++) {
      if (taken.has([...path, i].join("."))) continue;
      if (left.length === unheard) return [];
      left.push({ path: [...path, i], frameId: -1 });
    }
  }
  return left;
}

/** Document order: what is not placed, in a shadow root, comes behind its parent's other frames. */
function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i] ?? 0, b[i] ?? 0].map((n) => (n < 0 ? Infinity : n)) as [number, number];
    if (left !== right) return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

/** undefined after ms. */
export const after = (ms: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), ms));

export const samePath = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, i) => n === b[i]);
