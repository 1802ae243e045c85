// CodeMirror 6 with its basic set-up for JavaScript: it indents and closes brackets by itself, and draws what is in view.
import { javascript } from "@codemirror/lang-javascript";
import { EditorView } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { LETTER, LINES, type Model, places } from "./editing.ts";

function edit(parent: HTMLElement, name: string, doc: string): Model {
  const view = new EditorView({
    parent,
    doc,
    extensions: [
      basicSetup,
      javascript(),
      EditorView.contentAttributes.of({ "aria-label": name }),
      EditorView.theme({ "&": { maxHeight: "160px" } }),
    ],
  });
  return { text: () => view.state.doc.toString() };
}

const { Empty, Letter, Code } = places("Empty", "Letter", "Code");
window.app = {
  empty: edit(Empty!, "Empty", ""),
  letter: edit(Letter!, "Letter", LETTER.join("\n")),
  code: edit(Code!, "Code", LINES),
};
