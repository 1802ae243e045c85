import { nearest } from "../shadow.ts";
import { acts } from "./scope.ts";

interface Point {
  x: number;
  y: number;
}

const BUTTONS: Record<string, number> = { left: 0, middle: 1, right: 2 };

/** Moves a made-up pointer onto an element: what pages hear when a real one comes. */
export function enter(element: Element, point: Point): void {
  pointer(element, "pointerover", point);
  pointer(element, "pointerenter", point, { bubbles: false });
  mouse(element, "mouseover", point);
  mouse(element, "mouseenter", point, { bubbles: false });
  pointer(element, "pointermove", point);
  mouse(element, "mousemove", point);
}

/**
 * Presses and releases a made-up button on an element, count times. false: the page took it away when it was pressed, so
 * that no click followed. undefined: it was something else when the pointer had come, and was not pressed. check is called
 * before each event that another element must not hear, with how often this one was clicked; what it throws ends the press.
 */
export function press(
  element: Element,
  point: Point,
  name: string,
  count: number,
  still = (): boolean => true,
  check: (clicks: number) => void = () => undefined,
): boolean | undefined {
  const button = BUTTONS[name] ?? 0;
  const buttons = button === 0 ? 1 : button === 2 ? 2 : 4;
  enter(element, point);
  if (!still()) return undefined;
  for (let detail = 1; detail <= count; detail++) {
    if (detail > 1) check(detail - 1);
    // A page that prevents pointerdown hears of no mousedown and mouseup, and keeps its focus; it is clicked all the same.
    const withMouse = pointer(element, "pointerdown", point, { button, buttons });
    // So does one that prevents mousedown keep its focus.
    const goesOn = withMouse && mouse(element, "mousedown", point, { button, buttons, detail });
    if (goesOn && detail === 1) focusFrom(element);
    check(detail - 1);
    pointer(element, "pointerup", point, { button });
    if (withMouse) mouse(element, "mouseup", point, { button, detail });
    if (!element.isConnected) return detail > 1 || button !== 0;
    check(detail - 1);
    if (button === 0) pointer(element, "click", point, { detail });
    else {
      pointer(element, "auxclick", point, { button, detail });
      if (button === 2) pointer(element, "contextmenu", point, { button });
    }
  }
  if (count === 2 && button === 0) mouse(element, "dblclick", point, { detail: 2 });
  return true;
}

/** Focuses what a click on the element would. */
function focusFrom(element: Element): void {
  const focusable = nearest(
    element,
    "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]",
  ) as HTMLElement | null;
  if (focusable) focusable.focus({ preventScroll: true });
  else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

function pointer(element: Element, type: string, { x, y }: Point, more: PointerEventInit = {}): boolean {
  // Clicks are of a pointer too, and are told as of no primary one.
  const isClick = type === "click" || type === "auxclick" || type === "contextmenu";
  return acts().dispatch(
    element,
    new PointerEvent(type, {
      ...common(x, y),
      pointerId: 1,
      pointerType: "mouse",
      isPrimary: !isClick,
      cancelable: type !== "pointerenter",
      pressure: more.buttons ? 0.5 : 0,
      ...more,
    }),
  );
}

function mouse(element: Element, type: string, { x, y }: Point, more: MouseEventInit = {}): boolean {
  return acts().dispatch(element, new MouseEvent(type, { ...common(x, y), ...more }));
}

const common = (x: number, y: number): MouseEventInit => ({
  bubbles: true,
  cancelable: true,
  composed: true,
  view: window,
  clientX: x,
  clientY: y,
  screenX: x + window.screenX,
  screenY: y + window.screenY,
});
