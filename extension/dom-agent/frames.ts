import { isOwn } from "./own.ts";
import { everywhere, focused, hostOf } from "./shadow.ts";

/** An element that holds a frame. */
export type FrameElement = HTMLIFrameElement | HTMLFrameElement | HTMLObjectElement;

/** What may hold one that scripts can tell. */
const HOLDERS = "iframe, frame, object";

/** In what Gasoline shows is a frame of the extension's own, where comments are written. */
const isOurs = (element: Element): boolean => isOwn(hostOf(element) ?? element);

const addressOf = (element: FrameElement): string => ("data" in element ? element.data : element.src);

/**
 * The frame elements of the document by place: the index in window.frames, then, in document order, those in shadow
 * roots, which window.frames lacks.
 */
export function frameElements(): (FrameElement | undefined)[] {
  const byWindow = new Map<Window, number>();
  for (let i = 0; i < window.length; i++) byWindow.set(window[i] as Window, i);
  const placed: (FrameElement | undefined)[] = Array.from({ length: window.length }, () => undefined);
  for (const element of everywhere(HOLDERS, document) as FrameElement[]) {
    if (!element.contentWindow) continue;
    const index = byWindow.get(element.contentWindow);
    if (index !== undefined) placed[index] = element;
    else if (!isOurs(element)) placed.push(element);
  }
  return placed;
}

/** What may show another document. */
const SHOWERS = "iframe, frame, object, embed, fencedframe";

/** Whether an element shows another document, which gets the keys that come while it has the focus. */
export const holdsDocument = (element: Element | null): boolean => element?.matches(SHOWERS) === true;

/** The elements that may show another document, and of those the ones that show a frame at another place than these. */
export function showers(places?: readonly number[]): { all: Element[]; others: Element[] } {
  const all = everywhere(SHOWERS, document).filter((at) => !isOurs(at));
  if (!places) return { all, others: [] };
  const frames = frameElements();
  const untold = frames.some((element, place) => !element && !places.includes(place));
  const others = all.filter((at) => {
    const place = frames.indexOf(at as FrameElement);
    return place < 0 ? at.matches(untold ? "embed, fencedframe" : "fencedframe") : !places.includes(place);
  });
  // Where nobody can say what shows the frame, nothing of the document is.
  return { all, others: untold && !all.some((at) => at.matches("embed")) ? [document.documentElement] : others };
}

/** The place of the frame element that has the focus; none where something else has it. */
export function focusedFrame(): { index?: number; here: boolean } {
  const at = focused();
  const index = at?.matches(HOLDERS) ? frameElements().indexOf(at as FrameElement) : -1;
  // In a window behind others no document has the focus, and the page gets keys all the same.
  const here = !holdsDocument(at) && (window === window.top || document.hasFocus());
  return index < 0 ? { here } : { index, here };
}

/** The origin that a frame was to be loaded from; "" where it has none of its own, "null" in a sandbox without one. */
export function originOf(element: FrameElement | undefined): string {
  if (!element) return "";
  if (element instanceof HTMLIFrameElement) {
    if (element.hasAttribute("sandbox") && !element.sandbox.contains("allow-same-origin")) return "null";
    if (element.hasAttribute("srcdoc")) return "";
  }
  // Without an address it has its content from this document, whose own address a missing one would be resolved to.
  if (!element.getAttribute("data" in element ? "data" : "src")) return "";
  try {
    const { origin, protocol } = new URL(addressOf(element), document.baseURI);
    return /^https?:$/.test(protocol) ? origin : "";
  } catch {
    return "";
  }
}

/** Origins of the frames at places; of a frame in a sandbox the one that it is loaded from. */
export const origins = (indexes: number[]): string[] => {
  const elements = frameElements();
  return indexes.map((index) => loadedFrom(elements[index]));
};

/** The origin that a frame was loaded from, also into a sandbox; "" where it has its content from this document. */
function loadedFrom(element: FrameElement | undefined): string {
  const origin = originOf(element);
  if (origin !== "null") return origin;
  return element && addressOf(element) ? new URL(addressOf(element), document.baseURI).origin : "";
}

/**
 * Tells each frame in a shadow root its place, where it is loaded from one of the origins or has its content from this
 * document. The frame's own agent waits for the token; it keeps the message from the page there.
 */
export function callChildren(token: string, among: readonly string[]): void {
  for (const [place, element] of frameElements().entries()) {
    const from = loadedFrom(element);
    if (place < window.length || (from !== "" && !among.includes(from))) continue;
    const origin = originOf(element);
    element?.contentWindow?.postMessage(
      { gasoline: token, place },
      origin === "null" || location.origin === "null" ? "*" : origin || location.origin,
    );
  }
}
