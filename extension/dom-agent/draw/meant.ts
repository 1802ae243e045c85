import type { Locator } from "@gasoline/schema/wire";
import type { Rect } from "../../messages/agent.ts";
import type { DrawnElement } from "../../messages/drawing.ts";
import type { frameElements } from "../frames.ts";
import type { Identity } from "../../messages/agent.ts";
import type { RefBook } from "../refs.ts";
import type { elementAt, parentOf } from "../shadow.ts";

/** What the agent of the document lends. */
export interface Tools {
  elementAt: typeof elementAt;
  /** Marks an element as none of the page's. */
  own: (element: Element) => void;
  parentOf: typeof parentOf;
  frameElements: typeof frameElements;
  identityOf: (element: Element) => Identity;
  roleOf: (element: Element) => string;
  /** The accessible name, with its spaces folded, ≤ 120 characters. */
  nameOf: (element: Element) => string;
  textOf: (element: Element, max: number) => string;
  rounded: (rect: Rect) => Rect;
  /** Best first. */
  locatorsOf: (element: Element) => Locator[];
}

/** Points along each side of a drawing under which elements are looked for. */
const ACROSS = [0.05, 0.25, 0.5, 0.75, 0.95];

/** Of elements that fit a drawing about as well as the best one, the innermost is meant. */
const AS_GOOD = 0.97;

const MAX_LOCATORS = 5;
const MAX_LOCATOR = 300;
const MAX_STYLE = 120;

const STYLES = [
  "display",
  "position",
  "color",
  "background-color",
  "font",
  "margin",
  "padding",
  "border",
  "width",
  "height",
  "opacity",
  "z-index",
];

/**
 * The element that a rectangle of the viewport means: the one whose box shares the most with it. It is large where the
 * user drew around something, and small where the user drew inside of it; both are found so.
 */
export function meant(rect: Rect, { elementAt, parentOf }: Tools): Element | null {
  const around = new Map<Element, number>(); // how deep each is
  for (const across of ACROSS)
    for (const down of ACROSS) {
      const path: Element[] = [];
      for (
        let at = elementAt(rect.x + rect.width * across, rect.y + rect.height * down);
        at && path.length < 500;
        at = parentOf(at)
      )
        path.push(at);
      for (const [i, at] of path.entries()) around.set(at, path.length - i);
    }
  const fits = [...around].map(([element, depth]) => ({ element, depth, fit: common(element, rect) }));
  const best = Math.max(...fits.map(({ fit }) => fit));
  const good = fits.filter(({ fit }) => fit >= best * AS_GOOD).sort((a, b) => b.depth - a.depth);
  return good[0]?.element ?? null;
}

/** What an element's box and a rectangle share, as a part of what both cover; 0-1. */
function common(element: Element, rect: Rect): number {
  const box = element.getBoundingClientRect();
  const width = Math.min(box.right, rect.x + rect.width) - Math.max(box.x, rect.x);
  const height = Math.min(box.bottom, rect.y + rect.height) - Math.max(box.y, rect.y);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (box.width * box.height + rect.width * rect.height - shared);
}

/** Says what an element is, as an agent can find it again and change it. */
export function drawnElement(element: Element, refs: RefBook, tools: Tools): DrawnElement {
  const style = getComputedStyle(element);
  const { x, y, width, height } = element.getBoundingClientRect();
  const frame = tools.frameElements().findIndex((at) => at === element);
  return {
    ref: refs.refOf(element, tools.identityOf(element)),
    tag: element.localName,
    role: tools.roleOf(element),
    name: tools.nameOf(element),
    text: tools.textOf(element, 200),
    rect: tools.rounded({ x: x + scrollX, y: y + scrollY, width, height }),
    locators: tools
      .locatorsOf(element)
      .filter(({ value }) => value.length <= MAX_LOCATOR)
      .slice(0, MAX_LOCATORS),
    styles: Object.fromEntries(STYLES.map((name) => [name, style.getPropertyValue(name).slice(0, MAX_STYLE)])),
    ...(frame < 0 ? {} : { frame: String(frame) }),
  };
}
