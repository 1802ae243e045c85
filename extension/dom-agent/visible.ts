import type { Rect } from "../messages/agent.ts";
import { surfaceOf } from "./editor.ts";
import { first, parentOf, rectsOf, shownIn } from "./shadow.ts";

/** Says whether a user could see the element if it was scrolled to: it has a box and nothing hides it. */
export const isVisible = (element: Element): boolean => isShown(element, undefined);

/** The same for an element whose box was read already. */
export function isShown(element: Element, box: Rect | undefined): boolean {
  if (!element.isConnected) return false;
  // An option is shown by its select, an area by its picture; their own boxes are empty.
  const isArea = element instanceof HTMLAreaElement;
  if (isArea || element instanceof HTMLOptionElement) {
    const around = isArea ? pictureOf(element) : element.parentElement;
    return around !== null && isVisible(around);
  }
  // What content-visibility: auto leaves out is far away: it is shown once it is scrolled to.
  if (element.checkVisibility({ visibilityProperty: true, opacityProperty: false, contentVisibilityAuto: false })) {
    const { width, height } = box ?? element.getBoundingClientRect();
    if (hasSize(element, width, height)) return true;
    const surface = surfaceOf(element);
    return surface !== element && isVisible(surface);
  }
  return (
    isBare(element) &&
    shownIn(element).some((at) =>
      at instanceof Element
        ? isVisible(at)
        : at instanceof Text && rectsOf(at).length > 0 && getComputedStyle(element).visibility === "visible",
    )
  );
}

/** Says whether an element has no box of its own, while what it shows has. */
export const isBare = (at: Element): boolean => getComputedStyle(at).display === "contents";

/** A line of a drawing may be flat: its stroke is no part of its box. */
const hasSize = (element: Element, width: number, height: number): boolean =>
  element instanceof SVGGeometryElement ? width + height > 0 : width > 0 && height > 0;

/** The picture that an area of a map lies on. */
const pictureOf = (area: HTMLAreaElement): HTMLElement | null =>
  (area.getRootNode() as ParentNode).querySelector(`img[usemap$="#${CSS.escape(area.closest("map")?.name ?? "")}"]`);

/** The boxes that an element is seen in: of an area that around its shape, of what has none those of what it shows. */
function boxesOf(element: Element): Rect[] {
  if (isBare(element))
    return shownIn(element).flatMap((at) =>
      at instanceof Element ? boxesOf(at) : at instanceof Text ? [...rectsOf(at)] : [],
    );
  const picture = element instanceof HTMLAreaElement && pictureOf(element);
  if (!picture) return [...surfaceOf(element).getClientRects()];
  const at = (element as HTMLAreaElement).coords.split(",").map(Number);
  const [left = 0, top = 0, r] = at;
  const { x, y, width, height } = picture.getBoundingClientRect();
  if (r === undefined) return [{ x, y, width, height }]; // all of it
  const ends = at.length === 3 ? [left - r, top - r, left + r, top + r] : at;
  const [across, down] = [width / picture.offsetWidth, height / picture.offsetHeight]; // it may be drawn larger
  const points = ends.map((end, i) => new DOMRect(x + across * end, y + down * (ends[i + 1] ?? 0)));
  return [around(points.filter((_, i) => i % 2 === 0))];
}

/** The box around some others. */
function around(boxes: Rect[]): Rect {
  const least = (of: (box: Rect) => number): number => Math.min(...boxes.map(of));
  const x = least((box) => box.x);
  const y = least((box) => box.y);
  return { x, y, width: -least((box) => -box.x - box.width) - x, height: -least((box) => -box.y - box.height) - y };
}

/** Brings an element to the middle of the viewport, or elsewhere into it. */
export function intoView(element: Element, to: ScrollIntoViewOptions = { block: "center", inline: "nearest" }): void {
  const isText = isBare(element);
  const inner = isText && shownIn(element).find((at) => at instanceof Element && isVisible(at));
  if (inner) return intoView(inner as Element, to);
  const seen = element instanceof HTMLAreaElement ? pictureOf(element) : isText ? parentOf(element) : element;
  seen?.scrollIntoView({ ...to, behavior: "instant" });
  const { x, y } = pointOf(element);
  // Browsers scroll to boxes of elements only, and what is seen of this one is a part of such a box.
  if (seen !== element && !inViewport({ x, y }))
    scrollBy({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: "instant" });
}

/** Says whether something makes the element see-through altogether. */
export const isTransparent = (element: Element): boolean =>
  first(element, (at) => getComputedStyle(at).opacity === "0") !== null;

/** The box of an element in the viewport; of its first line when it wraps. */
export function boxOf(element: Element): Rect {
  const own = element.getBoundingClientRect();
  const boxes = own.width + own.height > 0 ? [] : boxesOf(element).filter(({ width, height }) => width * height > 0);
  return around(boxes.length > 0 ? boxes : [own]);
}

/** Where to click: the middle of the first box that is in the viewport, else of the first. */
export function pointOf(element: Element): { x: number; y: number } {
  const boxes = boxesOf(element).filter(({ width, height }) => hasSize(element, width, height));
  const shown = boxes.find((box) => inViewport(middle(box))) ?? boxes[0];
  return shown ? clampToViewport(shown) : middle(surfaceOf(element).getBoundingClientRect());
}

/** Of what stands in an element so many parts are tried, and so many points of each of its boxes across and down. */
const MAX_PARTS = 40;
const ACROSS = 9;
const DOWN = 5;

/** Where else an element can be pressed, beside the middle: at its words and boxes, then all over it. */
export function* pointsOf(element: Element): Generator<{ x: number; y: number }> {
  yield pointOf(element);
  if (element instanceof SVGGeometryElement) {
    const middle = element.getPointAtLength(element.getTotalLength() / 2);
    yield middle.matrixTransform(element.getScreenCTM() ?? undefined);
  }
  let parts = 0;
  for (const box of partsOf(surfaceOf(element))) {
    yield clampToViewport(box);
    if (++parts >= MAX_PARTS) break;
  }
  for (const { x, y, width, height } of boxesOf(element))
    for (let down = 0; down < DOWN; down++)
      for (let across = 0; across < ACROSS; across++)
        yield { x: x + spread(across, ACROSS, width), y: y + spread(down, DOWN, height) };
}

/** The place of one of n points on a length: the first and the last stand two pixels from its ends. */
function spread(i: number, n: number, length: number): number {
  const margin = Math.min(2, length / 2);
  return margin + (i * (length - 2 * margin)) / (n - 1);
}

/** The boxes of the words and of the innermost elements in an element, as it is shown. */
function* partsOf(element: Element): Generator<Rect> {
  for (const node of shownIn(element)) {
    if (node instanceof Element && node.firstChild) yield* partsOf(node);
    else if (node instanceof Element) yield* node.getClientRects();
    else if (node instanceof Text && node.data.trim()) yield* rectsOf(node);
  }
}

/** Says whether a point is in the viewport. */
export function inViewport({ x, y }: { x: number; y: number }): boolean {
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
}

function middle({ x, y, width, height }: Rect): { x: number; y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}

/** The middle of the part of a box that the viewport shows; of the whole box when it shows none. */
function clampToViewport(box: Rect): { x: number; y: number } {
  const left = Math.max(0, box.x);
  const top = Math.max(0, box.y);
  const right = Math.min(innerWidth, box.x + box.width);
  const bottom = Math.min(innerHeight, box.y + box.height);
  return right > left && bottom > top ? { x: (left + right) / 2, y: (top + bottom) / 2 } : middle(box);
}

/** Says whether a point of an element is scrolled out of sight inside of a box that scrolls by itself. */
export function isClipped(element: Element, { x, y }: { x: number; y: number }): boolean {
  for (let at = parentOf(element); at && at !== document.documentElement && at !== document.body; at = parentOf(at)) {
    if (getComputedStyle(at).overflow === "visible") continue;
    const box = at.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) return true;
  }
  return false;
}

/** A rectangle with one decimal. */
export function rounded({ x, y, width, height }: Rect): Rect {
  const round = (n: number): number => Math.round(n * 10) / 10;
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}
