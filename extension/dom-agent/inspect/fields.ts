import type { FormHead } from "@gasoline/schema/commands";
import type { Slices } from "../slices.ts";
import type { Asking, Tools } from "./main.ts";
import { fitting } from "./walk.ts";

/** Forms, and groups of fields that are in none, that are told. */
export const MAX_FORMS = 20;
export const DEFAULT_FIELDS = 25;

/** A field that the platform knows. */
export type Native = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A form, or a part of the page with fields that are in none. */
export interface Group {
  form: HTMLFormElement | undefined;
  /** The form, or the part of the page; null: the document. */
  around: Element | null;
  /** In the order of the page. */
  fields: Element[];
}

const NATIVE = "input:not([type=hidden],[type=submit],[type=reset],[type=button],[type=image]),select,textarea";
const ROLES = /^(checkbox|combobox|listbox|radio|radiogroup|searchbox|slider|spinbutton|switch|textbox)$/;
const WITH_ROLE =
  "[contenteditable],[role=checkbox],[role=combobox],[role=listbox],[role=radio],[role=searchbox],[role=slider],[role=spinbutton],[role=switch],[role=textbox]";
const PARTS = /^(alertdialog|banner|complementary|contentinfo|dialog|form|group|main|navigation|region|search)$/;

export const isNative = (at: Element): at is Native =>
  at instanceof HTMLInputElement || at instanceof HTMLSelectElement || at instanceof HTMLTextAreaElement;

/** The forms of the document, or those that the question is about, each with its fields. */
export async function groups({ within, tools }: Asking<unknown>, slices: Slices): Promise<Group[]> {
  const found = new Map<Element | null, Group>();
  const known = new Set<Element>();
  const add = (form: HTMLFormElement | undefined, around: Element | null): Group => {
    let group = found.get(around);
    if (!group) found.set(around, (group = { form, around, fields: [] }));
    return group;
  };
  for (const scope of within ?? [document]) {
    const inside = await fitting(`form,${fieldsCSS(tools)}`, [scope], tools, slices);
    // A form that is asked about is told with all of it, also with what names it from elsewhere.
    const whole = new Set<Element>();
    for (const at of scope instanceof Element ? inside : []) {
      if (slices.over) await slices.pause();
      if (at instanceof HTMLFormElement && naming(at, tools).some((other) => !inside.has(other))) whole.add(at);
    }
    let all = inside;
    if (whole.size > 0) {
      all = await fitting(`form,${fieldsCSS(tools)}`, [document], tools, slices);
      for (const at of all) {
        if (slices.over) await slices.pause();
        if (inside.has(at)) continue;
        const form = formOf(at, tools);
        if (!form || !whole.has(form)) all.delete(at);
      }
    }
    for (const at of all) {
      if (slices.over) await slices.pause();
      if (!at.isConnected || tools.isOwn(at)) continue;
      if (at instanceof HTMLFormElement) add(at, at);
      else if (isField(at, tools)) {
        const form = formOf(at, tools);
        const group = add(form, form ?? partOf(at, slices, tools));
        if (!known.has(at)) group.fields.push(at);
        known.add(at);
      }
    }
  }
  // A form without fields matters where it has a button.
  return [...found.values()];
}

const fieldsCSS = ({ componentTags }: Tools): string => [NATIVE, WITH_ROLE, ...componentTags()].join();

/** Components send what they hold by such a field, which neither a pointer nor the Tab key comes to. */
export const CARRIERS =
  "input[aria-hidden=true][tabindex='-1'],select[aria-hidden=true][tabindex='-1'],textarea[aria-hidden=true][tabindex='-1']";

function isField(at: Element, tools: Tools): boolean {
  if (isNative(at)) return !at.matches(CARRIERS);
  if (at instanceof HTMLElement && at.isContentEditable) {
    if (at.parentElement?.isContentEditable) return false;
  } else if (!ROLES.test(tools.roleTold(at))) return false;
  if (at.id && tools.roleTold(at) === "listbox" && opens(at)) return false;
  // What is around a field of the platform is a part of how that looks.
  return tools.everywhere(NATIVE, at).length === 0;
}

/** Whether a list is what a combobox shows its options in. */
const opens = (at: Element): boolean =>
  (at.getRootNode() as Document | ShadowRoot).querySelector(
    `[role=combobox]:is([aria-controls~="${CSS.escape(at.id)}"],[aria-owns~="${CSS.escape(at.id)}"])`,
  ) !== null;

/** The component with internals that a field in a shadow root is a part of: it may have its name, its label and its form. */
export function componentOf(at: Element, { componentTags, nearest }: Tools): Element | null {
  const tags = at.getRootNode() instanceof ShadowRoot ? componentTags() : [];
  return tags.length > 0 ? nearest(at, tags.join()) : null;
}

/** The form that a field belongs to, through shadow roots. */
export function formOf(at: Element, tools: Tools): HTMLFormElement | undefined {
  const own: unknown = isNative(at) ? at.form : undefined;
  const form = own instanceof HTMLFormElement ? own : tools.nearest(at, "form");
  return form instanceof HTMLFormElement ? form : undefined;
}

/** What names a form by its id, in the same root. */
export const naming = (form: HTMLFormElement, { everywhere }: Tools): Element[] =>
  form.id ? everywhere(`[form="${CSS.escape(form.id)}"]`, form.getRootNode() as Document | ShadowRoot) : [];

const partOf = (at: Element, slices: Slices, { parentOf, roleTold }: Tools): Element | null => {
  const parent = parentOf(at);
  return (
    parent &&
    slices.pass.upwards<Element | null>("part", parent, (part) => (PARTS.test(roleTold(part)) ? part : undefined), null)
  );
};

/** Says which form it is. */
export function headOf({ form, around }: Group, { environment, tools }: Asking<unknown>, slices: Slices): FormHead {
  const head: FormHead = form ? {} : { no_form: true };
  if (!around) return head;
  const role = tools.roleTold(around);
  const name = tools.shownName(around, slices.pass);
  const heading = name ? "" : titleOf(around, tools);
  head.ref = environment.refs.refOf(around, tools.identityOf(around, role, name));
  if (name || heading) head.label = (name || heading).slice(0, 120);
  if (!form && role) head.role = role;
  if (!tools.isVisible(around) && around.childElementCount > 0) head.hidden = true;
  return head;
}

const titleOf = (around: Element, tools: Tools): string => {
  const [heading] = tools.everywhere("legend,h1,h2,h3,h4,h5,h6,[role=heading]", around);
  return heading ? tools.shownText(heading, 80) : "";
};

/** What a field is called; of a radio button what its group is called. */
export const nameOf = (at: Element): string => at.getAttribute("name") ?? "";

/** What a field holds, as it may be told. */
export function valueOf(at: Element, { MASK, isSecret, fold, shownText, ariaOf }: Tools): string {
  if (isSecret(at)) return (at as Native).value === "" ? "" : MASK;
  if (at instanceof HTMLSelectElement) return [...at.selectedOptions].map(({ label }) => fold(label, 100)).join(", ");
  if (at instanceof HTMLInputElement && /^(checkbox|radio)$/.test(at.type)) return at.checked ? "checked" : "";
  if (at instanceof HTMLInputElement && at.type === "file")
    return [...(at.files ?? [])].map(({ name }) => fold(name, 100)).join(", ");
  if (isNative(at)) return fold(at.value, 200);
  const checked = ariaOf(at, "checked");
  if (checked !== null) return checked === "true" ? "checked" : checked === "mixed" ? "mixed" : "";
  return ariaOf(at, "valuetext") ?? ariaOf(at, "valuenow") ?? shownText(at, 200);
}

/** A field as the answers of all three questions name it. */
export function told(at: Element, { environment, tools }: Asking<unknown>, slices: Slices) {
  const role = tools.roleTold(at);
  // The text in a field of the platform is what it holds, or its options.
  const own = isNative(at) ? tools.shownName(at, slices.pass) : tools.labelOf(at, slices.pass);
  const component = componentOf(at, tools);
  const around = component && !own ? tools.nearest(component, "label") : null;
  const label = own || (around ? tools.shownText(around, 120) : "");
  const name = nameOf(at) || (component ? nameOf(component) : "");
  return {
    ref: environment.refs.refOf(at, tools.identityOf(at, role, tools.shownName(at, slices.pass))),
    role: role || (isNative(at) ? (at instanceof HTMLInputElement ? at.type : at.localName) : "textbox"),
    label: label.slice(0, 120),
    ...(name ? { name: name.slice(0, 100) } : {}),
    ...(tools.isDisabled(at, slices.pass) ? { disabled: true } : {}),
    ...(tools.isVisible(at) ? {} : { hidden: true }),
  };
}
