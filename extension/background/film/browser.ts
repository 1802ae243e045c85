import { FILM_PORT } from "../../messages/film.ts";

/**
 * Covered fields show neither text nor colours; the places of other things stay. A user's rule is above all of a page's, but
 * leaves a field that the page did not style to the browser's theme, which knows no background. The
 * page's transitions rest until a field is as it was, or it would fade. What a view transition has of the page before was
 * drawn before the cover.
 *
 * What an agent masks, and a frame that is hidden, keeps its place, and nothing in it can be seen: of what is in it no rule makes it less transparent.
 * An element without a box of its own has none to be transparent, those in it have.
 */
const BLACK = `[data-gasoline-covered=""] {
  -webkit-text-security: disc !important;
  -webkit-text-fill-color: transparent !important;
  background: #000 !important;
  appearance: none !important;
  text-shadow: none !important;
}
[data-gasoline-hidden=""],
[data-gasoline-masked=""],
[data-gasoline-masked=""] > *,
[data-gasoline-masked=""]::backdrop {
  opacity: 0 !important;
}
[data-gasoline-covered],
[data-gasoline-hidden],
[data-gasoline-masked],
[data-gasoline-masked] > * {
  transition: none !important;
  animation: none !important;
}
::view-transition-old(*) {
  display: none !important;
}
::view-transition-new(*) {
  opacity: 1 !important;
}`;

/** No tab is captured wider; both sides are even. */
const MAX_WIDTH = 1280;

let opening: Promise<void> | undefined;

/** Opens the film page unless it is open: there can be one. */
export async function openPage(): Promise<void> {
  opening ??= open().finally(() => (opening = undefined));
  return opening;
}

async function open(): Promise<void> {
  if (await chrome.offscreen.hasDocument()) return;
  await chrome.offscreen.createDocument({
    url: "film.html",
    reasons: ["BLOBS", "USER_MEDIA"] as chrome.offscreen.Reason[],
    justification: "Pictures and sound of a tab are encoded into a film, which workers cannot do.",
  });
}

/** Closes the film page, if there is one. */
export const closePage = async (): Promise<void> => chrome.offscreen.closeDocument().catch(() => undefined);

export const connectPage = (): chrome.runtime.Port => chrome.runtime.connect({ name: FILM_PORT });

/** A tab that may be captured, or why it may not. */
export type Capturable = { stream: string; width: number; height: number } | { refused: string };

/** Asks Chrome for a tab's pictures. It gives them where the user has invoked the extension: opened its popup, pressed a key of it. */
export async function captureOf(tab: number): Promise<Capturable> {
  try {
    const { width = 0, height = 0 } = await chrome.tabs.get(tab);
    if (width < 2 || height < 2) return { refused: "it has no size" };
    const stream = await chrome.tabCapture.getMediaStreamId({ targetTabId: tab });
    const scale = Math.min(1, MAX_WIDTH / width);
    const even = (pixels: number): number => Math.max(2, Math.round((pixels * scale) / 2) * 2);
    return { stream, width: even(width), height: even(height) };
  } catch (error) {
    return { refused: inShort(error instanceof Error ? error.message : String(error)) };
  }
}

/** Chrome's own words are of the extension's code; those for the user say what is missing. */
const inShort = (message: string): string =>
  message.includes("not been invoked") ? "the user has not opened the extension there" : message.replace(/\.$/, "");

/** Has covered fields be black in all documents of a tab that can be reached, those that come later not included. */
export async function addBlack(tabId: number): Promise<void> {
  await chrome.scripting.insertCSS({ target: { tabId, allFrames: true }, css: BLACK, origin: "USER" });
}

export async function removeBlack(tabId: number): Promise<void> {
  await chrome.scripting.removeCSS({ target: { tabId, allFrames: true }, css: BLACK, origin: "USER" });
}
