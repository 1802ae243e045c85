import type { TargetParams, ValueResult } from "@gasoline/schema/commands";
import { drawnText, inputIn } from "../editor.ts";
import { describe, inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { MASK, isSecret } from "../secret.ts";
import { resolve } from "../target.ts";
import { retry } from "../waiting.ts";

const MAX_VALUE = 100_000;

/** Reads the value of a form control, or the text of an editor. Secrets stay in the page. */
export async function getValue(params: TargetParams, environment: Environment): Promise<ValueResult> {
  const found = await retry(environment.deadline, () => resolve(params, environment.refs));
  const named =
    found.element instanceof HTMLLabelElement && found.element.control ? found.element.control : found.element;
  const element = inputIn(named) ?? named;
  return {
    value: valueOf(element).slice(0, MAX_VALUE),
    matched: describe(element, environment.refs, environment.frame),
    url: location.href,
  };
}

function valueOf(element: Element): string {
  const drawn = drawnText(element);
  if (drawn !== undefined) return drawn;
  if (isSecret(element)) return (element as HTMLInputElement).value === "" ? "" : MASK;
  if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio"))
    return String(element.checked);
  if (element instanceof HTMLSelectElement && element.multiple)
    return [...element.selectedOptions].map((option) => option.value).join(",");
  if (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLOutputElement
  ) {
    return element.value;
  }
  if (element instanceof HTMLMeterElement || element instanceof HTMLProgressElement) return String(element.value);
  if (element instanceof HTMLElement && element.isContentEditable) return element.innerText;
  const aria =
    element.getAttribute("aria-valuetext") ??
    element.getAttribute("aria-valuenow") ??
    element.getAttribute("aria-checked");
  if (aria !== null) return aria;
  throw new AgentProblem("not_interactive", `${inWords(element)} has no value. get_text reads its text.`);
}
