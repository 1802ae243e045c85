import type { Acted, AgentOps, DragEnd, Gesture } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { isNamed } from "../target.ts";
import { drawn, pause, quiet } from "../waiting.ts";
import { insideOf } from "./inside.ts";
import { outcome } from "./outcome.ts";
import { expected } from "./perform.ts";

/** A page that was dragged over rests when it has not changed for so long, and is waited for at most so long, ms. */
const REST_MS = 60;
const HELD_MS = 600;

/** A page has drawn its answer to a move after so many frames: it takes the place, measures, and draws. */
const ANSWER_FRAMES = 2;

/** The debugger's bar comes so long, ms, after it at the latest. It is there already where the debugger was. */
const BAR_MS = 300;

/**
 * Attaches the debugger, and waits until its bar has changed the size of the viewport or will not: many libraries give a
 * dragging up when that happens.
 */
async function attach(act: Environment["act"]): Promise<void> {
  const control = new AbortController();
  const resized = new Promise<void>((resolve) =>
    addEventListener("resize", () => resolve(), { signal: control.signal }),
  );
  await act.attach();
  await Promise.race([resized, pause(BAR_MS, control.signal)]);
  control.abort();
}

/** Drags the target by the browser's real mouse: what pages make of made-up events differs with each of them. */
export async function drag(params: AgentOps["drag"]["params"], environment: Environment): Promise<Acted> {
  if (!isNamed(params)) throw new AgentProblem("missing_target", "drag needs a ref, a selector, or x and y.");
  const { refs, deadline, act } = environment;
  const needs = { enabled: true, hit: true };
  const first = await ready(params, refs, needs, deadline);
  const { to, to_document } = params;
  const endOf = ({ x, y }: { x: number; y: number }) => {
    const { to_x = x, to_y = y, dx = 0, dy = 0 } = params;
    return { x: to_x + dx, y: to_y + dy };
  };
  const inside = insideOf(first, first.point);
  if (inside && !environment.past) {
    const end = to === undefined && !to_document ? { end: endOf(first.point) } : {};
    return { result: outcome(first, environment), inside: { ...inside, ...end } };
  }
  const ref = refs.refOf(first.element);
  await attach(act);
  const target = first.strategy === "point" ? params : { ref };
  const found = { ...(await ready(target, refs, needs, deadline)), count: first.count, strategy: first.strategy };
  const result = outcome(found, environment, { trusted: true });
  const { point } = found;
  if (inside) result.unseen = true;
  const { dx = 0, dy = 0 } = params;
  const end: DragEnd =
    to === undefined ? { ...endOf(point), ...(to_document ? { document: to_document } : {}) } : { ref: to, dx, dy };
  let begun: DragEvent | undefined;
  const hear = (event: DragEvent): void => {
    if (event.isTrusted) begun = event;
  };
  addEventListener("dragstart", hear, true);
  const send = (gesture: Gesture): Promise<boolean> => act.send(gesture, point, expected(gesture, point));
  act.tell(result, true);
  try {
    // A text that is selected would be dragged itself.
    const { element } = found;
    if (!(element instanceof HTMLElement && element.isContentEditable)) document.getSelection()?.removeAllRanges();
    await send({ type: "hold" });
    try {
      await send({ type: "pull", to: end });
      // What the page draws in answer may decide where it ends: it is let go when the page has drawn that, and rests.
      for (let frames = 0; frames < ANSWER_FRAMES; frames++) await drawn();
      await quiet(REST_MS, { at: Math.min(deadline.at, Date.now() + HELD_MS), signal: deadline.signal });
      await send({ type: "release", native: begun !== undefined && !begun.defaultPrevented });
    } catch (error) {
      await send({ type: "release", cancel: true }).catch(() => undefined);
      throw error;
    }
  } finally {
    removeEventListener("dragstart", hear, true);
  }
  return { result };
}

/** Where an element is that something is to be dragged to. */
export async function spot(
  params: { ref?: string; selector?: string },
  { refs, deadline, frame: name }: Environment,
): Promise<{ ref: string; frame: string; x: number; y: number }> {
  const { element, point } = await ready(params, refs, { enabled: false, hit: false }, deadline);
  return { ref: refs.refOf(element), frame: name, ...point };
}
