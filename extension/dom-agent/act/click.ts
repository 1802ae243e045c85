import type { ClickParams, Target } from "@gasoline/schema/commands";
import type { Acted, AgentOps } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import { hasBox } from "../control.ts";
import { editorOf } from "../editor.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { nearest } from "../shadow.ts";
import { isNamed, resolve } from "../target.ts";
import { clickedFor } from "./check.ts";
import { isFrame } from "./inside.ts";
import { outcome } from "./outcome.ts";
import { perform, routeOf } from "./perform.ts";
import { choose } from "./select.ts";

/** Clicks the target: by real input where a made-up click would do nothing. */
export async function click(params: ClickParams, environment: Environment): Promise<AgentOps["click"]["result"]> {
  if (!isNamed(params)) throw new AgentProblem("missing_target", "click needs a ref, a selector, or x and y.");
  const needs = { enabled: true, hit: true };
  if (params.new_tab) {
    const found = await ready(params, environment.refs, needs, environment.deadline);
    const link = nearest(found.element, "a[href], area[href]") as HTMLAnchorElement | null;
    const result = outcome(found, environment);
    return link ? { result, href: link.href } : { result };
  }
  const choice =
    params.trusted === "always" || params.button || params.count ? undefined : await chosenBy(params, environment);
  if (choice) return choice;
  const { found, result, inside } = await perform(environment, {
    target: meant(params, environment),
    needs,
    gesture: {
      type: "press",
      button: (params.button ?? "left") as "left" | "middle" | "right",
      count: params.count || 1,
      hold_ms: params.duration_ms,
    },
    route: routeOf(params.duration_ms ? "always" : params.trusted, ({ element }) => needsReal(element)),
    // Described before: a click may take the element away.
    result: (found) => outcome(found, environment),
  });
  // What is told of a box is what it was; once it settled it is looked at again.
  const { element } = found;
  if (result.matched?.checked !== undefined)
    environment.act.afterwards(() => {
      if (element.isConnected) result.matched = outcome(found, environment).matched!;
    });
  return { result, ...(inside ? { inside } : {}) };
}

/** A click on an option of a select element, whose list is the browser's own, is a choice; undefined for anything else. */
async function chosenBy(params: ClickParams, environment: Environment): Promise<Acted | undefined> {
  const { refs, deadline } = environment;
  const isOption = (): boolean => {
    try {
      return resolve(params, refs).element instanceof HTMLOptionElement;
    } catch {
      return false; // as meant does
    }
  };
  if (!isOption()) return undefined;
  const found = await ready(params, refs, { enabled: true, hit: false }, deadline);
  const control = found.element.closest("select");
  if (!control || isInPicker(found.element)) return undefined;
  const ref = refs.refOf(found.element);
  return choose(control, found, environment, () => [resolve({ ref }, refs).element as HTMLOptionElement], true);
}

/** An option that a page has drawn itself is shown in the browser's picker, and chosen there by users only. */
const isInPicker = (element: Element): boolean =>
  element instanceof HTMLOptionElement && element.closest("select:not([multiple], [size])") !== null && hasBox(element);

/** The target, or what is clicked for it where it is there and has a stand-in. */
function meant(params: ClickParams, { refs }: Environment): Target {
  try {
    const { element, strategy } = resolve(params, refs);
    const clicked = clickedFor(element);
    return clicked === element || strategy === "point" ? params : { ref: refs.refOf(clicked) };
  } catch {
    return params; // it is not there yet, or never: who waits for it says which
  }
}

/** Things that open a window or a picker, or draw themselves, and listen to users only. */
export function needsReal(element: Element): boolean {
  if (isInPicker(element)) return true;
  if (nearest(element, 'a[target="_blank" i]') || editorOf(element)) return true;
  if (element instanceof HTMLInputElement)
    return /^(file|color|date|datetime-local|month|time|week)$/.test(element.type);
  return (
    isFrame(element) ||
    element instanceof HTMLSelectElement ||
    /^(canvas|video|audio|embed|object)$/.test(element.localName)
  );
}
