import { ariaOf, componentTags } from "@gasoline/capture/locators/lent";
import { roleOf } from "@gasoline/capture/locators/role";
import type { CheckParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { hasBox, isBox } from "../control.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { everywhere } from "../shadow.ts";
import { resolve } from "../target.ts";
import { retry, retryUntil } from "../waiting.ts";
import { outcome, watchValue } from "./outcome.ts";
import { perform, routeOf } from "./perform.ts";

/** Brings a checkbox, radio button or switch into a state; one that is in it already is left alone. */
export async function check(params: CheckParams, environment: Environment): Promise<Acted> {
  const want = params.checked ?? true;
  const first = await retry(environment.deadline, () => resolve(params, environment.refs));
  let control = controlOf(first.element);
  const ref = environment.refs.refOf(control);
  const state = stateOf(control);
  if (state === undefined)
    throw new AgentProblem("not_checkable", `${inWords(control)} is no checkbox, radio button or switch.`);
  if (state === want) return { result: outcome({ ...first, element: control }, environment, { value: String(want) }) };
  if (!want && (control as HTMLInputElement).type === "radio") {
    throw new AgentProblem("not_checkable", "A radio button cannot be unchecked; check another one of its group.");
  }
  const target = { ref: environment.refs.refOf(clickedFor(control)) };
  const { found, result } = await perform(environment, {
    target,
    needs: { enabled: true, hit: true },
    gesture: { type: "press", button: "left", count: 1 },
    route: routeOf(params.trusted, () => false),
    result: (at) => outcome({ ...at, element: control, count: first.count, strategy: first.strategy }, environment),
  });
  // A page that draws its own switch may do so in the next frame.
  const holds = (): boolean => {
    try {
      control = resolve({ ref }, environment.refs).element;
    } catch {
      // It took the control away: what it was at last counts.
    }
    return stateOf(control) === want;
  };
  await retryUntil(environment.deadline, holds);
  if (!holds()) {
    throw new AgentProblem(
      "status_mismatch",
      `${inWords(control)} was clicked and is still ${want ? "not checked" : "checked"}.`,
    );
  }
  const { matched } = outcome({ ...found, element: control }, environment);
  if (matched) result.matched = matched;
  result.value = String(want);
  watchValue(result, control, environment, (at) => stateOf(at)?.toString());
  return { result };
}

/** What the user clicks for an element: designed checkboxes and radio buttons hide the real one, and show its label. */
export const clickedFor = (element: Element): Element =>
  isBox(element) && !hasBox(element) ? ([...(element.labels ?? [])].find(hasBox) ?? element) : element;

/** The control that a label, or an element around a single one, stands for. */
function controlOf(element: Element): Element {
  if (stateOf(element) !== undefined) return element;
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  const root = element.getRootNode() as Document | ShadowRoot | Element;
  const css = ["input[type=checkbox]", "input[type=radio]", "[aria-checked]", ...componentTags()].join();
  const inner = everywhere(css, element).filter((at) => stateOf(at) !== undefined);
  const named = element.id ? [...root.querySelectorAll(`[aria-labelledby~=${CSS.escape(element.id)}]`)] : [];
  const [only, more] = [...inner, ...named.filter((at) => stateOf(at) !== undefined)];
  return only && !more ? only : element;
}

function stateOf(element: Element): boolean | undefined {
  if (isBox(element)) return element.checked;
  const state = ariaOf(element, "checked") ?? (roleOf(element) === "switch" ? "false" : null);
  return state === null ? undefined : state === "true";
}
