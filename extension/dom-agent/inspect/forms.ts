import type { FieldOption, FormButton, FoundField, FoundForm } from "@gasoline/schema/commands";
import type { Slices } from "../slices.ts";
import {
  DEFAULT_FIELDS,
  type Group,
  MAX_FORMS,
  componentOf,
  formOf as ownerOf,
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

const MAX_OPTIONS = 12;
const MAX_BUTTONS = 5;
const BUTTONS = "button,input[type=submit],input[type=image],input[type=reset]";
const CONSTRAINTS = ["pattern", "min", "max", "step", "minlength", "maxlength", "accept", "autocomplete"];

/** What the document has to fill in. */
export const forms: Question<"forms"> = async (asking) => {
  const slices = new asking.tools.Slices(asking.environment.deadline);
  const all = await groups(asking, slices);
  const listed: FoundForm[] = [];
  for (const group of all.slice(0, MAX_FORMS)) listed.push(await formOf(group, asking, slices));
  return { forms: listed, count: all.length };
};

async function formOf(group: Group, asking: Asking<{ limit?: number }>, slices: Slices): Promise<FoundForm> {
  const { form } = group;
  const limit = asking.params.limit ?? DEFAULT_FIELDS;
  const fields: FoundField[] = [];
  const radios = new Map<string, Element[]>();
  const single: Element[] = [];
  for (const at of group.fields) {
    const isRadio = at instanceof HTMLInputElement && at.type === "radio" && at.name !== "";
    if (!isRadio) single.push(at);
    else if (radios.has(at.name)) radios.get(at.name)!.push(at);
    else {
      radios.set(at.name, [at]);
      single.push(at);
    }
  }
  for (const at of single.slice(0, limit)) {
    if (slices.over) await slices.pause();
    await compared(at, asking.tools, slices);
    if (!at.isConnected) continue;
    const alike = at instanceof HTMLInputElement && at.type === "radio" ? radios.get(at.name) : undefined;
    fields.push(alike ? radioOf(alike, asking, slices) : fieldOf(at, asking, slices));
  }
  const found: FoundForm = { ...headOf(group, asking, slices), fields, field_count: single.length };
  if (form) {
    found.method = methodOf(form.getAttribute("method"));
    const action = form.getAttribute("action");
    found.action = action === null ? "" : shorter(action);
    if (form.hasAttribute("novalidate")) found.no_validate = true;
  }
  const buttons = buttonsOf(group, asking, slices);
  if (buttons.length > 0) found.buttons = buttons;
  return found;
}

/** As browsers take it. */
const methodOf = (given: string | null): string => /^(?:post|dialog)$/i.exec(given ?? "")?.[0].toLowerCase() ?? "get";

function shorter(action: string): string {
  try {
    return new URL(action, document.baseURI).href.replace(globalThis.origin, "").slice(0, 300);
  } catch {
    return action.slice(0, 300);
  }
}

function fieldOf(at: Element, asking: Asking<unknown>, slices: Slices): FoundField {
  const { tools } = asking;
  const field: FoundField = told(at, asking, slices);
  if (isNative(at)) field.type = at.type;
  const value = valueOf(at, tools);
  if (value === "checked") field.checked = true;
  else if (value) field.value = value;
  if (isNative(at) ? at.required : tools.ariaOf(at, "required") === "true") field.required = true;
  if (isNative(at) && !(at instanceof HTMLSelectElement) ? at.readOnly : tools.ariaOf(at, "readonly") === "true")
    field.readonly = true;
  const constraints = CONSTRAINTS.flatMap((name) => {
    const given = at.getAttribute(name);
    return given ? [`${name}=${given.slice(0, 100)}`] : [];
  });
  if (at.hasAttribute("multiple")) constraints.push("multiple");
  if (constraints.length > 0) field.constraints = constraints;
  const hint = hintOf(at, asking, slices);
  if (hint) field.hint = hint;
  const options = at instanceof HTMLSelectElement ? [...at.options] : listOf(at);
  if (options.length > 0) {
    field.option_count = options.length;
    // What is chosen is told, however far down it is.
    const first = options.slice(0, MAX_OPTIONS);
    const chosen = options.slice(MAX_OPTIONS).filter(({ selected }) => selected && at instanceof HTMLSelectElement);
    field.options = [...first, ...chosen.slice(0, MAX_OPTIONS)].map((option): FieldOption => ({
      label: tools.fold(option.label || option.value, 80),
      ...(option.selected && at instanceof HTMLSelectElement ? { chosen: true } : {}),
      ...(option.matches(":disabled") ? { disabled: true } : {}),
    }));
    if (at instanceof HTMLSelectElement) delete field.value;
  }
  return field;
}

const listOf = (at: Element): HTMLOptionElement[] =>
  at instanceof HTMLInputElement && at.list ? [...at.list.options] : [];

/** What helps to fill in a field: its description, else its placeholder. */
function hintOf(at: Element, { tools }: Asking<unknown>, slices: Slices): string {
  const ids = at.getAttribute("aria-describedby")?.split(/\s+/) ?? [];
  const root = at.getRootNode() as Document | ShadowRoot;
  const described = ids.flatMap((id) => {
    const by = id && root.getElementById?.(id);
    return by ? [tools.shownText(by, 160)] : [];
  });
  const text = described.filter(Boolean).join(" ") || at.getAttribute("aria-description") || "";
  const placeholder = at.getAttribute("placeholder") ?? "";
  return tools.fold(text || (placeholder === tools.labelOf(at, slices.pass) ? "" : placeholder), 160);
}

/** Radio buttons of one name, as one field. */
function radioOf(alike: Element[], asking: Asking<unknown>, slices: Slices): FoundField {
  const { tools } = asking;
  const [first] = alike as [Element, ...Element[]];
  const around = tools.nearest(first, "fieldset,[role=radiogroup],[role=group]");
  const { role: _role, label: _label, ...rest } = told(first, asking, slices);
  const label = around ? tools.shownName(around, slices.pass) || legendOf(around, asking) : "";
  return {
    ...rest,
    role: "radiogroup",
    label: label || nameOf(first),
    type: "radio",
    ...(alike.some((at) => (at as HTMLInputElement).required) ? { required: true } : {}),
    option_count: alike.length,
    options: alike.slice(0, MAX_OPTIONS).map((at): FieldOption => {
      const { ref, label, disabled } = told(at, asking, slices);
      const chosen = (at as HTMLInputElement).checked;
      return { ref, label, ...(chosen ? { chosen } : {}), ...(disabled ? { disabled } : {}) };
    }),
  };
}

const legendOf = (around: Element, { tools }: Asking<unknown>): string => {
  const legend = around.querySelector("legend");
  return legend ? tools.shownText(legend, 80) : "";
};

/** The buttons that send a form or reset it. */
function buttonsOf({ form }: Group, asking: Asking<unknown>, slices: Slices): FormButton[] {
  const { environment, tools } = asking;
  if (!form) return [];
  const all = [...tools.everywhere(BUTTONS, form), ...naming(form, tools).filter((at) => at.matches(BUTTONS))];
  return [...new Set(all)]
    .flatMap((at): FormButton[] => {
      if (!(at instanceof HTMLButtonElement || at instanceof HTMLInputElement)) return [];
      // A component's button has no form of its own: what it does the component's attribute tells, or nobody.
      const component = at.form === null ? componentOf(at, tools) : null;
      if (at.form !== form && !(component && ownerOf(component, tools) === form)) return [];
      const type = component ? (component.getAttribute("type") ?? "unknown") : at.type;
      const does = /^(reset|unknown)$/.test(type) ? type : type === "button" ? "" : "submit";
      if (!does) return [];
      return [
        {
          ref: environment.refs.refOf(at),
          label: tools.labelOf(at, slices.pass).slice(0, 80),
          does,
          ...(does === "submit" ? sendsBy(at) : {}),
          ...(tools.isDisabled(at, slices.pass) ? { disabled: true } : {}),
          ...(tools.isVisible(at) ? {} : { hidden: true }),
        },
      ];
    })
    .slice(0, MAX_BUTTONS);
}

/** How a button sends a form otherwise than the form says. */
function sendsBy(at: HTMLButtonElement | HTMLInputElement): Partial<FormButton> {
  const action = at.getAttribute("formaction");
  const method = at.getAttribute("formmethod");
  return {
    ...(at.name ? { sends: `${at.name}=${at.value}` } : {}),
    ...(action ? { action: shorter(action) } : {}),
    ...(method === null ? {} : { method: methodOf(method) }),
    ...(at.hasAttribute("formnovalidate") ? { no_validate: true } : {}),
  };
}
