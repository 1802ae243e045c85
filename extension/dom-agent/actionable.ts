import type { Target } from "@gasoline/schema/commands";
import { blocking, checkAround } from "./around.ts";
import { isSamePress, isUnseen, takerOf } from "./control.ts";
import { inWords, isDisabled } from "./describe.ts";
import { AgentProblem } from "./problem.ts";
import type { Deadline } from "./environment.ts";
import { surfaceOf } from "./editor.ts";
import type { RefBook } from "./refs.ts";
import { elementAt, isInside, parentOf } from "./shadow.ts";
import { type Resolved, resolve } from "./target.ts";
import { boxOf, inViewport, intoView, isClipped, isVisible, pointOf, pointsOf } from "./visible.ts";
import { drawn, retry } from "./waiting.ts";

/** An element that can be acted on now, and where. */
export interface Ready extends Resolved {
  point: { x: number; y: number };
  scrolled: boolean;
  /** What takes presses for itself wherever a pointer comes to the element: only events that are made up reach it. */
  taker?: Element;
}

/** What has to hold before an action. */
export interface Needs {
  enabled: boolean;
  /** Nothing may lie over the point of the action. */
  hit: boolean;
}

/** Waits until the target is there, visible, still, enabled and not covered. Throws what is in the way. */
export function ready(target: Target, refs: RefBook, needs: Needs, deadline: Deadline): Promise<Ready> {
  let scrolled = false;
  const passed = new Set<Element>();
  return retry(deadline, async () => {
    const resolved = resolve(target, refs);
    const { element } = resolved;
    if (!isVisible(element) && !(needs.hit && isUnseen(element)))
      throw new AgentProblem("not_actionable", `${inWords(element)} is not visible.`);
    if (needs.enabled && isDisabled(element))
      throw new AgentProblem("not_actionable", `${inWords(element)} is disabled.`);
    if (resolved.strategy === "point") return { ...resolved, point: { x: target.x ?? 0, y: target.y ?? 0 }, scrolled };
    if (scrollTo(element)) scrolled = true;
    await still(element);
    if (!needs.hit) return { ...resolved, point: pointOf(element), scrolled };
    const place = freePlace(element, passed);
    if (place.scrolled) scrolled = true;
    await checkAround(place.point, deadline.at);
    return { ...resolved, ...place, scrolled };
  });
}

/** Brings an element into the viewport. Says whether that was needed. */
export function scrollTo(element: Element): boolean {
  const point = pointOf(element);
  const hidden = !inViewport(point) || isClipped(element, point);
  if (hidden) intoView(element);
  return hidden;
}

/** Animations have gone on for so long, ms, before an element is at rest, or were asked for so often. */
const ANIMATED_MS = 16;
const MAX_FRAMES = 20;

/**
 * Compares the element's box in this frame and the next one, and in a third one where an animation runs: at the turning
 * point of a movement two frames show the same box. A busy page draws frames in a row in which its animations stand still:
 * further ones are waited for. Throws not_actionable when a box differs by more than half a pixel, unless what moves it
 * never ends: then it is pressed where it is.
 */
async function still(element: Element): Promise<void> {
  const before = boxOf(element);
  const animations = animationsOf(element);
  const begun = clock();
  for (let frames = 1; ; frames++) {
    await drawn();
    const now = boxOf(element);
    const moved = [now.x - before.x, now.y - before.y, now.width - before.width, now.height - before.height];
    if (moved.some((distance) => Math.abs(distance) > 0.5)) {
      if (animations[0] && animations.every(isEndless)) return;
      throw new AgentProblem("not_actionable", `${inWords(element)} is moving.`);
    }
    if (!animations[0] || frames >= MAX_FRAMES || (frames >= 2 && clock() - begun >= ANIMATED_MS)) return;
  }
}

/** Whether waiting for the end of an animation is of no use. */
const isEndless = ({ effect }: Animation): boolean => effect?.getComputedTiming().endTime === Infinity;

/** The time of the page's animations, ms. */
const clock = (): number => Number(document.timeline.currentTime);

/** The animations that run of an element and of what it is in. */
function animationsOf(element: Element): Animation[] {
  const found: Animation[] = [];
  for (let at: Element | null = element; at; at = parentOf(at)) found.push(...at.getAnimations());
  return found.filter(({ playState }) => playState === "running");
}

/** Where an element is pressed. */
interface Place {
  point: { x: number; y: number };
  taker?: Element;
  scrolled?: boolean;
}

/** Where else an element may stand, for what stays in its place when the page scrolls and lies over it. */
const ALIGNMENTS: readonly ScrollIntoViewOptions[] = [
  { block: "center", inline: "center" },
  { block: "end", inline: "end" },
  { block: "start", inline: "start" },
];

/** A place where nothing lies over an element, here or where it is scrolled to. passed: what it cannot be scrolled away from. */
function freePlace(element: Element, passed: Set<Element>): Place {
  const here = placeOf(element);
  if (!(here instanceof Element)) return here;
  const bar = barAround(here);
  if (bar && !passed.has(bar)) {
    for (const alignment of ALIGNMENTS) {
      intoView(element, alignment);
      const there = placeOf(element);
      if (!(there instanceof Element)) return { ...there, scrolled: true };
    }
    passed.add(bar);
    intoView(element);
  }
  throw blocking(here, element);
}

/** The point of an element that is pressed, or what lies over all of it. */
function placeOf(element: Element): Place | Element {
  let over: Element | undefined;
  let taken: Place | undefined;
  for (const point of pointsOf(element)) {
    const hit = inViewport(point) ? elementAt(point.x, point.y) : null;
    if (!hit) continue;
    over ??= hit;
    if (!comesTo(hit, element)) {
      // What is around a field that has no box is what is seen of it.
      if (isUnseen(element) && element.parentElement && isNear(hit, element.parentElement))
        return { point, taker: hit };
      // Beside a thing that lies over the middle nothing is pressed; what only shows there through a gap is passed by, and
      // what crosses the line of a drawing.
      if (hit === over && !isInside(element, hit) && !(element instanceof SVGElement)) break;
      continue;
    }
    const taker = takerOf(hit, element);
    if (!taker) return { point };
    taken ??= { point, taker };
  }
  if (taken) return taken;
  if (!over) throw new AgentProblem("not_actionable", `${inWords(element)} cannot be scrolled into view.`);
  return over;
}

const isNear = (hit: Element, around: Element): boolean => isInside(hit, around) || isInside(around, hit);

/** What covers more of the viewport than this lies over an element wherever it is scrolled to. */
const WALL = 0.9;

/** The bar that an element is a part of, which stays in its place when the page scrolls. */
function barAround(element: Element): Element | undefined {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    if (!/fixed|sticky/.test(getComputedStyle(at).position)) continue;
    const { width, height } = at.getBoundingClientRect();
    return width * height < WALL * innerWidth * innerHeight ? at : undefined;
  }
  return undefined;
}

/** Whether a press at what lies at a point is one of an element. */
export const isTarget = (hit: Element, element: Element): boolean => comesTo(hit, element) && !takerOf(hit, element);

/**
 * Whether what lies at a point stands for an element: it is inside of it, or in the control that the element is a part of, or
 * in its label, wherever the two are, or is the designed control around an input that is not shown and kept for screen
 * readers.
 */
function comesTo(hit: Element, element: Element): boolean {
  if (isInside(hit, surfaceOf(element)) || isSamePress(hit, element)) return true;
  if (hit === element.parentElement && element.localName === "input") {
    const { clip, clipPath, opacity } = getComputedStyle(element);
    if (clip !== "auto" || clipPath !== "none" || opacity === "0") return true;
  }
  for (let at: Element | null = hit; at; at = parentOf(at)) {
    if (at instanceof HTMLLabelElement && at.control === element) return true;
  }
  return false;
}
