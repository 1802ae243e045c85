import type { Target } from "@gasoline/schema/commands";
import { blocking, checkAround } from "./around.ts";
import { isSamePress } from "./control.ts";
import { inWords, isDisabled } from "./describe.ts";
import { AgentProblem } from "./problem.ts";
import type { Deadline } from "./environment.ts";
import { surfaceOf } from "./editor.ts";
import type { RefBook } from "./refs.ts";
import { elementAt, isInside, parentOf } from "./shadow.ts";
import { type Resolved, resolve } from "./target.ts";
import { inViewport, isClipped, isVisible, pointOf } from "./visible.ts";
import { drawn, retry } from "./waiting.ts";

/** An element that can be acted on now, and where. */
export interface Ready extends Resolved {
  point: { x: number; y: number };
  scrolled: boolean;
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
  return retry(deadline, async () => {
    const resolved = resolve(target, refs);
    const { element } = resolved;
    if (!isVisible(element)) throw new AgentProblem("not_actionable", `${inWords(element)} is not visible.`);
    if (needs.enabled && isDisabled(element))
      throw new AgentProblem("not_actionable", `${inWords(element)} is disabled.`);
    if (resolved.strategy === "point") return { ...resolved, point: { x: target.x ?? 0, y: target.y ?? 0 }, scrolled };
    if (scrollTo(element)) scrolled = true;
    await still(element);
    const point = pointOf(element);
    if (needs.hit) {
      checkHit(element, point);
      await checkAround(point, deadline.at);
    }
    return { ...resolved, point, scrolled };
  });
}

/** Brings an element into the viewport. Says whether that was needed. */
export function scrollTo(element: Element): boolean {
  const point = pointOf(element);
  const hidden = !inViewport(point) || isClipped(element, point);
  if (hidden) element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  return hidden;
}

/**
 * Compares the element's box in this frame and the next one, and in a third one where an animation runs: at the turning
 * point of a movement two frames show the same box. Throws not_actionable when a box differs by more than half a pixel.
 */
async function still(element: Element): Promise<void> {
  const before = element.getBoundingClientRect();
  for (let frames = isAnimated(element) ? 2 : 1; frames > 0; frames--) {
    await drawn();
    const now = element.getBoundingClientRect();
    const moved = [now.x - before.x, now.y - before.y, now.width - before.width, now.height - before.height];
    if (moved.some((distance) => Math.abs(distance) > 0.5)) {
      throw new AgentProblem("not_actionable", `${inWords(element)} is moving.`);
    }
  }
}

function isAnimated(element: Element): boolean {
  for (let at: Element | null = element; at; at = parentOf(at)) {
    if (at.getAnimations().some(({ playState }) => playState === "running")) return true;
  }
  return false;
}

function checkHit(element: Element, point: { x: number; y: number }): void {
  const hit = elementAt(point.x, point.y);
  if (!hit) throw new AgentProblem("not_actionable", `${inWords(element)} cannot be scrolled into view.`);
  if (!isTarget(hit, element)) throw blocking(hit, element);
}

/**
 * Whether what lies at a point stands for an element: it is inside of it, or in the control that the element is a part of, or
 * in its label, wherever the two are, or is the designed control around an input that is not shown and kept for screen
 * readers.
 */
export function isTarget(hit: Element, element: Element): boolean {
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
