// Quill with its snow theme.
import Quill from "quill";
import "quill/dist/quill.snow.css";
import { LETTER, type Model, places } from "./editing.ts";

function edit(place: HTMLElement, name: string, lines: readonly string[]): Model {
  const quill = new Quill(place, { theme: "snow" });
  quill.root.setAttribute("role", "textbox");
  quill.root.setAttribute("aria-label", name);
  if (lines.length > 0) quill.setText(`${lines.join("\n")}\n`, "silent");
  quill.history.clear();
  return {
    text: () => quill.getText().replace(/\n$/, ""),
    bold: () =>
      quill
        .getContents()
        .ops.flatMap(({ insert, attributes }) => (attributes?.["bold"] && typeof insert === "string" ? [insert] : []))
        .join(" "),
  };
}

const { Empty, Letter } = places("Empty", "Letter");
window.app = { empty: edit(Empty!, "Empty", []), letter: edit(Letter!, "Letter", LETTER) };
