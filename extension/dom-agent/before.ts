import { ariaOf, componentTags } from "@gasoline/capture/locators/lent";
import { fold } from "@gasoline/capture/locators/name";
import { isBox } from "./control.ts";
import { isOwn } from "./own.ts";
import { Pass } from "./pass.ts";
import { contentOf, isHushed, isInReach, isSeen, isTelling, kindOf, showing, titleOf } from "./parts.ts";
import { showsText } from "./rendered.ts";
import { isSecret } from "./secret.ts";
import { everywhere, first, roots } from "./shadow.ts";

/** Parts of these kinds are looked at, so many; elements that are hidden are kept, so many. */
const MAX_SHOWING = 400;
const MAX_HIDDEN = 1000;
const MAX_STATES = 1000;

/** Of what a field holds so many characters are kept. */
const MAX_VALUE = 60;

/** So many elements are always gone through; the others while a slice of work lasts, ms. */
const ALWAYS = 4000;
const SLICE_MS = 12;

/** Elements that nobody sees or whose parts are none of the page's. */
const LEAF = /^(head|script|style|template|noscript|select|datalist|svg|math|iframe|video|audio|object)$/i;

/** A part that opens, closes or tells something, as it was. */
export interface Part {
  kind: string;
  seen: boolean;
  hushed: boolean;
  /** What it is called, or says. */
  words: string;
}

/** What is kept of the state of controls that no attribute tells. */
type State = Record<string, string | null>;

/** Before is what a user saw of a page at one moment, to tell what came to be seen since: by whatever means it did. */
export class Before {
  readonly parts = new Map<Element, Part>();
  /** The outermost elements that were not seen. */
  readonly hidden = new Set<Element>();
  readonly states = new Map<Element, State>();
  /** Elements that are seen without the texts that stand directly in them. */
  readonly #mute = new Set<Element>();
  readonly pass = new Pass();

  constructor() {
    for (const [element, part] of partsNow(this.pass)) this.parts.set(element, part);
    for (const element of everywhere(["input", "select", "textarea", ...componentTags()].join(), document)) {
      if (this.states.size >= MAX_STATES) break;
      this.states.set(element, stateOf(element));
    }
    const until = performance.now() + SLICE_MS;
    let gone = 0;
    for (const root of roots()) {
      if (root instanceof ShadowRoot && isOwn(root.host)) continue;
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
      for (let at = walker.nextNode() as Element | null; at && this.hidden.size < MAX_HIDDEN; gone++) {
        if (gone > ALWAYS && gone % 64 === 0 && performance.now() > until) return;
        const leaf = LEAF.test(at.localName) || isOwn(at);
        const hidden = !leaf && isHidden(at);
        if (hidden) this.hidden.add(at);
        else if (at.matches("details, [hidden]") && !showsText(at)) this.#mute.add(at);
        at = (leaf || hidden ? over(walker) : walker.nextNode()) as Element | null;
      }
    }
  }

  /** What was hidden and may be seen now, in the order of the page. */
  shown(): (Element | Text)[] {
    const texts = [...this.#mute]
      .filter(showsText)
      .flatMap((at) => [...at.childNodes].filter((node) => node instanceof Text));
    return [...[...this.hidden].filter((at) => at.isConnected && at.checkVisibility()), ...texts];
  }

  /** Whether a part told or showed what it does now, so that nothing came of it. */
  stood(element: Element): boolean {
    const was = this.parts.get(element);
    return (
      was !== undefined &&
      was.seen &&
      !was.hushed &&
      (!isTelling(was.kind) || was.words === wordsOf(element, new Pass()))
    );
  }
}

/** The parts that there are now. */
export function partsNow(pass: Pass): Map<Element, Part> {
  const found = new Map<Element, Part>();
  for (const element of everywhere(showing(), document)) {
    if (found.size >= MAX_SHOWING) break;
    const kind = isOurs(element) ? "" : kindOf(element);
    if (kind === "") continue;
    const seen = isSeen(element) || (isTelling(kind) && isForReaders(element));
    const words = !seen ? "" : isTelling(kind) ? wordsOf(element, pass) : titleOf(element, pass);
    found.set(element, { kind, seen, hushed: isHushed(element), words });
  }
  return found;
}

/** Says whether we put an element into the page, or what it is in. */
const isOurs = (element: Element): boolean => first(element, isOwn) !== null;

/** What a part says. */
export const wordsOf = (element: Element, pass: Pass): string => contentOf(element, pass).words.join(" ");

/** What tells something may be there for those who hear it: out of the viewport, and as small as can be. */
const isForReaders = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && width <= 2 && height > 0 && height <= 2 && element.checkVisibility({ visibilityProperty: true });
};

/** What a control says of itself without an attribute. What a secret field holds is nobody's business. */
export function stateOf(element: Element): State {
  if (isBox(element)) return { checked: String(element.checked) };
  if (element instanceof HTMLSelectElement)
    return { value: [...element.selectedOptions].map(({ label }) => fold(label, MAX_VALUE)).join(", ") };
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
    return /^(hidden|file|submit|button|reset|image)$/.test(element.type) || isSecret(element)
      ? {}
      : { value: fold(element.value, MAX_VALUE) };
  const state: State = {};
  for (const name of ["expanded", "selected", "checked", "pressed"]) state[`aria-${name}`] = ariaOf(element, name);
  return state;
}

function isHidden(element: Element): boolean {
  if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: false }))
    return getComputedStyle(element).display !== "contents";
  const { left, right, top, bottom } = element.getBoundingClientRect();
  if (right > left && bottom > top && right > 0 && left < innerWidth && bottom + scrollY > 0 && top < innerHeight)
    return isCutOff(element);
  if (right <= left || bottom <= top)
    return (
      element.firstElementChild !== null &&
      /hidden|clip/.test(getComputedStyle(element).overflow) &&
      ![...element.children].some(isInReach)
    );
  // Far away is not hidden: only what no scrolling brings is.
  return (
    (right <= 0 || left >= innerWidth || bottom + scrollY <= 0 || getComputedStyle(element).position === "fixed") &&
    !isInReach(element)
  );
}

/** Says whether an element lies in nothing but what its parent cuts off. */
function isCutOff(element: Element): boolean {
  const around = element.parentElement;
  if (!around) return false;
  const [own, box] = [element.getBoundingClientRect(), around.getBoundingClientRect()];
  const apart = own.left >= box.right || own.right <= box.left || own.top >= box.bottom || own.bottom <= box.top;
  return apart && !isInReach(element);
}

/** The next node that is not in the one where a walker is. */
function over(walker: TreeWalker): Node | null {
  do {
    const next = walker.nextSibling();
    if (next) return next;
  } while (walker.parentNode());
  return null;
}
