/** The role of an element with this tag and no role attribute. Others depend on more than the tag. */
const BY_TAG: Readonly<Record<string, string>> = {
  article: "article",
  aside: "complementary",
  button: "button",
  datalist: "listbox",
  dd: "definition",
  details: "group",
  dialog: "dialog",
  dt: "term",
  fieldset: "group",
  figure: "figure",
  footer: "contentinfo",
  form: "form",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  header: "banner",
  hr: "separator",
  html: "document",
  legend: "legend",
  li: "listitem",
  main: "main",
  math: "math",
  menu: "list",
  nav: "navigation",
  ol: "list",
  optgroup: "group",
  option: "option",
  output: "status",
  progress: "progressbar",
  section: "region",
  summary: "button",
  table: "table",
  tbody: "rowgroup",
  td: "cell",
  textarea: "textbox",
  tfoot: "rowgroup",
  th: "columnheader",
  thead: "rowgroup",
  tr: "row",
  ul: "list",
};

const BY_TYPE: Readonly<Record<string, string>> = {
  button: "button",
  checkbox: "checkbox",
  email: "textbox",
  image: "button",
  number: "spinbutton",
  radio: "radio",
  range: "slider",
  reset: "button",
  search: "searchbox",
  submit: "button",
  tel: "textbox",
  text: "textbox",
  url: "textbox",
};

/** Tags whose role depends on more, with the roles that they can have. */
const DEPENDING: readonly (readonly [tag: string, roles: readonly string[]])[] = [
  ["a[href]", ["link"]],
  ["area[href]", ["link"]],
  ["img", ["img"]],
  ["select", ["combobox", "listbox"]],
  ["input", [...new Set(Object.values(BY_TYPE)), "combobox"]],
];

/** Attributes that give an element a meaning of its own: role=none does not take it away then. */
const GLOBAL = [
  "atomic",
  "busy",
  "controls",
  "current",
  "describedby",
  "description",
  "details",
  "dropeffect",
  "flowto",
  "grabbed",
  "hidden",
  "keyshortcuts",
  "label",
  "labelledby",
  "live",
  "owns",
  "relevant",
  "roledescription",
].map((name) => "aria-" + name);

/**
 * roleOf gives the ARIA role of an element, explicit or implied by its tag after
 * https://www.w3.org/TR/html-aam-1.0/, in lower case; "" for generic ones.
 */
export function roleOf(element: Element): string {
  const given = element.getAttribute("role");
  const explicit = given === null ? "" : (given.trim().split(/\s/, 1)[0] as string).toLowerCase();
  if (explicit === "" || (isPresentational(explicit) && GLOBAL.some((name) => element.hasAttribute(name))))
    return implied(element);
  return explicit === "generic" || isPresentational(explicit) ? "" : explicit;
}

const isPresentational = (role: string): boolean => role === "none" || role === "presentation";

function implied(element: Element): string {
  const tag = element.localName;
  const role = Object.hasOwn(BY_TAG, tag) ? BY_TAG[tag] : undefined;
  if (role !== undefined) return role;
  switch (tag) {
    case "a":
    case "area":
      return element.hasAttribute("href") ? "link" : "";
    case "img":
      return element.getAttribute("alt") === "" && !GLOBAL.some((name) => element.hasAttribute(name)) ? "" : "img";
    case "input": {
      const { type } = element as HTMLInputElement;
      const own = BY_TYPE[type] ?? "";
      return (own === "textbox" || own === "searchbox") && element.hasAttribute("list") ? "combobox" : own;
    }
    case "select":
      return (element as HTMLSelectElement).multiple || (element as HTMLSelectElement).size > 1
        ? "listbox"
        : "combobox";
  }
  return "";
}

/**
 * selectorsOf gives CSS that together fits every element with a role, and some without. The browser looks for a tag alone in a
 * fraction of the time that it takes for a list.
 */
export function selectorsOf(role: string): string[] {
  const tags = Object.keys(BY_TAG).filter((tag) => BY_TAG[tag] === role);
  for (const [tag, roles] of DEPENDING) if (roles.includes(role)) tags.push(tag);
  return [`[role~="${CSS.escape(role)}" i]`, ...tags];
}
