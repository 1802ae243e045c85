/** What takes the keys of editors of code. Most are not seen: the editor draws its text itself, as much as is in view. */
const CODE: Readonly<Record<string, string>> = {
  monaco: ".native-edit-context, textarea.inputarea",
  codemirror: ".cm-content, .CodeMirror > div > textarea",
  ace: "textarea.ace_text-input",
};

/** Editors of rich text that keep it in a model of their own: a change of the document alone is lost on most of them. */
const RICH: Readonly<Record<string, string>> = {
  quill: ".ql-editor",
  prosemirror: ".ProseMirror",
  draftjs: ".public-DraftEditor-content",
  tinymce: "#tinymce, .mce-content-body",
  ckeditor: ".cke_editable, .ck-editor__editable",
  lexical: "[data-lexical-editor]",
  slate: "[data-slate-editor]",
  // A part of a date that is typed digit by digit, as fields for dates are made.
  spinbutton: "[role=spinbutton]",
};

const CODE_INPUT = Object.values(CODE).join();

/** What shows the text of an editor whose input nobody sees. */
const SURFACE = ".monaco-editor, .CodeMirror, .ace_editor";

/** An editor with a model of its own. */
export interface Editor {
  name: string;
  /** It indents, closes brackets and proposes words while keys come: a text goes in at once. */
  code: boolean;
}

/** The editor that an element takes the input of, or is a part or the holder of; undefined for plain editable content. */
export function editorOf(element: Element): Editor | undefined {
  for (const [name, selector] of Object.entries(CODE)) if (element.matches(selector)) return { name, code: true };
  if ((element as { editContext?: unknown }).editContext) return { name: "editContext", code: true };
  if (!(element instanceof HTMLElement) || !element.isContentEditable) return undefined;
  for (const [name, selector] of Object.entries(RICH))
    if (element.closest(selector) ?? element.querySelector(selector)) return { name, code: false };
  return element.closest(".cm-content") ? { name: "codemirror", code: true } : undefined;
}

/** What takes the keys of the one editor that an element holds. */
export function inputIn(element: Element): HTMLElement | undefined {
  const [only, more] = element.querySelectorAll<HTMLElement>(CODE_INPUT);
  return more ? undefined : only;
}

/** What a user sees of an element: of an input of an editor that draws its text elsewhere, the editor. */
export function surfaceOf(element: Element): Element {
  return (element.matches(CODE_INPUT) && element.closest(SURFACE)) || element;
}

/** The text that an editor shows; undefined for what shows its own. Lines that are not in view are not drawn. */
export function drawnText(element: Element): string | undefined {
  const surface = surfaceOf(element);
  if (surface === element) return undefined;
  const lines = [...surface.querySelectorAll<HTMLElement>(".view-line, .CodeMirror-line, .ace_line")];
  const top = new Map(lines.map((line) => [line, line.getBoundingClientRect().top]));
  lines.sort((a, b) => (top.get(a) ?? 0) - (top.get(b) ?? 0));
  return lines.map((line) => (line.textContent ?? "").replaceAll("\u00a0", " ").replaceAll("\u200b", "")).join("\n");
}

/** The host of the editable content that an element is in: the host, not a paragraph in it, takes the focus. */
export function hostOf(element: HTMLElement): HTMLElement {
  let host = element;
  while (host.parentElement?.isContentEditable) host = host.parentElement;
  return host;
}
