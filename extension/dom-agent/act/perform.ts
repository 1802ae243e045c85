import type { ActResult, Target } from "@gasoline/schema/commands";
import type { Gesture, Inside } from "../../messages/agent.ts";
import type { ExpectedInput } from "../../messages/acts.ts";
import { EDIT_KEY, parseKeys, typing } from "../../messages/keys.ts";
import { type Needs, type Ready, ready } from "../actionable.ts";
import { blocking } from "../around.ts";
import { isSamePress } from "../control.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { mark } from "../mark.ts";
import { Row } from "../row.ts";
import { elementAt, isInside } from "../shadow.ts";
import { resolve } from "../target.ts";
import { inViewport } from "../visible.ts";
import { Aim } from "./aim.ts";
import { insideOf, mayHold, onlyReal } from "./inside.ts";
import { Lasting } from "./lasting.ts";
import { enter, press } from "./pointer.ts";

/** What a page renders anew when it is pressed is pressed so many times at most; what moves away, so many times. */
const MAX_PRESSES = 3;
const MAX_MISSES = 20;

/** How a gesture is made: by the browser's real input, or by events that are made up. */
export type Route = "real" | "made up";

/** A gesture with all that it needs to be made. */
export interface Performance {
  target: Target;
  needs: Needs;
  gesture: Extract<Gesture, { type: "press" | "move" }>;
  /** By which route; asked once the element is there. */
  route: (found: Ready) => Route;
  /** What the act comes to, before it changes the page. */
  result: (found: Ready) => ActResult;
}

/** A gesture that was made. */
export interface PerformedGesture {
  found: Ready;
  result: ActResult;
  /** Nothing was done: it belongs to a frame inside of this one. */
  inside?: Inside;
}

/**
 * Makes one gesture: waits until its element can be acted on, then by one of two executors. Real input goes to where the
 * element is once the debugger is attached.
 */
export async function perform(environment: Environment, how: Performance): Promise<PerformedGesture> {
  const { refs, deadline, act } = environment;
  let found = await ready(how.target, refs, how.needs, deadline);
  const inside = insideOf(found, found.point);
  if (inside && !environment.past) return { found, result: how.result(found), inside };
  const hit = inside ? elementAt(found.point.x, found.point.y) : null;
  const real = how.route(hit ? { ...found, element: hit } : found) === "real";
  if (inside && !real) throw onlyReal(how.gesture.type === "press" ? "clicked" : "pointed at");
  const ref = refs.refOf(found.element); // now: of an element that the page took away nothing is known
  const still = (): boolean => found.strategy === "point" || refs.isStill(ref, found.element);
  const again = async (): Promise<void> => {
    // A point that was named stays the point; an element that was found is looked for no second time.
    const target = found.strategy === "point" ? how.target : { ref };
    const { count, strategy, scrolled } = found;
    const now = await ready(target, refs, how.needs, deadline);
    found = { ...now, count, strategy, scrolled: scrolled || now.scrolled };
  };
  if (real) {
    await act.attach();
    await again();
    if (found.taker && how.gesture.type === "press") throw blocking(found.taker, found.element);
  }
  const result = how.result(found);
  act.tell(result, real);
  if (real) {
    const send = (): Promise<boolean> => act.send(how.gesture, found.point, expected(how.gesture, found.point));
    if (how.gesture.type === "press") await aimed(!inside && found.strategy !== "point" && how.needs.hit, send);
    else await send();
    result.trusted = true;
    if (inside) result.unseen = true;
  } else await madeUp();
  mark(found.point);
  return { found, result };

  /** Makes the gesture up, and again on what has taken the place of its element at once. */
  async function madeUp(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const lasting = new Lasting(found.element);
      const row = new Row(found.element);
      const was = inWords(found.element);
      const whole = act.perform(() =>
        makeUp(how.gesture, found, still, (clicks) => {
          if (row.isAnothers) throw anothers(was, clicks > 0);
        }),
      );
      lasting.stop();
      if (whole === undefined) {
        if (tries >= MAX_PRESSES) throw movesAway();
      } else if (whole || !stands(lasting.any, tries)) return;
      await again();
    }
  }

  /**
   * The page took away what was pressed, and no click followed. Whether what stands for it now is to be pressed: not where
   * the press did something, which may be all that it does.
   */
  function stands(changed: boolean, tries: number): boolean {
    if (changed || !isThere()) {
      result.unclicked = true;
      return false;
    }
    if (tries < MAX_PRESSES && found.strategy !== "point") return true;
    throw new AgentProblem(
      "not_actionable",
      `The page renders ${inWords(found.element)} anew whenever it is pressed, so that no click follows.`,
    );
  }

  function movesAway(): AgentProblem {
    return new AgentProblem("not_actionable", `${inWords(found.element)} moves away from each press.`);
  }

  function isThere(): boolean {
    try {
      resolve({ ref }, refs);
      return true;
    } catch {
      return false;
    }
  }

  /** Presses, and again where the element is now, as long as the press came to another one, or slipped, and so did nothing. */
  async function aimed(at: boolean, send: () => Promise<boolean>): Promise<void> {
    const { button = "left", hold_ms = 0 } = how.gesture.type === "press" ? how.gesture : {};
    // What a long press and the right button do is done before the button is let go of.
    const byRelease = button !== "right" && hold_ms === 0;
    for (let tries = 1; ; tries++) {
      const was = inWords(found.element);
      const aim = at ? new Aim(found.element, found.point, () => resolve({ ref }, refs).element, still) : undefined;
      let heard: boolean;
      try {
        heard = await send();
      } finally {
        aim?.stop();
      }
      // A document that cannot be asked may have heard it.
      if (!heard && mayHold(elementAt(found.point.x, found.point.y))) {
        result.unseen = true;
        return;
      }
      const slipped = byRelease && aim?.slipped;
      const lost = aim?.missed || slipped;
      if (aim?.strayed) throw anothers(was, aim.clicked);
      if (heard && !lost) {
        if (byRelease && aim?.off) result.unclicked = true;
        if (!byRelease || !aim?.lost || !stands(aim.changed, tries)) return;
        await again();
        continue;
      }
      // What the page did when it was pressed, it would do a second time.
      const acted = slipped && aim?.acted;
      // The debugger's bar may come between the look at a point and the press, and the point then be out of the viewport.
      const outside = at && !inViewport(found.point);
      // What no document heard may have come to something else: it is not done a second time.
      if (acted || (!lost && !outside)) {
        if (button !== "left" && !acted) return;
        const what = acted ? "changed, and moved before the end of" : "heard nothing of";
        throw new AgentProblem(
          "not_actionable",
          `The page ${what} a click on ${inWords(found.element)}: look at the page before you repeat it.`,
        );
      }
      if (tries >= MAX_MISSES) throw movesAway();
      await again();
    }
  }
}

const anothers = (was: string, clicked: boolean): AgentProblem =>
  new AgentProblem(
    "not_actionable",
    clicked
      ? `${was} was clicked, and another element was in its place then: it was not clicked again.`
      : `${was} was pressed, and the page then used it for another row: it was not clicked. Look at the page before you repeat it.`,
  );

function makeUp(
  gesture: Performance["gesture"],
  { element, point, taker }: Ready,
  still: () => boolean,
  check: (clicks: number) => void,
): boolean | undefined {
  if (gesture.type === "move") {
    enter(element, point);
    return true;
  }
  // What lies at the point inside of the target, or of its control, gets the click, as from a real pointer.
  const hit = elementAt(point.x, point.y);
  const isHit = hit && !taker && (isInside(hit, element) || isSamePress(hit, element));
  return press(isHit ? hit : element, point, gesture.button, gesture.count, still, check);
}

/** What the document will hear of a gesture. */
export function expected(gesture: Gesture, point: { x: number; y: number }): ExpectedInput {
  switch (gesture.type) {
    case "press":
    case "move":
      return { type: "pointer", ...point, press: gesture.type === "press" };
    case "drag":
    case "hold":
    case "pull":
    case "release":
      return { type: "pointer", ...point, press: gesture.type === "hold" };
    case "edit":
      return { type: "keys", keys: [EDIT_KEY] };
    case "keys":
      return { type: "keys", keys: keysOf(gesture.keys) };
    case "text":
      return { type: "keys", keys: typing(gesture).flatMap((part) => (typeof part === "string" ? [] : [part.key])) };
  }
}

function keysOf(keys: string): string[] {
  const stroke = parseKeys(keys);
  return stroke ? [stroke.key] : [];
}

/** The route that the caller asks for; left to us, real only where events that are made up would do nothing. */
export const routeOf =
  (trusted: string | undefined, needsReal: (found: Ready) => boolean) =>
  (found: Ready): Route =>
    trusted === "always" || (trusted !== "never" && needsReal(found)) ? "real" : "made up";
