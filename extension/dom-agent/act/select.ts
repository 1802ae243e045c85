import { nameOf } from "@gasoline/capture/locators/name";
import type { ActResult, SelectParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { everyElement } from "../shadow.ts";
import { resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { retry } from "../waiting.ts";
import { outcome } from "./outcome.ts";
import { perform, routeOf } from "./perform.ts";
import { acts } from "./scope.ts";

/** Chooses an option of a select element, or of a list that a page built itself. */
export async function select(params: SelectParams, environment: Environment): Promise<Acted> {
  const { refs, deadline } = environment;
  const needs = { enabled: true, hit: true };
  const named = await ready(params, refs, { enabled: true, hit: false }, deadline);
  const { element } = named;
  const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
  if (control instanceof HTMLSelectElement) {
    // The list of a native one is the browser's own; what lies over the control covers it all the same.
    // A page that renders itself anew puts another control in its place.
    const ref = refs.refOf(control);
    const found = isVisible(control) ? await ready({ ref }, refs, needs, deadline) : named;
    let now: Element = control;
    const value = await retry(deadline, () => {
      now = resolve({ ref }, refs).element;
      return choose(now as HTMLSelectElement, params.value, environment);
    });
    const { count, strategy } = named;
    return { result: outcome({ ...found, element: now, count, strategy }, environment, { value }) };
  }
  if (!isCustom(control)) throw new AgentProblem("not_select", `${inWords(control)} has no options to choose from.`);
  if (control.getAttribute("role") !== "listbox" && control.getAttribute("aria-expanded") !== "true") {
    await press(control, params, environment);
  }
  const option = await retry(deadline, () => customOption(params.value));
  const value = nameOf(option) || (option.textContent ?? "").trim();
  const { trusted } = await press(option, params, environment);
  const result = outcome(named, environment, { value });
  return { result: trusted ? { ...result, trusted } : result };
}

/** Presses a part of a list that the page built itself: on the same way as any click. */
async function press(element: Element, params: SelectParams, environment: Environment): Promise<ActResult> {
  const { result } = await perform(environment, {
    target: { ref: environment.refs.refOf(element) },
    needs: { enabled: true, hit: true },
    gesture: { type: "press", button: "left", count: 1 },
    route: routeOf(params.trusted, () => false),
    result: (found) => outcome(found, environment),
  });
  return result;
}

function choose(control: HTMLSelectElement, value: string, { act }: Environment): string {
  const option = pick([...control.options], value, (at) => [at.value, at.label, at.text]);
  if (option.matches(":disabled"))
    throw new AgentProblem("not_actionable", `The option "${option.label}" is disabled.`);
  const before = [...control.selectedOptions];
  act.perform(() => {
    if (!control.multiple || !option.selected) option.selected = true;
    if (before.length === control.selectedOptions.length && before[0] === control.selectedOptions[0]) return;
    acts().dispatch(control, new Event("input", { bubbles: true, composed: true }));
    acts().dispatch(control, new Event("change", { bubbles: true }));
  });
  return option.value;
}

const isCustom = (element: Element): boolean =>
  element.matches(
    "[role=combobox], [role=listbox], [aria-haspopup=listbox], [aria-haspopup=menu], [aria-haspopup=true]",
  );

function customOption(value: string): Element {
  const options = everyElement(document).filter(
    (at) => at.matches("[role=option], [role=menuitemradio], [role=menuitem]") && isVisible(at),
  );
  return pick(options, value, (at) => [at.getAttribute("data-value") ?? "", nameOf(at), at.textContent ?? ""]);
}

/** The option that fits best: exactly, then without regard to case, then as a part if only one does. */
function pick<O extends Element>(options: readonly O[], value: string, textsOf: (option: O) => string[]): O {
  const want = value.trim();
  const lower = want.toLowerCase();
  const fit = (test: (text: string) => boolean) =>
    options.filter((option) => textsOf(option).some((text) => test(text.trim())));
  const [exact] = fit((text) => text === want);
  if (exact) return exact;
  for (const found of [
    fit((text) => text.toLowerCase() === lower),
    fit((text) => text.toLowerCase().includes(lower)),
  ]) {
    const [only] = found;
    if (only && found.length === 1) return only;
    if (found.length > 1) {
      throw new AgentProblem(
        "ambiguous_target",
        `${found.length} options fit "${want}": ${found
          .slice(0, 8)
          .map((at) => `"${textsOf(at)[1]}"`)
          .join(", ")}.`,
      );
    }
  }
  const offered = options.slice(0, 12).map((at) => `"${textsOf(at)[1]?.trim() ?? ""}"`);
  throw new AgentProblem(
    "option_not_found",
    `No option is called "${want}". There are: ${offered.join(", ") || "none"}.`,
  );
}
