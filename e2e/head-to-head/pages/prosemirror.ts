// ProseMirror with the basic schema, its keys and its history.
import { baseKeymap, toggleMark } from "prosemirror-commands";
import { history, redo, undo } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import type { Node } from "prosemirror-model";
import { schema } from "prosemirror-schema-basic";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { LETTER, type Model, places } from "./editing.ts";

function edit(place: HTMLElement, name: string, lines: readonly string[]): Model {
  const doc = schema.node(
    "doc",
    null,
    lines.map((line) => schema.node("paragraph", null, line ? [schema.text(line)] : [])),
  );
  const view = new EditorView(place, {
    state: EditorState.create({
      doc,
      plugins: [
        history(),
        keymap({ "Mod-z": undo, "Mod-y": redo, "Mod-b": toggleMark(schema.marks.strong) }),
        keymap(baseKeymap),
      ],
    }),
    attributes: { role: "textbox", "aria-label": name, "aria-multiline": "true" },
  });
  const isBold = (node: Node): boolean => node.marks.some((mark) => mark.type.name === "strong");
  return {
    text: () => view.state.doc.textBetween(0, view.state.doc.content.size, "\n", "\n"),
    bold: () => {
      const found: string[] = [];
      view.state.doc.descendants((node) => void (node.isText && isBold(node) && found.push(node.text ?? "")));
      return found.join(" ");
    },
  };
}

const { Empty, Letter } = places("Empty", "Letter");
window.app = { empty: edit(Empty!, "Empty", [""]), letter: edit(Letter!, "Letter", LETTER) };
