/** What a text is called among roles. */
export const TEXT = "text";

/** The state of a text that names a field, which tells it. */
export const LABEL = "label";

/** Roles whose name is their content: their texts are told by it. */
export const NAMED_BY_CONTENT: ReadonlySet<string> = new Set(
  "button cell checkbox clickable columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem".split(
    " ",
  ),
);

/** Roles that are operated. */
export const CONTROLS: ReadonlySet<string> = new Set(
  "button checkbox clickable combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem".split(
    " ",
  ),
);

/** Fields of forms. */
export const FIELDS: ReadonlySet<string> = new Set(
  "checkbox combobox listbox radio searchbox slider spinbutton switch textbox".split(" "),
);

/** Roles in which nothing else is shown. */
export const LEAVES: ReadonlySet<string> = new Set(
  "button checkbox img image math menuitemcheckbox menuitemradio meter progressbar radio scrollbar slider spinbutton switch".split(
    " ",
  ),
);

export const DIALOGS: ReadonlySet<string> = new Set(["dialog", "alertdialog", "overlay"]);
export const LIVE: ReadonlySet<string> = new Set(["alert", "status", "log"]);
export const LANDMARKS: ReadonlySet<string> = new Set(
  "banner complementary contentinfo form main navigation region search".split(" "),
);

/** What lists and tables are made of. */
export const UNITS: Readonly<Record<string, string>> = {
  feed: "article",
  grid: "row",
  list: "listitem",
  listbox: "option",
  menu: "menuitem",
  table: "row",
  tree: "treeitem",
  treegrid: "row",
};

/** The words for them; "items" for others. */
export const UNIT_WORDS: Readonly<Record<string, string>> = { row: "rows", option: "options", article: "articles" };

/** What is only a frame around others and says nothing in an overview. */
export const STRUCTURE: ReadonlySet<string> = new Set(
  "article cell columnheader definition document figure grid gridcell group list listbox listitem menu none row rowheader table term tree treegrid".split(
    " ",
  ),
);

/** Whether a part of a structure is made to be operated: it takes the focus by itself. */
export const isOperated = (element: Element, role: string): boolean =>
  STRUCTURE.has(role) &&
  element instanceof HTMLElement &&
  (element.matches("button, a[href]") || (UNIT_PARTS.has(role) && Number(element.getAttribute("tabindex") ?? -1) >= 0));

/** What stands in lists and tables; their own focus moves by keys among these. */
const UNIT_PARTS: ReadonlySet<string> = new Set("cell columnheader gridcell listitem row rowheader".split(" "));

/** Roles that say nothing in an overview. */
const SILENT: ReadonlySet<string> = new Set(
  "blockquote caption code comment deletion emphasis generic insertion legend mark paragraph rowgroup sectionfooter sectionheader separator strong subscript suggestion superscript time".split(
    " ",
  ),
);

/** What an overview calls an element with a role: "" for what says nothing there. */
export function roleIn(element: Element, role: string): string {
  if (role === "") return unknown(element);
  if (role === "group")
    return element.hasAttribute("role") || element.localName === "fieldset" || isLabelled(element) ? role : "";
  return SILENT.has(role) || element.localName === "dfn" ? "" : role;
}

/** Whether attributes give a name. */
const isLabelled = (element: Element): boolean =>
  element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") || element.hasAttribute("title");

/** What is no role of ARIA: media, and what can be operated. */
function unknown(element: Element): string {
  switch (element.localName) {
    case "iframe":
    case "frame":
      return "iframe";
    case "video":
    case "audio":
      return element.localName;
  }
  if (!element.hasAttributes()) return "";
  if (element.hasAttribute("contenteditable"))
    return element instanceof HTMLElement &&
      element.isContentEditable &&
      !(element.parentElement?.isContentEditable ?? false)
      ? "textbox"
      : "";
  const focusable = element.getAttribute("tabindex");
  return (focusable !== null && focusable !== "-1") || element.hasAttribute("onclick") ? "clickable" : "";
}
