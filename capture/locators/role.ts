import { ariaOf, componentTags, labelsGiven, roleGiven } from "./lent.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** The roles that an author may give, of ARIA 1.3, its modules for graphics and, with "doc-", for publications. */
const ROLES = words(
  "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
    "comment complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid " +
    "gridcell group heading img insertion link list listbox listitem log main mark marquee math menu menubar menuitem " +
    "menuitemcheckbox menuitemradio meter navigation none note option paragraph progressbar radio radiogroup region row " +
    "rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong " +
    "subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree " +
    "treegrid treeitem graphics-document graphics-object graphics-symbol",
);
const PUBLISHING = words(
  "abstract acknowledgments afterword appendix backlink biblioentry bibliography biblioref chapter colophon conclusion " +
    "cover credit credits dedication endnote endnotes epigraph epilogue errata example footnote foreword glossary " +
    "glossref index introduction noteref notice pagebreak pagefooter pageheader pagelist part preface prologue pullquote " +
    "qna subtitle tip toc",
);
const isRole = (role: string): boolean =>
  ROLES.has(role) || (role.startsWith("doc-") && PUBLISHING.has(role.slice("doc-".length)));

/** Other names of roles. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ["image", "img"],
  ["directory", "list"],
  ["presentation", "none"],
]);

/** plainRole is the name by which a role is known here. */
export const plainRole = (role: string): string => SYNONYMS.get(role) ?? role;

/** The roles of elements by their tag. Of some the place decides whether they have it. */
const BY_TAG: ReadonlyMap<string, string> = new Map(
  Object.entries({
    article: "article",
    banner: "header",
    blockquote: "blockquote",
    button: "button summary",
    caption: "caption",
    cell: "td",
    code: "code",
    columnheader: "th",
    complementary: "aside",
    contentinfo: "footer",
    definition: "dd",
    deletion: "del s",
    dialog: "dialog",
    document: "html",
    emphasis: "em",
    figure: "figure",
    form: "form",
    group: "address details fieldset hgroup optgroup",
    heading: "h1 h2 h3 h4 h5 h6",
    insertion: "ins",
    legend: "legend",
    list: "dir menu ol ul",
    listbox: "datalist",
    listitem: "li",
    main: "main",
    mark: "mark",
    math: "math",
    meter: "meter",
    navigation: "nav",
    option: "option",
    paragraph: "p",
    progressbar: "progress",
    region: "section",
    row: "tr",
    rowgroup: "tbody tfoot thead",
    search: "search",
    separator: "hr",
    status: "output",
    strong: "strong",
    subscript: "sub",
    superscript: "sup",
    table: "table",
    term: "dfn dt",
    textbox: "textarea",
    time: "time",
  }).flatMap(([role, tags]) => tags.split(" ").map((tag): [string, string] => [tag, role])),
);

/** Types of input that are no text. */
const BY_TYPE: ReadonlyMap<string, string> = new Map([
  ["button", "button"],
  ["checkbox", "checkbox"],
  ["file", "button"],
  ["hidden", ""],
  ["image", "button"],
  ["number", "spinbutton"],
  ["radio", "radio"],
  ["range", "slider"],
  ["reset", "button"],
  ["search", "searchbox"],
  ["submit", "button"],
]);
/** Types that can suggest what to write. */
const SUGGESTS = /^(email|search|tel|text|url)$/;

/** What is drawn has the role only with a name. */
const DRAWN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    img: "canvas image svg",
    group: "g",
    "graphics-symbol": "circle ellipse line path polygon polyline rect use",
  }).flatMap(([role, tags]) => tags.split(" ").map((tag): [string, string] => [tag, role])),
);

/** CSS of elements whose role depends on more, with the roles that they can have. */
const DEPENDING: readonly (readonly [css: string, roles: string])[] = [
  ["a", "link"],
  ["area[href]", "link"],
  ["header", "sectionheader"],
  ["footer", "sectionfooter"],
  ["img", "img"],
  ["td", "gridcell"],
  ["th", "rowheader"],
  ["select", "combobox listbox"],
  ["input", "button checkbox combobox radio searchbox slider spinbutton textbox"],
];

/** Attributes that give an element a meaning of its own: role=none does not take it away then. */
const GLOBAL = words(
  "atomic busy controls current describedby description details dropeffect flowto grabbed keyshortcuts label labelledby " +
    "live owns relevant roledescription",
);

/** Nor is what takes the focus without a meaning. */
const FOCUSABLE =
  "a[href],area[href],button:enabled,input:enabled:not([type=hidden]),select:enabled,textarea:enabled,summary," +
  "audio[controls],video[controls],[tabindex],[contenteditable]:not([contenteditable=false])";

/** What stands for nothing outside of one of others. */
const WITHIN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["listitem", words("list group")],
  ["option", words("listbox combobox")],
  ["treeitem", words("tree")],
]);
/** A page's depth is looked up so far. */
const MAX_UP = 100;

/**
 * roleOf gives the ARIA role of an element in lower case, after https://www.w3.org/TR/wai-aria-1.2/ and
 * https://www.w3.org/TR/html-aam-1.0/: the first valid one that its author gives, or else that of its tag; "" for generic
 * ones. A picture is "img".
 */
export function roleOf(element: Element): string {
  const given = roleGiven(element);
  if (given === null) return implied(element);
  for (const token of given.split(/[ \t\n\f\r]+/)) {
    const role = plainRole(token.toLowerCase());
    if (!isRole(role)) continue;
    if (role === "none") return keepsMeaning(element) ? implied(element) : "";
    if (role === "generic") return "";
    if ((role === "region" || role === "form") && !isNamed(element)) continue;
    const around = element.localName === "li" && role === "listitem" ? undefined : WITHIN.get(role);
    if (around && !isWithin(element, around)) continue;
    return role;
  }
  return implied(element);
}

/** Roles of a text alone, which nothing can be done with. */
const OF_TEXT = words(
  "blockquote caption code comment deletion emphasis insertion mark paragraph sectionfooter sectionheader strong subscript " +
    "suggestion superscript time",
);

/** roleTold is the role by which an element is told: that of a text alone says nothing of it. */
export function roleTold(element: Element): string {
  const role = roleOf(element);
  return OF_TEXT.has(role) ? "" : role;
}

function keepsMeaning(element: Element): boolean {
  for (const { name } of element.attributes)
    if (name.startsWith("aria-") && GLOBAL.has(name.slice("aria-".length))) return true;
  return element.matches(FOCUSABLE);
}

/** Whether something gives an element a name of its own, beside what stands in it. */
export const isNamed = (element: Element): boolean =>
  Boolean(ariaOf(element, "label")?.trim() || element.getAttribute("title")) || namedBy(element).length > 0;

/** The elements that name an element, by its internals or its attribute. */
export function namedBy(element: Element): readonly Element[] {
  const given = labelsGiven(element);
  return given.length > 0 ? given : referenced(element, "aria-labelledby");
}

const NONE: readonly Element[] = [];

/** The elements that an attribute names by their ids. */
export function referenced(element: Element, attribute: string): readonly Element[] {
  const ids = element.getAttribute(attribute);
  if (ids === null) return NONE;
  // A script can name them without ids, from other trees too; then the attribute is there and empty.
  if (ids === "") {
    const given = attribute === "aria-labelledby" ? element.ariaLabelledByElements : element.ariaOwnsElements;
    return given ?? NONE;
  }
  const root = element.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return NONE;
  return ids
    .trim()
    .split(/\s+/, MAX_UP)
    .map((id) => root.getElementById(id))
    .filter((found) => found !== null);
}

/** What an element is shown in, out of slots and shadow roots. */
function parentOf(element: Element): Element | null {
  const at = element.assignedSlot ?? element.parentElement;
  if (at) return at;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Whether an element is in one that has one of some roles, or is owned by one. */
function isWithin(element: Element, roles: ReadonlySet<string>): boolean {
  let at: Element | null = parentOf(element);
  for (let up = 0; at && up < MAX_UP; up++, at = parentOf(at)) if (roles.has(roleOf(at))) return true;
  if (!element.id) return false;
  const root = element.getRootNode() as Document | ShadowRoot | Element;
  const owner = root.querySelector(`[aria-owns~="${CSS.escape(element.id)}"]`);
  return owner !== null && owner !== element && (roles.has(roleOf(owner)) || isIn(owner, roles));
}

function isIn(element: Element, roles: ReadonlySet<string>): boolean {
  for (let at = parentOf(element); at; at = parentOf(at)) if (roles.has(roleOf(at))) return true;
  return false;
}

function implied(element: Element): string {
  const tag = element.localName;
  switch (tag) {
    case "a":
    case "area":
      return element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "";
    case "aside":
      return isNamed(element) || !isSectioned(element, IN_ASIDE) ? "complementary" : "";
    case "footer":
    case "header":
      return isSectioned(element, IN_SECTION) ? `section${tag}` : (BY_TAG.get(tag) as string);
    case "img":
      return element.getAttribute("alt") === "" && !element.getAttribute("title") && !keepsMeaning(element)
        ? ""
        : "img";
    case "input":
      return ofInput(element as HTMLInputElement);
    case "li":
      // Items of a list that is none, or is something else, are none.
      return /^(dir|menu|ol|ul)$/.test(element.parentElement?.localName ?? "") &&
        roleOf(element.parentElement as Element) !== "list"
        ? ""
        : "listitem";
    case "section":
      return isNamed(element) ? "region" : "";
    case "select":
      return (element as HTMLSelectElement).multiple || (element as HTMLSelectElement).size > 1
        ? "listbox"
        : "combobox";
    case "summary": {
      const details = element.parentElement;
      return details?.localName === "details" && details.querySelector(":scope > summary") === element ? "button" : "";
    }
    case "tbody":
    case "td":
    case "tfoot":
    case "th":
    case "thead":
    case "tr":
      return inTable(element, tag);
  }
  const role = BY_TAG.get(tag);
  if (role !== undefined) return role;
  const drawn = DRAWN.get(tag);
  return drawn !== undefined && (isNamed(element) || hasTitle(element)) ? drawn : "";
}

/** Whether a drawing has a title of its own. */
const hasTitle = (element: Element): boolean => element.querySelector(":scope > title") !== null;

function ofInput(input: HTMLInputElement): string {
  const { type } = input;
  if (input.hasAttribute("list") && SUGGESTS.test(type) && input.list) return "combobox";
  return BY_TYPE.get(type) ?? "textbox";
}

const IN_ASIDE = words("article complementary navigation");
const IN_SECTION = words("article complementary navigation main");

/** Whether an element belongs to a part of the page: to one of some roles, or to a section. */
function isSectioned(element: Element, roles: ReadonlySet<string>): boolean {
  for (let at = parentOf(element); at; at = parentOf(at)) {
    const { localName } = at;
    if (
      roleGiven(at) !== null
        ? roles.has(roleOf(at))
        : localName === "section" || roles.has(SECTIONS.get(localName) ?? "")
    )
      return true;
  }
  return false;
}

const SECTIONS: ReadonlyMap<string, string> = new Map(
  ["article", "aside", "main", "nav"].map((tag) => [tag, BY_TAG.get(tag) as string]),
);

/** Parts of a table are what the table is. */
function inTable(part: Element, tag: string): string {
  const table = part.closest("table");
  const role = table && roleGiven(table) !== null ? roleOf(table) : "table";
  const grid = role === "grid" || role === "treegrid";
  if (role !== "table" && !grid) return "";
  return tag === "th" ? ofHeader(part) : tag === "td" && grid ? "gridcell" : (BY_TAG.get(tag) as string);
}

/** A header is its row's where its scope says so or, without one, where cells of data stand beside it or at the row's ends. */
function ofHeader(header: Element): string {
  const scope = /^(row|col)(group)?$/i.exec(header.getAttribute("scope") ?? "")?.[1]?.toLowerCase();
  if (scope) return scope === "row" ? "rowheader" : "columnheader";
  const { previousElementSibling: before, nextElementSibling: after, parentElement: row } = header;
  if (before?.localName === "th" && after?.localName === "th") return "columnheader";
  const { firstElementChild: first, lastElementChild: last } = row ?? {};
  return [before, after, first, first?.nextElementSibling, last, last?.previousElementSibling].some(
    (at) => at?.localName === "td" && at.hasChildNodes(),
  )
    ? "rowheader"
    : "columnheader";
}

/**
 * selectorsOf gives CSS that together fits every element with a role, and some without. The browser looks for a tag alone in a
 * fraction of the time that it takes for a list.
 */
export function selectorsOf(role: string): string[] {
  const given = [role, ...[...SYNONYMS].filter(([, plain]) => plain === role).map(([other]) => other)];
  const tags = [...BY_TAG, ...DRAWN].filter(([, own]) => own === role).map(([tag]) => tag);
  for (const [css, roles] of DEPENDING) if (roles.split(" ").includes(role)) tags.push(css);
  return [...given.map((name) => `[role~="${CSS.escape(name)}" i]`), ...tags, ...componentTags()];
}
