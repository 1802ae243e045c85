import { componentTags, roleGiven } from "@gasoline/capture/locators/lent";
import { fold } from "@gasoline/capture/locators/name";
import { isDisabled } from "./describe.ts";
import { shownName } from "./identity.ts";
import { isOwn } from "./own.ts";
import type { Pass } from "./pass.ts";
import { beginsPointer, isOperable, perhaps } from "./read/list_interactive.ts";
import { Flat, showsText } from "./rendered.ts";
import { holderOf, parentOf, shownIn } from "./shadow.ts";
import { isBare, isTransparent, isVisible } from "./visible.ts";

/** What opens and closes in a page. */
const OPENING =
  "dialog, [popover], [aria-modal=true], [role~=dialog i], [role~=alertdialog i], [role~=menu i], [role~=listbox i], " +
  "[role~=tooltip i], [role~=tabpanel i], [class*=modal i], [class*=dialog i], [class*=drawer i]";

/** What tells a user something by itself. */
export const TELLING =
  "[role~=alert i], [role~=status i], [role~=log i], output, [aria-live=polite], [aria-live=assertive], " +
  "[class*=toast i], [class*=snackbar i], [class*=error-message i], [class*=field-error i]";

/** What may open, close or tell something; components say of themselves what they are. */
export const showing = (): string => [OPENING, TELLING, ...componentTags()].join();

/** Of a part so many nodes are read, so many characters of its words, and so many controls are found. */
const MAX_NODES = 600;
const MAX_WORDS = 300;
const MAX_CONTROLS = 100;

/** What a part is that opens and closes, or that tells something; "" for another one. */
export function kindOf(element: Element): string {
  const role = (roleGiven(element) ?? "").trim().split(/\s+/)[0]?.toLowerCase() ?? "";
  if (/^(alert)?dialog$/.test(role) || element.matches("dialog:not([role]), [aria-modal=true]")) return "dialog";
  if (/^(menu|listbox|tooltip|tabpanel|alert|status|log)$/.test(role)) return role;
  if (element.hasAttribute("popover")) return "popover";
  if (element.localName === "output") return "status";
  if (element.matches(TELLING)) return /error/i.test(element.className) ? "error" : "message";
  // A class says little: what is in dialogs and behind them is called so, too.
  return element.matches(OPENING) && /^(fixed|absolute)$/.test(getComputedStyle(element).position) ? "layer" : "";
}

/** Says whether a kind of part tells something by its words, instead of opening. */
export const isTelling = (kind: string): boolean => /^(alert|status|log|message|error)$/.test(kind);

/** Says whether a user sees a part now, or what it holds where it has no box: neither see-through nor out of reach. */
export function isSeen(element: Element): boolean {
  const bare = isBare(element);
  return !bare && isVisible(element)
    ? isBoxSeen(element)
    : shownIn(element).some((at) =>
        at instanceof Element ? isVisible(at) && isSeen(at) : bare && at.textContent?.trim() && isBoxSeen(element),
      );
}

/** A text without a box around it is where the next box is. */
function isBoxSeen(at: Element): boolean {
  return isBare(at) ? isBoxSeen(parentOf(at)!) : isVisible(at) && !isTransparent(at) && isInReach(at);
}

/** Says whether a part declares that it is there for nobody: by itself, or by a box that holds nothing else. */
export function isHushed(element: Element): boolean {
  let at: Element | null = element;
  while (at && !at.matches("[inert], [aria-hidden=true]"))
    at = at.parentElement?.childElementCount === 1 ? at.parentElement : null;
  return at !== null;
}

/** Says whether something of an element can be brought into the viewport by scrolling. */
export function isInReach(element: Element): boolean {
  let { left, right, top, bottom } = element.getBoundingClientRect();
  const { body, documentElement: root } = document;
  const style = getComputedStyle(element);
  let { position } = style;
  if (/inset\((50|100)%|circle\(0/.test(style.clipPath)) return false;
  let at = parentOf(element);
  for (; at && at !== body && at !== root && position !== "fixed"; at = parentOf(at)) {
    const around = getComputedStyle(at);
    // What is positioned is cut off only by what it is positioned in.
    if (position === "absolute" && around.position === "static" && around.transform === "none") continue;
    position = around.position;
    if (around.overflowX === "visible" && around.overflowY === "visible") continue;
    const box = at.getBoundingClientRect();
    if (/hidden|clip/.test(around.overflowX)) [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    if (/hidden|clip/.test(around.overflowY)) [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    if (right <= left || bottom <= top) return false;
    if (around.overflowX !== "visible") ({ left, right } = box);
    if (around.overflowY !== "visible") ({ top, bottom } = box);
  }
  if (position === "fixed") return right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  const rigid = [root, body].some((part) => part && /hidden|clip/.test(getComputedStyle(part).overflowX));
  const width = rigid ? innerWidth : Math.max(innerWidth, root.scrollWidth - scrollX);
  const leftmost = getComputedStyle(root).direction === "rtl" ? root.clientWidth - root.scrollWidth : 0;
  return right + scrollX > leftmost && bottom + scrollY > 0 && left < width;
}

/** What stands in a part: its words one by one, without those of controls, which are beside them. */
interface Content {
  words: string[];
  controls: Element[];
}

/** How many nodes may be read. */
export interface Room {
  nodes: number;
}

/** Reads what a user sees in a part of the page, in shadow roots and slots, too, without elements that are passed. */
export function contentOf(
  part: Element | Text,
  pass: Pass,
  room: Room = { nodes: MAX_NODES },
  passed?: (inner: Element) => boolean,
): Content {
  if (part instanceof Text) {
    const text = fold(part.data, MAX_WORDS);
    const around = holderOf(part);
    return {
      words:
        text === "" || (around && !(isPainted(around) && showsText(around)))
          ? []
          : [around ? pass.secrets.clean(text, around) : text],
      controls: [],
    };
  }
  const words: string[] = [];
  const controls: Element[] = [];
  const labels: string[] = [];
  let left = MAX_WORDS;
  const nodes = new Flat(part).nodes();
  let skip: boolean;
  for (let step = nodes.next(), n = 0; !step.done && n < MAX_NODES && room.nodes > 0; step = nodes.next(skip), n++) {
    room.nodes--;
    const at = step.value;
    skip = false;
    if (at instanceof Text) {
      const around = at.assignedSlot ?? at.parentElement;
      const text = fold(at.data, MAX_WORDS);
      if (text === "" || left <= 0 || (around && !isPainted(around))) continue;
      const list = around?.closest("label, legend") ? labels : words;
      list.push(around ? pass.secrets.clean(text, around) : text);
      left -= text.length;
    } else if (
      /^(script|style|template|noscript|option)$/.test(at.localName) ||
      isOwn(at) ||
      !mayShow(at) ||
      passed?.(at)
    )
      skip = true;
    else if (at !== part && isControl(at)) {
      skip = true;
      if (controls.length < MAX_CONTROLS && isVisible(at) && !isDisabled(at, pass)) controls.push(at);
    }
  }
  return { words: words.length > 0 || controls.length > 0 ? words : labels, controls };
}

/** Says whether something is made to be operated, or looks so. */
export const isControl = (at: Element): boolean =>
  (at.matches(perhaps()) && isOperable(at)) ||
  (at instanceof HTMLElement && at.firstChild !== null && beginsPointer(at));

/** Something may be shown in an element that has no box itself. */
const mayShow = (at: Element): boolean => at.checkVisibility() || isBare(at);

const isPainted = (at: Element): boolean =>
  at.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || isBare(at);

/** What a part that opens is called: by its name, or else its heading; "" for one that is known by its words alone. */
export function titleOf(part: Element, pass: Pass): string {
  const name = fold(shownName(part, pass), 60);
  if (name !== "" || part.matches("[role~=menu i], [role~=listbox i]")) return name;
  for (const at of new Flat(part).nodes())
    if (at instanceof Element && at.matches("h1, h2, h3, h4, h5, h6, [role=heading]") && isVisible(at))
      return fold(contentOf(at, pass).words.join(" "), 60);
  return "";
}
