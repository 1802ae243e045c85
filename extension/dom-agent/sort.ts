import { isOwn } from "./own.ts";
import { renderedText } from "./rendered.ts";
import { everywhere } from "./shadow.ts";
import { isVisible } from "./visible.ts";

/** Documents that browsers draw as pages. */
const PAGES = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml)$/;
const MAX_URL = 200;

/** Frames of a page that are asked what they show. */
const MAX_PARTS = 20;

/** An address without what may be nobody's business in it. */
const brief = (url: string): string =>
  url
    .replace(/^data:.*/s, "a data: address")
    .replace(/[?#].*/s, "")
    .slice(0, MAX_URL);

/** What a document is that is not read as a page, in brackets, with the way to it that there is; "" for a page. */
export function sortOf(): string {
  const { contentType: type, documentElement: root, body } = document;
  if (!root) return "[the document is empty: it has no elements]";
  const url = brief(location.href);
  if (type === "application/pdf" || body?.querySelector(":scope > embed[type='application/pdf']"))
    return `[a PDF in the viewer of the browser, which cannot be read from outside: take a screenshot, or read the file itself at ${url}]`;
  const [picture] = document.images;
  if (type.startsWith("image/") && !PAGES.test(type)) {
    const { naturalWidth: width = 0, naturalHeight: height = 0 } = picture ?? {};
    return `[a picture: ${type}, ${width > 0 ? `${width} × ${height} px` : "which the browser cannot show"}, ${url}]`;
  }
  const film = document.querySelector<HTMLMediaElement>("video, audio");
  if (/^(video|audio)\//.test(type)) return `[a ${film?.localName ?? "film"}: ${type}, ${url}]`;
  const error = document.querySelector("parsererror");
  if (error)
    return `[not well-formed: ${/error on line[^\n]*/.exec(error.textContent ?? "")?.[0] ?? "an error"}; what stands behind it is missing]`;
  if (body instanceof HTMLFrameSetElement) {
    const frames = [...document.querySelectorAll("frame")].map(({ src }) => brief(src));
    const which = frames.length > 0 ? `: ${frames.slice(0, 5).join(", ")}; each is read by frame` : "";
    return `[a frameset of ${frames.length} frames${which}]`;
  }
  if (root instanceof HTMLElement && !body && root.innerText.trim() === "") return "[the document has no body]";
  const shown = [...document.querySelectorAll("iframe, embed, object")]
    .slice(0, MAX_PARTS)
    .filter(showsPDF)
    .map(addressOf);
  return shown.length === 0
    ? drawnOf()
    : `[a part of the page shows a PDF, which cannot be read from outside: ${shown.slice(0, 5).join(", ")}]`;
}

/** Canvases of a page that are asked how large they are. */
const MAX_CANVASES = 50;
/** A page with more letters says something beside what it draws. */
const FEW = 200;

/** Of a page that is little but a canvas: an application that draws its words, a game, a map. */
function drawnOf(): string {
  const canvas = everywhere("canvas", document)
    .slice(0, MAX_CANVASES)
    .find((at) => isVisible(at) && isLarge(at));
  if (!canvas || renderedText(pageRoot() ?? canvas).length > FEW) return "";
  const { width, height } = canvas.getBoundingClientRect();
  return `[a canvas of ${Math.round(width)} × ${Math.round(height)} px, on which the page draws; what it says there cannot be read: take a screenshot]`;
}

/** Says whether an element covers at least half of the viewport. */
function isLarge(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [width, height] = [
    Math.min(right, innerWidth) - Math.max(left, 0),
    Math.min(bottom, innerHeight) - Math.max(top, 0),
  ];
  return width > 0 && height > 0 && width * height * 2 >= innerWidth * innerHeight;
}

const addressOf = (part: Element): string =>
  brief((part as HTMLIFrameElement).src || (part as HTMLObjectElement).data || "");

/** A frame with the viewer of the browser is asked by nobody. */
function showsPDF(part: Element): boolean {
  if (part.getAttribute("type")?.toLowerCase() === "application/pdf" || /\.pdf$/i.test(addressOf(part))) return true;
  return part instanceof HTMLIFrameElement && part.contentDocument?.contentType === "application/pdf";
}

/** The text of a document that is shown as it was sent: plain, JSON, XML; undefined for others. */
export function sourceOf(): string | undefined {
  const { contentType: type, documentElement: root, body } = document;
  if (!root || PAGES.test(type)) return undefined;
  // The browser puts what it shows of XML around the source.
  const source = document.getElementById("webkit-xml-viewer-source-xml");
  const xml = new XMLSerializer();
  const written = (from: Node): string => [...from.childNodes].map((node) => xml.serializeToString(node)).join("\n");
  if (source) return written(source);
  const styled = [...document.childNodes].some((node) => node.nodeName === "xml-stylesheet");
  if (!(root instanceof HTMLElement)) return styled ? undefined : written(document);
  return body?.querySelector(":scope > pre")?.textContent ?? undefined;
}

/** What a page is read from: its body, or all where something stands beside it. */
export function pageRoot(): Element | null {
  const { body, documentElement: root } = document;
  const isBeside = (at: Element): boolean =>
    at !== body && !/^(head|parsererror)$/.test(at.localName) && at.checkVisibility() && !isOwn(at);
  return body && !(root && [...root.children].some(isBeside)) ? body : root;
}

/** What a document says: its source where it is shown as that, else its text as it is rendered. */
export function pageText(): string {
  const root = pageRoot();
  return sourceOf() ?? (root ? renderedText(root) : "");
}
