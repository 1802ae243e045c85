import type { FrameInfo } from "../../commands/context.ts";
import { ask, SILENCE_MS } from "./ask.ts";
import { runIn } from "./browser.ts";
import type { Calls } from "./calls.ts";
import { after, inOrder, samePath } from "./tree.ts";

/** A child frame in a shadow root is told its place within so long, ms. */
const PLACE_MS = 300;

/**
 * The frames of a tab with the places of those in shadow roots, which are not among their parents' frames: the parents
 * tell them. Frames whose place nobody tells in time keep -1. unheard frames did not say where they are.
 */
export async function placed(calls: Calls, tab: number, frames: FrameInfo[], unheard = 0): Promise<FrameInfo[]> {
  const lost = frames.filter(({ path }) => path.length > 0 && path.indexOf(-1) === path.length - 1);
  if (lost.length === 0) return frames;
  const parents = frames.filter((parent) => lost.some(({ path }) => samePath(path.slice(0, -1), parent.path)));
  const token = crypto.randomUUID();
  await Promise.all(lost.map((frame) => inDocument(tab, frame.documentId, awaitPlace, [token, PLACE_MS])));
  // Frames of sites that were not granted are told nothing.
  const origins = [...new Set(lost.map(({ url }) => (URL.canParse(url) ? new URL(url).origin : "null")))];
  await ask(calls, tab, parents, "call_children", { token, origins }, Date.now() + PLACE_MS);
  const told = await Promise.all(lost.map((frame) => inDocument(tab, frame.documentId, placeOf, [])));
  return inOrder(withPlaces(frames, new Map(lost.map((frame, i) => [frame, told[i]]))), unheard);
}

/** Puts the places that were told into the paths; undefined: nobody told it. */
export function withPlaces(
  frames: readonly FrameInfo[],
  told: ReadonlyMap<FrameInfo, number | undefined>,
): FrameInfo[] {
  return frames.map((frame) => {
    const place = told.get(frame);
    if (place !== undefined) return { ...frame, path: [...frame.path.slice(0, -1), place] };
    // What is in a frame that had no place is in the only one that its parent has there.
    const at = frame.path.indexOf(-1);
    if (at < 0 || at === frame.path.length - 1) return frame;
    const [around, other] = [...told.keys()].filter(({ path }) => samePath(path, frame.path.slice(0, at + 1)));
    const only = around && !other ? told.get(around) : undefined;
    return only === undefined ? frame : { ...frame, path: frame.path.with(at, only) };
  });
}

async function inDocument<A extends unknown[], R>(
  tab: number,
  documentId: string,
  func: (...args: A) => R,
  args: A,
): Promise<Awaited<R> | undefined> {
  const asking = runIn(tab, { documentIds: [documentId] }, func, args)
    .then(([first]) => first?.result ?? undefined)
    .catch(() => undefined);
  return Promise.race([asking, after(SILENCE_MS)]);
}

/** Runs in the frame: listens for the token of its parent, and keeps the message from the page. */
function awaitPlace(token: string, ms: number): void {
  globalThis.gasolinePlace = new Promise((resolve) => {
    const heard = (event: MessageEvent<{ gasoline?: string; place?: number } | null>): void => {
      if (event.source !== window.parent || event.data?.gasoline !== token) return;
      event.stopImmediatePropagation();
      done(event.data.place);
    };
    const done = (place: number | undefined): void => {
      clearTimeout(timer);
      removeEventListener("message", heard, true);
      resolve(place);
    };
    const timer = setTimeout(done, ms, undefined);
    addEventListener("message", heard, true);
  });
}

/** Runs in the frame. */
function placeOf(): Promise<number | undefined> | undefined {
  return gasolinePlace;
}

declare global {
  /** What a frame in a shadow root waits for, in the isolated world of its document. */
  var gasolinePlace: Promise<number | undefined> | undefined;
}
