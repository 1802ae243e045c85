import type { AskAround } from "../messages/agent.ts";
import { askWorker } from "./browser.ts";
import { inWords } from "./describe.ts";
import { frameElements } from "./frames.ts";
import { AgentProblem } from "./problem.ts";
import { elementAt, isInside, parentOf } from "./shadow.ts";
import { inViewport, isClipped } from "./visible.ts";

interface Point {
  x: number;
  y: number;
}

/** Throws blocked_by_overlay when something in the frames around this one lies over a point of it. */
export async function checkAround({ x, y }: Point, deadline: number): Promise<void> {
  if (window === window.parent) return;
  const ask: AskAround = { type: "gasoline-around", x, y, deadline };
  const problem = await askWorker(ask);
  if (problem)
    throw new AgentProblem(problem.code, problem.message, problem.blocker ? { blocker: problem.blocker } : {});
}

/** Brings a point of a child frame into view. Says where it is in this frame, or throws what lies over it. */
export function around({ index, ...inside }: Point & { index: number }): Point | null {
  const frame = frameElements()[index];
  if (!frame) return null;
  let point = pointIn(frame, inside);
  if (isClipped(frame, point)) {
    frame.scrollIntoView({ block: "center", behavior: "instant" });
    point = pointIn(frame, inside);
  }
  // A frame may be larger than the viewport.
  if (!inViewport(point)) {
    window.scrollBy({
      left: point.x - window.innerWidth / 2,
      top: point.y - window.innerHeight / 2,
      behavior: "instant",
    });
    point = pointIn(frame, inside);
  }
  const hit = elementAt(point.x, point.y);
  if (!hit) throw new AgentProblem("not_actionable", `${inWords(frame)} cannot be scrolled into view.`);
  if (!isInside(hit, frame)) throw blocking(hit, frame);
  return point;
}

/** Where a point of a frame is: its viewport begins inside of its element's border and padding, all of which may be scaled. */
export function pointIn(frame: HTMLElement, { x, y }: Point): Point {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const left = frame.clientLeft + Number.parseFloat(style.paddingLeft) + x;
  const top = frame.clientTop + Number.parseFloat(style.paddingTop) + y;
  return {
    x: box.x + (left * box.width) / (frame.offsetWidth || 1),
    y: box.y + (top * box.height) / (frame.offsetHeight || 1),
  };
}

/** Where a point of this viewport is in that of a frame. */
export function pointFrom(frame: HTMLElement, { x, y }: Point): Point {
  const box = frame.getBoundingClientRect();
  const origin = pointIn(frame, { x: 0, y: 0 });
  return {
    x: ((x - origin.x) * (frame.offsetWidth || 1)) / (box.width || 1),
    y: ((y - origin.y) * (frame.offsetHeight || 1)) / (box.height || 1),
  };
}

/** The problem of an element that another one lies over. */
export function blocking(hit: Element, element: Element): AgentProblem {
  const blocker = inWords(outermost(hit, element));
  return new AgentProblem("blocked_by_overlay", `${blocker} lies over ${inWords(element)}.`, { blocker });
}

/** The largest thing around the hit that does not hold the element: a dialog rather than a word in it. */
function outermost(hit: Element, element: Element): Element {
  let found = hit;
  for (let at: Element | null = hit; at && !isInside(element, at); at = parentOf(at)) found = at;
  return found;
}
