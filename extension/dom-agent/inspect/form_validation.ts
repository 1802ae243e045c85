import type { FieldsVerdict, FormHead, FormJudged } from "@gasoline/schema/commands";
import type { Slices } from "../slices.ts";
import {
  DEFAULT_FIELDS,
  type Group,
  MAX_FORMS,
  componentOf,
  groups,
  headOf,
  isNative,
  naming,
  told,
} from "./fields.ts";
import type { Asking, Question } from "./main.ts";
import { compared } from "./walk.ts";

/** As the platform names them, the one that says most first. */
const RULES = [
  "badInput",
  "valueMissing",
  "typeMismatch",
  "patternMismatch",
  "tooShort",
  "tooLong",
  "rangeUnderflow",
  "rangeOverflow",
  "stepMismatch",
  "customError",
] as const;

/** What browser and page say of the forms' fields. checkValidity would fire the page's invalid handlers. */
export const formValidation: Question<"form_validation"> = async (asking) => {
  const slices = new asking.tools.Slices(asking.environment.deadline);
  const all = await groups(asking, slices);
  const judged: { group: Group; verdict: Verdict }[] = [];
  for (const group of all) judged.push({ group, verdict: await judge(group, asking, slices) });
  const valid = judged.filter(({ verdict }) => verdict.valid).length;
  const worstFirst = judged.toSorted((a, b) => Number(b.verdict.error_count > 0) - Number(a.verdict.error_count > 0));
  return {
    forms: worstFirst
      .slice(0, MAX_FORMS)
      .map(({ group, verdict }): FormJudged => ({ ...headOf(group, asking, slices), ...verdict })),
    total_forms: all.length,
    valid,
    invalid: all.length - valid,
  };
};

type Verdict = Omit<FormJudged, keyof FormHead>;

async function judge(group: Group, asking: Asking<{ limit?: number }>, slices: Slices): Promise<Verdict> {
  const { tools } = asking;
  const limit = asking.params.limit ?? DEFAULT_FIELDS;
  const wrong: FieldsVerdict[] = [];
  let checked = 0;
  let count = 0;
  let valid = true;
  const groupsOfRadios = new Set<string>();
  /** Components whose field was told. */
  const components = new Set<Element>();
  const { form } = group;
  // Buttons, components and what these send their value by may be judged, too: of components the browser says only whether
  // they are valid.
  const css = ":invalid:not(fieldset,form)";
  const others = form ? [...tools.everywhere(css, form), ...naming(form, tools).filter((at) => at.matches(css))] : [];
  for (const at of new Set([...group.fields, ...others.filter((other) => !isNative(other) || other.form === form)])) {
    if (slices.over) await slices.pause();
    if (!at.isConnected) continue;
    const judges = (isNative(at) || at instanceof HTMLButtonElement) && at.willValidate;
    const byComponent = !judges && !components.has(at) && at.matches(":invalid");
    if (judges) checked++;
    const rule = judges ? RULES.find((name) => at.validity[name]) : byComponent ? "customError" : undefined;
    if (rule) valid = false;
    const marked = tools.ariaOf(at, "invalid");
    const byPage = marked !== null && marked !== "false" && marked !== "";
    if (!rule && !byPage) continue;
    // One that is missing of several radio buttons of a name is one error.
    if (rule === "valueMissing" && at instanceof HTMLInputElement && at.type === "radio") {
      if (groupsOfRadios.has(at.name)) continue;
      groupsOfRadios.add(at.name);
    }
    const component = rule ? componentOf(at, tools) : null;
    const isAsked = component?.matches(":invalid") === true;
    if (component) components.add(component);
    count++;
    if (wrong.length >= limit) continue;
    await compared(at, tools, slices);
    const { ref, role, label, name, hidden } = told(at, asking, slices);
    const apart = rule !== undefined && isNative(at) && form !== undefined && at.form !== form && !isAsked;
    const message =
      rule && judges
        ? at.validationMessage
        : shownAt(at, asking) || (byComponent ? "its component says that it is not valid" : "");
    wrong.push({
      ref,
      role,
      field: label,
      ...(name ? { name } : {}),
      by: rule ? "browser" : "page",
      ...(rule ? { rule } : {}),
      ...(apart ? { apart } : {}),
      ...(message ? { message: tools.fold(message, 200) } : {}),
      ...(hidden ? { hidden } : {}),
    });
  }
  return {
    // A field in a shadow root has no part in its form.
    valid: form ? !form.matches(":invalid") : valid,
    ...(group.form?.hasAttribute("novalidate") ? { no_validate: true } : {}),
    validation_errors: wrong,
    error_count: count,
    checked,
  };
}

/** What the page shows as the error of a field. */
function shownAt(at: Element, { tools }: Asking<unknown>): string {
  const root = at.getRootNode() as Document | ShadowRoot;
  for (const by of ["aria-errormessage", "aria-describedby"]) {
    const texts = (at.getAttribute(by)?.split(/\s+/) ?? []).flatMap((id) => {
      const told = id && root.getElementById?.(id);
      return told && tools.isVisible(told) ? [tools.shownText(told, 160)] : [];
    });
    if (texts.some(Boolean)) return texts.filter(Boolean).join(" ");
  }
  return "";
}
