import type { FieldState, FormState, SentEntry } from "@gasoline/schema/commands";
import type { Slices } from "../slices.ts";
import {
  CARRIERS,
  DEFAULT_FIELDS,
  type Group,
  MAX_FORMS,
  componentOf,
  groups,
  headOf,
  isNative,
  nameOf,
  naming,
  told,
  valueOf,
} from "./fields.ts";
import type { Asking, Question } from "./main.ts";
import { compared } from "./walk.ts";

const MAX_ENTRIES = 60;
const MAX_UNSENT = 15;
const MAX_VALUE = 200;

/** Types of fields whose direction is sent where dirname asks for it. */
const WITH_DIRECTION = /^(email|hidden|password|search|tel|text|textarea|url)$/;

/** What the forms of the document hold. */
export const formState: Question<"form_state"> = async (asking) => {
  const slices = new asking.tools.Slices(asking.environment.deadline);
  const all = await groups(asking, slices);
  const listed: FormState[] = [];
  for (const group of all.slice(0, MAX_FORMS)) listed.push(await stateOf(group, asking, slices));
  return { forms: listed, count: all.length };
};

async function stateOf(group: Group, asking: Asking<{ limit?: number }>, slices: Slices): Promise<FormState> {
  const { tools } = asking;
  const limit = asking.params.limit ?? DEFAULT_FIELDS;
  const state: FormState = { ...headOf(group, asking, slices), fields: [], field_count: 0 };
  for (const at of group.fields) {
    if (slices.over) await slices.pause();
    if (!at.isConnected) continue;
    const value = valueOf(at, tools);
    const initial = initialOf(at, asking);
    const changed = initial !== undefined && initial !== value;
    const touched = at.matches(":user-valid,:user-invalid");
    const focused = isFocused(at);
    // Boxes and radio buttons that are as they began and off say nothing.
    if (value === "" && !changed && !touched && !focused && isBox(at)) continue;
    state.field_count++;
    if (state.fields.length >= limit) continue;
    await compared(at, tools, slices);
    const field: FieldState = { ...told(at, asking, slices), value };
    if (changed) Object.assign(field, { dirty: true, initial });
    if (touched) field.touched = true;
    if (focused) state.focused = field.ref;
    state.fields.push(field);
  }
  if (group.form) Object.assign(state, await sentBy(group.form, group, asking, slices));
  return state;
}

const isBox = (at: Element): at is HTMLInputElement =>
  at instanceof HTMLInputElement && /^(checkbox|radio)$/.test(at.type);

const isFocused = (at: Element): boolean =>
  (at.getRootNode() as Document | ShadowRoot).activeElement === at && document.hasFocus();

/** What the document says that a field begins with; undefined where nobody says it. */
function initialOf(at: Element, { tools }: Asking<unknown>): string | undefined {
  if (isBox(at)) return at.defaultChecked ? "checked" : "";
  if (at instanceof HTMLSelectElement) {
    const marked = [...at.options].filter(({ defaultSelected }) => defaultSelected);
    const chosen = at.multiple ? marked : marked.slice(-1);
    // A list of one line shows its first option that can be chosen where none is marked.
    if (chosen.length === 0 && !at.multiple && at.size <= 1)
      chosen.push(...[...at.options].filter((option) => !option.matches(":disabled")).slice(0, 1));
    return chosen.map(({ label }) => tools.fold(label, 100)).join(", ");
  }
  if (at instanceof HTMLInputElement && at.type === "file") return "";
  if (!isNative(at) || at instanceof HTMLSelectElement) return undefined;
  if (tools.isSecret(at)) return at.value === at.defaultValue ? valueOf(at, tools) : "";
  return tools.fold(at instanceof HTMLInputElement ? begun(at) : at.defaultValue, MAX_VALUE);
}

/** What a field makes of the value that it begins with: a colour of none is black, a slider stands in its middle. */
function begun(at: HTMLInputElement): string {
  const { defaultValue, type } = at;
  if (at.value === defaultValue) return defaultValue;
  const other = document.createElementNS("http://www.w3.org/1999/xhtml", "input") as HTMLInputElement;
  for (const name of ["min", "max", "step", "multiple"]) {
    const given = at.getAttribute(name);
    if (given !== null) other.setAttribute(name, given);
  }
  other.type = type;
  other.value = defaultValue;
  return other.value;
}

/**
 * The entries that the form would send, by HTML's rules. FormData would be shorter, and would fire the page's formdata
 * handlers.
 */
async function sentBy(
  form: HTMLFormElement,
  group: Group,
  { tools }: Asking<unknown>,
  slices: Slices,
): Promise<Pick<FormState, "submit_data" | "not_sent" | "unknown">> {
  const sent: SentEntry[] = [];
  const unsent: string[] = [];
  const unknown = new Set<string>();
  const named = naming(form, tools);
  const unordered = new Set([...tools.everywhere("input,select,textarea", form), ...named]);
  // Browsers send in the order of the page.
  const all =
    named.length > 0
      ? tools.everywhere("input,select,textarea", document).filter((at) => unordered.has(at))
      : unordered;
  const add = (name: string, value: string): void => void (sent.length < MAX_ENTRIES && sent.push({ name, value }));
  // The text in a field of the platform is what it holds.
  const called = (at: Element, whole = at): string =>
    (isNative(at) ? tools.shownName(at, slices.pass) : tools.labelOf(at, slices.pass)).slice(0, 60) || whole.localName;
  for (const at of all) {
    if (slices.over) await slices.pause();
    if (!isNative(at)) continue;
    const { name } = at;
    if (/^(submit|reset|button|image)$/.test(at.type)) continue;
    const why = unsentBecause(at, form);
    if (why === "unchecked") continue;
    const component = why && at.getRootNode() !== form.getRootNode() ? componentOf(at, tools) : null;
    if (component) unknown.add(nameOf(component) || called(at, component));
    else if (why) {
      if (tools.isVisible(at) || name) unsent.push(`${name || called(at)} (${why})`);
    } else if (at instanceof HTMLSelectElement)
      for (const option of at.selectedOptions) {
        if (!option.matches(":disabled")) add(name, tools.fold(option.value, MAX_VALUE));
      }
    else if (at instanceof HTMLInputElement && at.type === "file") {
      const files = [...(at.files ?? [])];
      if (files.length === 0) add(name, "(no file)");
      for (const file of files) add(name, tools.fold(file.name, MAX_VALUE));
    } else if (at.type === "hidden" && name.toLowerCase() === "_charset_") add(name, "UTF-8");
    else {
      add(name, tools.isSecret(at) && at.value ? tools.MASK : tools.fold(at.value, MAX_VALUE));
      const { dirName } = at;
      if (dirName && WITH_DIRECTION.test(at.type)) add(dirName, at.matches(":dir(rtl)") ? "rtl" : "ltr");
    }
  }
  for (const at of group.fields) {
    if (isNative(at)) continue;
    const component = componentOf(at, tools);
    const name = nameOf(at) || (component ? nameOf(component) : "");
    const label = name || called(at);
    if (at.localName.includes("-")) unknown.add(label);
    else if (!at.nextElementSibling?.matches(CARRIERS))
      unsent.push(`${label} (no field of the platform: the page's script has to send it)`);
  }
  return {
    ...(sent.length > 0 ? { submit_data: sent } : {}),
    ...(unsent.length > 0 ? { not_sent: unsent.slice(0, MAX_UNSENT) } : {}),
    ...(unknown.size > 0 ? { unknown: [...unknown].slice(0, MAX_UNSENT) } : {}),
  };
}

/** Why a field is no entry of what its form sends; "" where it is one. */
function unsentBecause(at: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement, form: HTMLFormElement): string {
  if (at.form !== form) return "it belongs to another form, or to none: it is in a shadow root";
  if (isBox(at) && !at.checked) return "unchecked";
  if (at.matches(":disabled")) return "disabled";
  if (at.name === "") return "it has no name";
  if (at instanceof HTMLSelectElement && [...at.selectedOptions].every((option) => option.matches(":disabled")))
    return "nothing is chosen";
  return "";
}
