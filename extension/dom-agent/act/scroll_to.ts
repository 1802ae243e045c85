import type { ScrollParams, Viewport } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { parentOf } from "../shadow.ts";
import { isNamed, resolve } from "../target.ts";
import { intoView, pointOf } from "../visible.ts";
import { retry } from "../waiting.ts";
import { insideOf, onlyReal } from "./inside.ts";
import { outcome } from "./outcome.ts";
import { acts } from "./scope.ts";

/** Scrolls the target into view; with a direction, scrolls the page, or the target's own content. */
export async function scrollTo(params: ScrollParams, environment: Environment): Promise<Acted> {
  const { direction, dx = 0, dy = 0 } = params;
  const by = dx !== 0 || dy !== 0;
  if (!isNamed(params)) {
    const page = document.scrollingElement ?? document.documentElement;
    environment.act.perform(() => (by ? wheel(page, page, dx, dy) : move(page, direction ?? "down")));
    return { result: { match_count: 0, match_strategy: "point", viewport: viewport() } };
  }
  const found = await retry(environment.deadline, () => resolve(params, environment.refs));
  const at = found.strategy === "point" ? { x: params.x ?? 0, y: params.y ?? 0 } : pointOf(found.element);
  const inside = by || direction ? insideOf(found, at) : undefined;
  if (inside && environment.past) throw onlyReal("scrolled");
  if (inside) return { result: outcome(found, environment), inside };
  environment.act.perform(() => {
    if (by) wheel(found.element, scrollable(found.element, dx !== 0), dx, dy);
    else if (direction) move(scrollable(found.element), direction);
    else intoView(found.element);
  });
  return { result: outcome(found, environment, { viewport: viewport() }) };
}

/** Where the page is scrolled to. */
export function viewport(): Viewport {
  return {
    width: innerWidth,
    height: innerHeight,
    scroll_x: Math.round(scrollX),
    scroll_y: Math.round(scrollY),
    scroll_height: document.documentElement?.scrollHeight ?? 0,
  };
}

/** The target, or what fills most of it, or the box around it, that scrolls. */
function scrollable(element: Element, sideways = false): Element {
  if (scrolls(element, sideways)) return element;
  const fills = (at: Element): boolean =>
    at.clientWidth * at.clientHeight * 2 > element.clientWidth * element.clientHeight;
  for (const at of [...element.querySelectorAll("*")].slice(0, MAX_LOOKED))
    if (scrolls(at, sideways) && fills(at)) return at;
  for (let at = parentOf(element); at; at = parentOf(at)) if (scrolls(at, sideways)) return at;
  return document.scrollingElement ?? document.documentElement;
}

/** In a target so many elements are looked at for one that scrolls. */
const MAX_LOOKED = 500;

function scrolls(at: Element, sideways: boolean): boolean {
  const more = sideways ? at.scrollWidth > at.clientWidth + 1 : at.scrollHeight > at.clientHeight + 1;
  if (!more) return false;
  const { overflowX, overflowY } = getComputedStyle(at);
  return /auto|scroll/.test(sideways ? overflowX : overflowY);
}

/** Turns a made-up wheel over an element; where the page does not take that for itself, what scrolls is scrolled. */
function wheel(element: Element, scroller: Element, deltaX: number, deltaY: number): void {
  const { x, y } = pointOf(element);
  const common = { bubbles: true, cancelable: true, composed: true, view: window };
  const event = new WheelEvent("wheel", { ...common, clientX: x, clientY: y, deltaX, deltaY });
  if (acts().dispatch(element, event)) scroller.scrollBy({ left: deltaX, top: deltaY, behavior: "instant" });
}

function move(element: Element, direction: string): void {
  const page = element.clientHeight * 0.9;
  const top = { top: 0, bottom: element.scrollHeight, up: element.scrollTop - page, down: element.scrollTop + page }[
    direction
  ];
  if (top !== undefined) element.scrollTo({ top, behavior: "instant" });
}
