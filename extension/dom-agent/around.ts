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
      left: point.x - innerWidth / 2,
      top: point.y - innerHeight / 2,
      behavior: "instant",
    });
    point = pointIn(frame, inside);
  }
  const hit = elementAt(point.x, point.y);
  if (!hit) throw new AgentProblem("not_actionable", `${inWords(frame)} cannot be scrolled into view.`);
  if (!isInside(hit, frame)) throw blocking(hit, frame);
  return point;
}

/** Where a point of a frame is: its viewport begins inside of its element's border and padding, all of which may be turned. */
export function pointIn(frame: HTMLElement, { x, y }: Point): Point {
  const { middle, inset, a, b, c, d } = layOf(frame);
  const right = inset.x + x - frame.offsetWidth / 2;
  const down = inset.y + y - frame.offsetHeight / 2;
  return { x: middle.x + a * right + c * down, y: middle.y + b * right + d * down };
}

/** Where a point of this viewport is in that of a frame. */
export function pointFrom(frame: HTMLElement, { x, y }: Point): Point {
  const { middle, inset, a, b, c, d } = layOf(frame);
  const area = a * d - b * c || 1;
  const right = (d * (x - middle.x) - c * (y - middle.y)) / area;
  const down = (a * (y - middle.y) - b * (x - middle.x)) / area;
  return { x: right + frame.offsetWidth / 2 - inset.x, y: down + frame.offsetHeight / 2 - inset.y };
}

/**
 * How a frame's element lies in the viewport: its middle, where its content begins, and what a step to the right (a, b) and
 * down (c, d) in it is here. The middle of its box is its own; its box tells what styles do not, such as a zoom.
 */
function layOf(frame: HTMLElement): Record<"a" | "b" | "c" | "d", number> & { middle: Point; inset: Point } {
  const box = frame.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(frame);
  const { a, b, c, d } = turned(frame);
  const across = box.width / (Math.abs(a) * frame.offsetWidth + Math.abs(c) * frame.offsetHeight || 1);
  const down = box.height / (Math.abs(b) * frame.offsetWidth + Math.abs(d) * frame.offsetHeight || 1);
  return {
    middle: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    inset: {
      x: frame.clientLeft + Number.parseFloat(paddingLeft),
      y: frame.clientTop + Number.parseFloat(paddingTop),
    },
    a: a * across,
    b: b * down,
    c: c * across,
    d: d * down,
  };
}

/** What the styles of an element and of all around it turn, stretch and mirror. */
function turned(element: Element): DOMMatrix {
  const all = new DOMMatrix();
  for (let at: Element | null = element; at; at = parentOf(at)) {
    const { transform, rotate, scale, display } = getComputedStyle(at);
    if (display === "contents" || (display === "inline" && at !== element)) continue;
    const parts = [rotate === "none" ? "" : turning(rotate), scale === "none" ? "" : `scale3d(${scaling(scale)})`];
    if (transform !== "none") parts.push(transform);
    const words = parts.join(" ").trim();
    if (words !== "") all.preMultiplySelf(new DOMMatrix(words));
  }
  return all;
}

/** A value of the property rotate as a transform: "90deg" around z, "x 90deg", "1 0 0 90deg". */
function turning(value: string): string {
  const words = value.split(" ");
  const angle = words.pop();
  const axis = { "": "0, 0, 1", x: "1, 0, 0", y: "0, 1, 0" }[words.join(" ")] ?? words.join(", ");
  return `rotate3d(${axis}, ${angle})`;
}

/** The three factors of a value of the property scale. */
function scaling(value: string): string {
  const [x = "1", y = x, z = "1"] = value.split(" ");
  return `${x}, ${y}, ${z}`;
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
