// CKEditor 5, the classic editor under its GPL licence.
import { Bold, ClassicEditor, Essentials, Paragraph } from "ckeditor5";
import "ckeditor5/ckeditor5.css";
import { LETTER, type Model, places } from "./editing.ts";

async function edit(place: HTMLElement, name: string, lines: readonly string[]): Promise<Model> {
  const source = document.createElement("div");
  place.append(source);
  const editor = await ClassicEditor.create(source, {
    licenseKey: "GPL",
    plugins: [Essentials, Paragraph, Bold],
    toolbar: ["undo", "redo", "|", "bold"],
    label: name,
    initialData: lines.map((line) => `<p>${line}</p>`).join(""),
  });
  const parsed = (): Document => new DOMParser().parseFromString(editor.getData(), "text/html");
  const clean = (at: Element): string => at.textContent!.replaceAll("\u00a0", " ");
  return {
    text: () => [...parsed().querySelectorAll("p")].map(clean).join("\n"),
    bold: () => [...parsed().querySelectorAll("strong")].map(clean).join(" "),
  };
}

const { Empty, Letter } = places("Empty", "Letter");
window.app = { empty: await edit(Empty!, "Empty", []), letter: await edit(Letter!, "Letter", LETTER) };
