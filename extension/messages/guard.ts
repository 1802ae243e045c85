/**
 * What the user does with keyboard and pointer. A listener that is added later hears it after the page's own, which are on
 * window too; so these are here before the page has any. They hear rare events only, and cost a page next to nothing.
 */
const RARE =
  "keydown keypress keyup beforeinput input compositionstart compositionupdate compositionend copy cut paste " +
  "pointerdown pointerup pointercancel gotpointercapture lostpointercapture mousedown mouseup " +
  "click auxclick dblclick contextmenu focus blur focusin focusout selectstart dragstart";

const RARE_PASSIVE = "touchstart touchend touchcancel";

/**
 * What each move of the pointer makes, some of it for each element around the pointer if anybody listens. It is listened
 * for while somebody draws: the page's own capture listeners on window hear it then, and nobody else.
 */
const MOVING =
  "pointermove pointerover pointerout pointerenter pointerleave mousemove mouseover mouseout mouseenter mouseleave";

const MOVING_PASSIVE = "touchmove wheel";

declare global {
  /** Who takes the user's input while the user draws; nothing otherwise, and then the page hears everything. */
  var gasolineInput: ((event: Event) => void) | undefined;
  /** Ends the drawing that is under way, as if the user had cancelled it; there once somebody drew in the document. */
  var gasolineStopDrawing: (() => void) | undefined;
}

const hear = (event: Event): void => {
  if (globalThis.gasolineInput && event.isTrusted) globalThis.gasolineInput(event);
};

/** Passive listeners never keep the page from scrolling. */
function listen(types: string, passive: boolean): void {
  for (const type of types.split(" ")) window.addEventListener(type, hear, { capture: true, passive });
}

/** Stands before the page's listeners from now on. Again is no harm: a document that is opened anew has lost them. */
export function guard(): void {
  if (window !== window.top) return; // the drawing lies over the main frame's viewport, and has the focus
  listen(RARE, false);
  listen(RARE_PASSIVE, true);
}

/** Hears the pointer move before the page's elements do, until letMove. */
export function guardMoves(): void {
  listen(MOVING, false);
  listen(MOVING_PASSIVE, true);
}

/** Moves are the page's again. */
export function letMove(): void {
  for (const type of `${MOVING} ${MOVING_PASSIVE}`.split(" ")) window.removeEventListener(type, hear, true);
}
