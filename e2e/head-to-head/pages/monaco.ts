// Monaco as its package is: one editor for each, with suggestions and automatic brackets on.
import * as monaco from "monaco-editor";
import { LETTER, LINES, type Model, places } from "./editing.ts";

(self as unknown as { MonacoEnvironment: object }).MonacoEnvironment = {
  getWorker: () => new Worker("/monaco.worker.js", { type: "module" }),
};

function edit(place: HTMLElement, name: string, value: string): Model {
  place.style.height = "160px";
  const editor = monaco.editor.create(place, { value, language: "javascript", ariaLabel: name });
  return { text: () => editor.getModel()!.getValue(monaco.editor.EndOfLinePreference.LF) };
}

const { Empty, Letter, Code } = places("Empty", "Letter", "Code");
window.app = {
  empty: edit(Empty!, "Empty", ""),
  letter: edit(Letter!, "Letter", LETTER.join("\n")),
  code: edit(Code!, "Code", LINES),
};
