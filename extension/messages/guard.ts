/**
 * What the user does with keyboard and pointer. A listener that is added later hears it after the page's own, which are on
 * window too; so these are here before the page has any.
 */
const TYPES =
  "keydown keypress keyup beforeinput input compositionstart compositionupdate compositionend copy cut paste " +
  "pointerdown pointermove pointerup pointercancel pointerover pointerout pointerenter pointerleave " +
  "gotpointercapture lostpointercapture mousedown mousemove mouseup mouseover mouseout mouseenter mouseleave " +
  "click auxclick dblclick contextmenu focus blur focusin focusout selectstart dragstart";

/** They never keep the page from scrolling. */
const PASSIVE = "touchstart touchmove touchend touchcancel wheel";

declare global {
  /** Who takes the user's input while the user draws; nothing otherwise, and then the page hears everything. */
  var gasolineInput: ((event: Event) => void) | undefined;
}

const hear = (event: Event): void => {
  if (globalThis.gasolineInput && event.isTrusted) globalThis.gasolineInput(event);
};

/** Stands before the page's listeners from now on. Again is no harm: a document that is opened anew has lost them. */
export function guard(): void {
  if (window !== window.top) return; // the drawing lies over the main frame's viewport, and has the focus
  for (const type of TYPES.split(" ")) window.addEventListener(type, hear, true);
  for (const type of PASSIVE.split(" ")) window.addEventListener(type, hear, { capture: true, passive: true });
}
