import { hasInternals } from "@gasoline/capture/locators/lent";
import { roleOf } from "@gasoline/capture/locators/role";
import type { Search } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { inWords } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { MASK, isSecret } from "../secret.ts";
import { AgentProblem } from "../problem.ts";
import { resolve } from "../target.ts";
import { isVisible } from "../visible.ts";
import { retry } from "../waiting.ts";
import { check } from "./check.ts";
import { click } from "./click.ts";
import { select } from "./select.ts";
import { type } from "./type.ts";

const CHECKABLE =
  "input[type=checkbox], input[type=radio], [role=checkbox], [role=radio], [role=switch], [role=menuitemcheckbox]";
const CHOICE =
  "select, [role=combobox]:not(input, textarea), [role=listbox], [aria-haspopup=listbox]:not(input, textarea)";

/** Whether a control is one of some kind: by CSS or, of a component, by the role that it gives itself. */
const isA = (control: Element, css: string, roles: RegExp): boolean =>
  control.matches(css) || (hasInternals(control) && roles.test(roleOf(control)));
const isCheckable = (control: Element): boolean =>
  isA(control, CHECKABLE, /^(checkbox|radio|switch|menuitemcheckbox)$/);
const isChoice = (control: Element): boolean => isA(control, CHOICE, /^(combobox|listbox)$/);

/** Brings a field to a value, whatever kind of field it is: a text is typed, an option chosen, a box checked or not. */
export async function fill(
  params: Search & { value: string; values?: string[] },
  environment: Environment,
): Promise<Acted> {
  const { value, values, ...search } = params;
  const { element } = await retry(environment.deadline, () => resolve(search, environment.refs));
  const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
  if (values && !isChoice(control))
    throw new AgentProblem("not_select", `${inWords(control)} has no options to choose from.`);
  if (isCheckable(control)) return check({ ...search, checked: wanted(control, value) }, environment);
  if (isChoice(control)) return select(values ? { ...search, values } : { ...search, value }, environment);
  const done = await type({ ...search, text: value, clear: true }, environment);
  const { value: now } = done.result;
  if (isField(control) && now !== undefined && !isKept(value, now))
    done.result.set_to = isSecret(control) ? MASK : value;
  return done;
}

const isField = (control: Element): boolean =>
  control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement;

/** Results tell so many characters of a value. */
const MAX_VALUE = 1000;

/** Whether a field holds what was typed, perhaps as it writes that: with other marks, in other case. */
function isKept(asked: string, now: string): boolean {
  if (now === MASK || asked.slice(0, MAX_VALUE) === now) return true;
  const [want, have] = [asked, now].map((text) => (text.trim() === "" ? NaN : Number(text))) as [number, number];
  if (!Number.isNaN(want + have)) return want === have;
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return letters(asked) !== "" && letters(asked.slice(0, MAX_VALUE)) === letters(now);
}

function wanted(control: Element, value: string): boolean {
  if (/^(true|yes|on|1|checked)$/i.test(value)) return true;
  if (/^(false|no|off|0|unchecked)?$/i.test(value)) return false;
  // The value of a radio button names the one that is meant.
  if (control instanceof HTMLInputElement && control.value === value) return true;
  throw new AgentProblem(
    "invalid_param",
    `${inWords(control)} is checked by true and false, not by "${value.slice(0, 100)}".`,
  );
}

/** Sends the form around an element as a user would: by its button. */
export async function submit({ ref }: { ref: string }, environment: Environment): Promise<Acted> {
  const { element } = resolve({ ref }, environment.refs);
  const form = formOf(element);
  if (!form) {
    throw new AgentProblem("no_submit", `${inWords(element)} is in no form: name what sends it by submit_selector.`);
  }
  // form.elements lacks image buttons.
  const controls = (form.getRootNode() as Document | ShadowRoot | Element).querySelectorAll("button, input");
  const buttons = [...controls].filter((at) => isSubmit(at) && at.form === form);
  // The first one is what Enter would press. One that nobody sees may stand there for that alone.
  const button = buttons.find(isVisible) ?? buttons[0];
  if (button && isVisible(button)) return click({ ref: environment.refs.refOf(button) }, environment);
  environment.act.perform(() => form.requestSubmit(button as HTMLElement | undefined));
  return { result: { match_count: 0, match_strategy: "" } };
}

const isSubmit = (at: Element): at is HTMLButtonElement | HTMLInputElement =>
  (at instanceof HTMLButtonElement || at instanceof HTMLInputElement) && /^(submit|image)$/.test(at.type);

function formOf(element: Element): HTMLFormElement | null {
  const own = (element as { form?: unknown }).form;
  return own instanceof HTMLFormElement ? own : element.closest("form");
}
