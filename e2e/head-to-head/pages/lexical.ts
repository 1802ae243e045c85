// Lexical with its plain registration of rich text and history.
import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { registerRichText } from "@lexical/rich-text";
import { $createParagraphNode, $createTextNode, $getRoot, $isTextNode, createEditor } from "lexical";
import { LETTER, type Model, places } from "./editing.ts";

function edit(place: HTMLElement, name: string, lines: readonly string[]): Model {
  const root = document.createElement("div");
  for (const [key, value] of Object.entries({ contenteditable: "true", role: "textbox", "aria-label": name }))
    root.setAttribute(key, value);
  place.append(root);
  const editor = createEditor({ namespace: name, onError: (error) => console.error(error) });
  editor.setRootElement(root);
  registerRichText(editor);
  registerHistory(editor, createEmptyHistoryState(), 300);
  editor.update(
    () => {
      for (const line of lines)
        $getRoot().append($createParagraphNode().append(...(line ? [$createTextNode(line)] : [])));
    },
    { discrete: true },
  );
  const read = <T>(look: () => T): T => editor.getEditorState().read(look);
  return {
    text: () => read(() => $getRoot().getTextContent().replaceAll("\n\n", "\n")),
    bold: () =>
      read(() =>
        $getRoot()
          .getAllTextNodes()
          .filter((node) => $isTextNode(node) && node.hasFormat("bold"))
          .map((node) => node.getTextContent())
          .join(" "),
      ),
  };
}

const { Empty, Letter } = places("Empty", "Letter");
window.app = { empty: edit(Empty!, "Empty", [""]), letter: edit(Letter!, "Letter", LETTER) };
