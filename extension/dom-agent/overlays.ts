import { fold, roleOf } from "@gasoline/capture/locators/name";
import { shownName, shownText } from "./identity.ts";
import { elementAt, everywhere, isInside, parentOf } from "./shadow.ts";
import type { Scope } from "./shadow.ts";
import { isDisabled } from "./describe.ts";
import { isOwn } from "./own.ts";
import { isTransparent, isVisible } from "./visible.ts";

/** Something that lies over the page. */
export interface Layer {
  element: Element;
  type: "dialog" | "alertdialog" | "popover" | "banner" | "layer";
}

const DECLARED = "dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true], :popover-open";

/** Of a page's layers that declare themselves so many are looked at. */
const MAX_LAYERS = 200;

/** What lies on top, undefined where nothing does. What declares itself a dialog or popover comes before what only looks so. */
export function topLayer(scope: Scope): Layer | undefined {
  const declared = everywhere(DECLARED, scope)
    .slice(0, MAX_LAYERS)
    .filter((at) => !isOwn(at) && isSeen(at));
  // The one that nothing of another one lies over; of one in the other the inner one.
  const top = declared.filter((at) => isOnTop(at)).at(-1) ?? declared.at(-1);
  if (top) return { element: top, type: typeOf(top) };
  const layer = paintedLayer(scope);
  return layer && { element: layer, type: "layer" };
}

function typeOf(element: Element): Layer["type"] {
  if (element.getAttribute("role") === "alertdialog") return "alertdialog";
  const popover = element.matches(":popover-open") && !element.matches("[role=dialog], [aria-modal=true]");
  return popover ? "popover" : "dialog";
}

const isSeen = (at: Element): boolean => (isVisible(at) || [...at.children].some(isVisible)) && !isTransparent(at);

function isOnTop(element: Element): boolean {
  // A dialog may be a box around its panel without a size of its own.
  const box = sized(element).getBoundingClientRect();
  return points(box).some(({ x, y }) => {
    const hit = elementAt(x, y);
    return hit !== null && isInside(hit, element);
  });
}

function sized(element: Element): Element {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 ? element : ([...element.children].find(isVisible) ?? element);
}

function points({ x, y, width, height }: DOMRect): { x: number; y: number }[] {
  return [0.5, 0.1, 0.9].flatMap((across) =>
    [0.5, 0.1, 0.9].map((down) => ({ x: x + width * across, y: y + height * down })),
  );
}

/** What is painted over the page at a few points of the viewport, fixed and above the rest; bars along an edge do not count. */
function paintedLayer(scope: Scope): Element | undefined {
  for (const { x, y } of points(new DOMRect(0, 0, innerWidth, innerHeight))) {
    let found: Element | undefined;
    for (let at = elementAt(x, y); at && at !== document.body; at = parentOf(at)) {
      const { position, zIndex } = getComputedStyle(at);
      if ((position === "fixed" || position === "absolute") && Number(zIndex) >= 10) found = at;
    }
    if (!found || isOwn(found) || (scope instanceof Element && !isInside(found, scope))) continue;
    const { width, height } = found.getBoundingClientRect();
    const large = width * height >= 0.04 * innerWidth * innerHeight;
    if (large && !found.matches("header, nav, [role=banner], [role=navigation]") && buttonsIn(found).length > 0)
      return found;
  }
  return undefined;
}

const BUTTONS =
  "button, [role=button], input:is([type=button], [type=submit]), a:is([href], [role]), [aria-label], [onclick]";
const MAX_BUTTONS = 300;

/** What can be pressed in a part of the page. */
export const buttonsIn = (scope: Scope): Element[] => shownButtons(scope).filter((at) => !isDisabled(at));

/** The same with what is disabled. */
export const shownButtons = (scope: Scope): Element[] =>
  everywhere(BUTTONS, scope)
    .slice(0, MAX_BUTTONS)
    .filter((at) => isPressable(at) && isVisible(at));

const isPressable = (at: Element): boolean =>
  /^(button|link|menuitem|tab)$/.test(roleOf(at)) || at.hasAttribute("onclick");

/** What a button says, in lower case without marks around it. */
export const wordsOf = (at: Element): string =>
  (fold(shownName(at), 80) || shownText(at, 80))
    .toLowerCase()
    .replace(/^[\s\p{P}\p{S}]+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])[\s\p{P}\p{S}]+$/gu, "")
    .trim();

/** The first words of a layer. */
export const textOf = ({ element }: Layer): string => fold(shownText(sized(element), 200), 120);
