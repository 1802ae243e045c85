import type { LeftOut, StoredField, TakenForms } from "../messages/stored.ts";

/** Bounds of what is taken of one document. */
const MAX_FIELDS = 2000;
const MAX_TEXT = 1_000_000; // characters

/** Fields and places that a page makes after it has loaded are waited for so long, ms. */
const WAIT_MS = 1000;

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Inputs whose value is the page's, or that nobody can give one. */
const WITHOUT: ReadonlySet<string> = new Set(["hidden", "submit", "button", "reset", "image"]);

const isBox = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio");

/** What is not as the page delivered it. Secret fields and chosen files are named only. */
export function take(isSecret: (field: Element) => boolean): TakenForms {
  const taken: TakenForms = {
    origin: window.origin,
    url: location.href,
    fields: [],
    scroll: [window.scrollX, window.scrollY],
    left_out: [],
  };
  const leave = (field: Field, why: string): void =>
    void taken.left_out.push({ what: `field ${nameOf(field)}`, why, count: 1 } satisfies LeftOut);
  let room = MAX_TEXT;
  for (const field of document.querySelectorAll<Field>("input,textarea,select")) {
    if (field instanceof HTMLInputElement && WITHOUT.has(field.type)) continue;
    const state = stateOf(field);
    if (isInitial(field)) continue;
    if (isSecret(field)) leave(field, "secrets that are typed in are not kept");
    else if (field.type === "file") leave(field, "chosen files are not kept");
    else if ((room -= state.value?.length ?? 0) < 0 || taken.fields.length >= MAX_FIELDS)
      leave(field, "too much is typed into this page");
    else taken.fields.push({ at: pathOf(field), name: field.name, type: field.type, ...state });
  }
  return taken;
}

function stateOf(field: Field): Pick<StoredField, "value" | "checked" | "chosen"> {
  if (field instanceof HTMLSelectElement) return { chosen: [...field.selectedOptions].map(({ index }) => index) };
  return isBox(field) ? { checked: field.checked } : { value: field.value };
}

function isInitial(field: Field): boolean {
  if (field instanceof HTMLSelectElement) {
    const options = [...field.options];
    const given = options.filter(({ defaultSelected }) => defaultSelected);
    const first = options.find(({ disabled }) => !disabled);
    const initial = given.length > 0 || field.multiple ? given.slice(field.multiple ? 0 : -1) : first ? [first] : [];
    return initial.length === field.selectedOptions.length && initial.every(({ selected }) => selected);
  }
  return isBox(field) ? field.checked === field.defaultChecked : field.value === field.defaultValue;
}

const nameOf = (field: Field): string => (field.name || field.id || pathOf(field)).slice(0, 100);

/** CSS that finds the field: from the nearest id that the document has once. */
function pathOf(field: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = field; at; at = at.parentElement) {
    const id = at.id === "" ? "" : `#${CSS.escape(at.id)}`;
    if (id !== "" && document.querySelectorAll(id).length === 1) {
      steps.unshift(id);
      break;
    }
    const { parentElement: parent } = at;
    steps.unshift(parent ? `${at.localName}:nth-child(${[...parent.children].indexOf(at) + 1})` : at.localName);
  }
  return steps.join(">");
}

/**
 * Types again what was typed, and scrolls to where the page was. perform is called for each change with what makes it.
 * Gives what is not as saved, by name.
 */
export async function restore(
  { fields, scroll: [x, y] }: Pick<TakenForms, "fields" | "scroll">,
  perform: (change: () => void) => void,
): Promise<string[]> {
  const found = (field: StoredField): Field | null => {
    const at = document.querySelector<Field>(field.at);
    return at && at.name === field.name && at.type === field.type ? at : null;
  };
  await until(() => fields.every((field) => found(field)));
  for (const field of fields) {
    const at = found(field);
    if (at) perform(() => set(at, field));
  }
  // A page that scrolls smoothly would be on its way.
  const scroll = (): boolean => {
    window.scrollTo({ left: x, top: y, behavior: "instant" });
    return Math.abs(window.scrollX - x) < 2 && Math.abs(window.scrollY - y) < 2;
  };
  const there = scroll() || (await until(scroll));
  const differ = fields.filter((field) => {
    const at = found(field);
    return !at || JSON.stringify(stateOf(at)) !== JSON.stringify(pick(field));
  });
  return [
    ...differ.map((field) => {
      const why = found(field) ? "changed by the page" : "not in the page now";
      return `${why}: field ${(field.name || field.at).slice(0, 100)}`;
    }),
    ...(there ? [] : ["not reached, because the page is shorter now: scroll position"]),
  ];
}

const pick = ({ value, checked, chosen }: StoredField): object =>
  JSON.parse(JSON.stringify({ value, checked, chosen })) as object;

/** As a user's input would: the page's own listeners hear of it. */
function set(field: Field, { value, checked, chosen }: StoredField): void {
  if (isBox(field)) {
    if (field.checked !== checked) field.click();
    if (field.checked === checked) return;
    field.checked = checked === true;
  } else if (field instanceof HTMLSelectElement) {
    for (const option of field.options) option.selected = chosen?.includes(option.index) === true;
  } else field.value = value ?? "";
  field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Resolves once it is so, asked at each change of the document, or after WAIT_MS. Says whether it is. */
async function until(so: () => boolean): Promise<boolean> {
  if (so()) return true;
  return new Promise((resolve) => {
    const end = (is: boolean): void => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(is);
    };
    const observer = new MutationObserver(() => {
      if (so()) end(true);
    });
    const timer = setTimeout(() => end(so()), WAIT_MS);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  });
}
