import { fold, nameOf } from "@gasoline/capture/locators/name";
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
import { outcome, watchValue } from "./outcome.ts";
import { perform, routeOf } from "./perform.ts";
import { acts } from "./scope.ts";

/** Options that a problem names: of those that fit, and of those that there are. */
const MAX_NAMED = 8;
const MAX_OFFERED = 12;

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
    const option = await retry(deadline, () => {
      now = resolve({ ref }, refs).element;
      return choose(now as HTMLSelectElement, params.value, environment);
    });
    const { value, label } = option;
    const { count, strategy } = named;
    const more = { value, ...(label.trim() === value ? {} : { option: fold(label, 200) }) };
    const result = outcome({ ...found, element: now, count, strategy }, environment, more);
    watchValue(result, now, environment, (at) => (at === now && option.selected ? value : chosen(at)));
    return { result };
  }
  if (!isCustom(control)) throw new AgentProblem("not_select", `${inWords(control)} has no options to choose from.`);
  if (control.getAttribute("role") !== "listbox" && control.getAttribute("aria-expanded") !== "true") {
    await press(control, params, environment);
  }
  const option = await retry(deadline, () => customOption(params.value, control));
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

/** The values of what is chosen in a select element. */
const chosen = (element: Element): string | undefined =>
  element instanceof HTMLSelectElement ? [...element.selectedOptions].map(({ value }) => value).join(",") : undefined;

function choose(control: HTMLSelectElement, value: string, { act }: Environment): HTMLOptionElement {
  // Pages repeat the options that are chosen most: those are one.
  const once = new Map<string, HTMLOptionElement>();
  for (const at of control.options) {
    const key = JSON.stringify([at.value, at.label]);
    if (!once.has(key)) once.set(key, at);
  }
  const option = pick([...once.values()], value, [(at) => [at.value], (at) => [at.label, at.text]], (at) =>
    at.value === at.label ? `"${at.label}"` : `"${at.label}" (value "${at.value}")`,
  );
  if (option.matches(":disabled"))
    throw new AgentProblem("not_actionable", `The option "${option.label}" is disabled.`);
  const before = [...control.selectedOptions];
  act.perform(() => {
    if (!control.multiple || !option.selected) option.selected = true;
    if (before.length === control.selectedOptions.length && before[0] === control.selectedOptions[0]) return;
    acts().dispatch(control, new Event("input", { bubbles: true, composed: true }));
    acts().dispatch(control, new Event("change", { bubbles: true }));
  });
  return option;
}

const OPTIONS = "[role=option], [role=menuitemradio], [role=menuitem]";

const isCustom = (element: Element): boolean =>
  element.matches(
    "[role=combobox], [role=listbox], [aria-haspopup=listbox], [aria-haspopup=menu], [aria-haspopup=true]",
  );

function customOption(value: string, control: Element): Element {
  const shown = everyElement(document).filter((at) => at.matches(OPTIONS) && isVisible(at));
  const lists = listsOf(control);
  const own = shown.filter((at) => lists.some((list) => list.contains(at)));
  const options = own.length > 0 ? own : shown;
  return pick(
    options,
    value,
    [(at) => [at.getAttribute("data-value") ?? ""], (at) => [nameOf(at), textOf(at)]],
    (at) => `"${nameOf(at) || textOf(at)}"`,
  );
}

/** What can have the options of a control in it: itself, and what it says that it controls. */
function listsOf(control: Element): Element[] {
  const root = control.getRootNode() as Document | ShadowRoot;
  const ids = ["aria-controls", "aria-owns"].flatMap((name) => (control.getAttribute(name) ?? "").split(/\s+/));
  return [control, ...ids.flatMap((id) => (id && root.getElementById(id)) || [])];
}

const textOf = (element: Element): string => fold(element.textContent ?? "", 200);

type Texts<O> = (option: O) => string[];

/**
 * The option that is meant: by its value, else by its label or text, else by them without regard to case, else by a part of
 * them. Several that fit equally well are ambiguous_target, which names them in words.
 */
function pick<O extends Element>(
  options: readonly O[],
  value: string,
  [valueOf, labelsOf]: readonly [Texts<O>, Texts<O>],
  inWords: (option: O) => string,
): O {
  const want = fold(value, Infinity);
  const lower = want.toLowerCase();
  const both: Texts<O> = (option) => [...valueOf(option), ...labelsOf(option)];
  const ways: readonly [Texts<O>, (text: string) => boolean][] = [
    [valueOf, (text) => text === want],
    [labelsOf, (text) => text === want],
    [both, (text) => text.toLowerCase() === lower],
    [both, (text) => text.toLowerCase().includes(lower)],
  ];
  for (const [textsOf, fits] of ways) {
    const found = options.filter((option) => textsOf(option).some((text) => fits(fold(text, Infinity))));
    const [only] = found;
    if (only && found.length === 1) return only;
    if (found.length > 1) {
      const some = found.slice(0, MAX_NAMED).map(inWords).join(", ");
      throw new AgentProblem("ambiguous_target", `${found.length} options fit "${want}": ${some}.`);
    }
  }
  const offered = options.slice(0, MAX_OFFERED).map(inWords).join(", ");
  throw new AgentProblem("option_not_found", `No option is called "${want}". There are: ${offered || "none"}.`);
}
