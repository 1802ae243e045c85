import { nameOf } from "@gasoline/capture/locators/name";
import type { SelectParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { everyElement } from "../shadow.ts";
import { isVisible, pointOf } from "../visible.ts";
import { retry } from "../waiting.ts";
import { outcome } from "./outcome.ts";
import { press } from "./pointer.ts";

/** Chooses an option of a select element, or of a list that a page built itself. */
export async function select(params: SelectParams, environment: Environment): Promise<Acted> {
  const { refs, deadline } = environment;
  const found = await ready(params, refs, { enabled: true, hit: false }, deadline);
  const { element } = found;
  const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
  if (control instanceof HTMLSelectElement) {
    const value = await retry(deadline, () => choose(control, params.value));
    return { result: outcome({ ...found, element: control }, environment, { value }) };
  }
  if (!isCustom(control)) throw new AgentProblem("not_select", `${inWords(control)} has no options to choose from.`);
  if (control.getAttribute("role") !== "listbox" && control.getAttribute("aria-expanded") !== "true") {
    press(control, pointOf(control), "left", 1);
  }
  const option = await retry(deadline, () => customOption(params.value));
  option.scrollIntoView({ block: "nearest", behavior: "instant" });
  const value = nameOf(option) || (option.textContent ?? "").trim();
  press(option, pointOf(option), "left", 1);
  return { result: outcome(found, environment, { value }) };
}

function choose(control: HTMLSelectElement, value: string): string {
  const option = pick([...control.options], value, (at) => [at.value, at.label, at.text]);
  if (option.matches(":disabled"))
    throw new AgentProblem("not_actionable", `The option "${option.label}" is disabled.`);
  const before = [...control.selectedOptions];
  if (!control.multiple || !option.selected) option.selected = true;
  if (before.length !== control.selectedOptions.length || before[0] !== control.selectedOptions[0]) {
    control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    control.dispatchEvent(new Event("change", { bubbles: true }));
  }
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
