// Draft.js as its authors left it, with the keys of its own rich text.
import { ContentState, Editor, EditorState, RichUtils } from "draft-js";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { LETTER, type Model, places } from "./editing.ts";

function edit(place: HTMLElement, name: string, lines: readonly string[]): Model {
  let now = EditorState.createWithContent(ContentState.createFromText(lines.join("\n")));
  function One() {
    const [state, setState] = useState(now);
    now = state;
    return (
      <Editor
        editorState={state}
        onChange={setState}
        ariaLabel={name}
        handleKeyCommand={(command, before) => {
          const after = RichUtils.handleKeyCommand(before, command);
          if (after) setState(after);
          return after ? "handled" : "not-handled";
        }}
      />
    );
  }
  createRoot(place).render(<One />);
  return {
    text: () => now.getCurrentContent().getPlainText("\n"),
    bold: () => {
      const found: string[] = [];
      for (const block of now.getCurrentContent().getBlocksAsArray()) {
        block.findStyleRanges(
          (at) => at.hasStyle("BOLD"),
          (start, end) => void found.push(block.getText().slice(start, end)),
        );
      }
      return found.join(" ");
    },
  };
}

const { Empty, Letter } = places("Empty", "Letter");
window.app = { empty: edit(Empty!, "Empty", []), letter: edit(Letter!, "Letter", LETTER) };
