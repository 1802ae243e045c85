import { parentOf } from "./shadow.ts";

/** What answers have before a text that is rendered and that nobody sees: it may be written for machines alone. */
export const NOT_SEEN = "(not seen) ";

/** Smaller letters are none to the eye, and less of a box is no box; CSS pixels. */
const TINY = 2;

/** Tells texts of one pass that nobody sees, though they are rendered. What lies under something else is not told. */
export class Unseen {
  readonly #hides = new Map<Element, boolean>();

  /** Says whether nobody sees the text in an element. */
  has(element: Element): boolean {
    const style = getComputedStyle(element);
    if (parseFloat(style.fontSize) < TINY || parseFloat(style.textIndent) <= -innerWidth || isInvisible(style))
      return true;
    return this.#isHidden(element, style);
  }

  #isHidden(element: Element | null, style?: CSSStyleDeclaration): boolean {
    if (!element) return false;
    let hidden = this.#hides.get(element);
    if (hidden === undefined) {
      hidden = hides(element, style ?? getComputedStyle(element)) || this.#isHidden(parentOf(element));
      this.#hides.set(element, hidden);
    }
    return hidden;
  }
}

/** Says whether letters have no colour. Those that are cut out of a picture have the picture's. */
function isInvisible(style: CSSStyleDeclaration): boolean {
  const { webkitTextFillColor: fill } = style;
  // Each value that is asked for costs, and pages have thousands of texts.
  if (!/^rgba\(.*, 0\)$/.test(fill) && (fill !== style.backgroundColor || style.backgroundImage !== "none"))
    return false;
  return !(
    style.backgroundClip === "text" ||
    parseFloat(style.webkitTextStrokeWidth) > 0 ||
    style.textShadow !== "none"
  );
}

/** Says whether an element hides all that is in it. */
function hides(element: Element, style: CSSStyleDeclaration): boolean {
  const { opacity, clipPath, overflow, position } = style;
  if (parseFloat(opacity) < 0.02 || /^(inset\((50|100)%|circle\(0)/.test(clipPath)) return true;
  const inPlace = position === "static" || position === "relative";
  if (inPlace && overflow === "visible") return false; // its box need not be asked for
  const { right, bottom, width, height } = element.getBoundingClientRect();
  if (overflow !== "visible" && (width < TINY || height < TINY)) return true;
  if (inPlace) return false;
  if (/^rect\((0px|1px)?,? ?(0|1)px,? (0|1)px/.test(style.clip)) return true;
  // Beyond the beginning of the page nobody can scroll.
  const { scrollLeft, scrollTop } = document.documentElement;
  const isFixed = position === "fixed";
  return width > 0 && (right + (isFixed ? 0 : scrollLeft) <= 0 || bottom + (isFixed ? 0 : scrollTop) <= 0);
}
