// Slate for React, with a key for bold as its authors show it.
import { type KeyboardEvent, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { type Descendant, Editor, Node, Text, createEditor } from "slate";
import { withHistory } from "slate-history";
import { Editable, type RenderLeafProps, Slate, withReact } from "slate-react";
import { LETTER, type Model, places } from "./editing.ts";

type Bold = { bold?: boolean };

const Leaf = ({ attributes, children, leaf }: RenderLeafProps) => (
  <span {...attributes}>{(leaf as Bold).bold ? <strong>{children}</strong> : children}</span>
);

function edit(place: HTMLElement, name: string, lines: readonly string[]): Model {
  let now: Editor | undefined;
  const initial = lines.map((text) => ({ type: "paragraph", children: [{ text }] })) as Descendant[];
  function One() {
    const editor = useMemo(() => withHistory(withReact(createEditor())), []);
    now = editor;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "b" || !event.ctrlKey) return;
      event.preventDefault();
      Editor.addMark(editor, "bold", true);
    };
    return (
      <Slate editor={editor} initialValue={initial}>
        <Editable aria-label={name} onKeyDown={press} renderLeaf={Leaf} />
      </Slate>
    );
  }
  createRoot(place).render(<One />);
  return {
    text: () => now!.children.map((node) => Node.string(node)).join("\n"),
    bold: () =>
      [...Node.texts(now!)]
        .filter(([node]) => Text.isText(node) && (node as Bold).bold)
        .map(([node]) => node.text)
        .join(" "),
  };
}

const { Empty, Letter } = places("Empty", "Letter");
window.app = { empty: edit(Empty!, "Empty", [""]), letter: edit(Letter!, "Letter", LETTER) };
