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
export function take(isSecret: (field: Element) => boolean, fields: readonly Element[]): TakenForms {
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
  for (const field of fields as readonly Field[]) {
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

/** Leads into the shadow root of what was found. No CSS that pathOf writes has it. */
const INTO = " >>> ";

/** CSS that finds the field: in each tree from the nearest id that the tree has once. */
function pathOf(field: Element): string {
  const root = field.getRootNode() as Document | ShadowRoot;
  const steps: string[] = [];
  for (let at: Element | null = field; at; at = at.parentElement) {
    const id = at.id === "" ? "" : `#${CSS.escape(at.id)}`;
    if (id !== "" && root.querySelectorAll(id).length === 1) {
      steps.unshift(id);
      break;
    }
    const parent: Element | Document | ShadowRoot = at.parentElement ?? root;
    const alone = parent instanceof Document; // which has one element
    steps.unshift(alone ? at.localName : `${at.localName}:nth-child(${[...parent.children].indexOf(at) + 1})`);
  }
  const path = steps.join(">");
  return root instanceof ShadowRoot ? pathOf(root.host) + INTO + path : path;
}

/** The element that a path of one tree finds. In a shadow root CSS has no word for the root, so the steps are counted. */
function elementAt(path: string, tree: Document | ShadowRoot): Element | null {
  const steps = path.split(">").length;
  const top = (element: Element): Element | null => {
    let at: Element | null = element;
    for (let step = 1; step < steps; step++) at = at?.parentElement ?? null;
    return at;
  };
  const within = tree instanceof ShadowRoot && !path.startsWith("#");
  const fits = (element: Element): boolean => !within || top(element)?.parentNode === tree;
  return [...tree.querySelectorAll(path)].find(fits) ?? null;
}

/**
 * Types again what was typed, and scrolls to where the page was. perform is called for each change with what makes it.
 * Gives what is not as saved, by name.
 */
export async function restore(
  { fields, scroll: [x, y] }: Pick<TakenForms, "fields" | "scroll">,
  perform: (change: () => void) => void,
  rootOf: (host: Element) => ShadowRoot | null,
): Promise<string[]> {
  const passed = new Set<ShadowRoot>(); // on the way to fields
  const found = (field: StoredField): Field | null => {
    let at: Element | null = null;
    for (const path of field.at.split(INTO)) {
      const tree: Document | ShadowRoot | null = at ? rootOf(at) : document;
      if (tree instanceof ShadowRoot) passed.add(tree);
      at = tree && elementAt(path, tree);
      if (!at) return null;
    }
    const is = at as Field | null;
    return is && is.name === field.name && is.type === field.type ? is : null;
  };
  await until(() => fields.every((field) => found(field)), passed);
  for (const field of fields) {
    const at = found(field);
    if (at) perform(() => set(at, field));
  }
  // A page that scrolls smoothly would be on its way.
  const scroll = (): boolean => {
    window.scrollTo({ left: x, top: y, behavior: "instant" });
    return Math.abs(window.scrollX - x) < 2 && Math.abs(window.scrollY - y) < 2;
  };
  const there = scroll() || (await until(scroll, passed));
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

/**
 * Resolves once it is so, asked at each change of the document and of the shadow roots, which may become more, or after
 * WAIT_MS. Says whether it is.
 */
async function until(so: () => boolean, passed: ReadonlySet<ShadowRoot>): Promise<boolean> {
  if (so()) return true;
  return new Promise((resolve) => {
    const end = (is: boolean): void => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(is);
    };
    const observer = new MutationObserver(() => {
      if (so()) end(true);
      else watch();
    });
    const timer = setTimeout(() => end(so()), WAIT_MS);
    const watch = (): void => {
      // Of one that is watched already, nothing changes.
      for (const tree of [document, ...passed])
        observer.observe(tree, { subtree: true, childList: true, attributes: true });
    };
    watch();
  });
}
