// TinyMCE from its package, in an iframe as it is by default.
import tinymce from "tinymce/tinymce";
import "tinymce/models/dom";
import "tinymce/themes/silver";
import "tinymce/icons/default";
import "tinymce/skins/ui/oxide/skin.js";
import "tinymce/skins/ui/oxide/content.js";
import "tinymce/skins/content/default/content.js";
import { LETTER, type Model, places } from "./editing.ts";

async function edit(place: HTMLElement, name: string, lines: readonly string[]): Promise<Model> {
  const area = document.createElement("textarea");
  area.value = lines.map((line) => `<p>${line}</p>`).join("");
  place.append(area);
  const [editor] = await tinymce.init({
    target: area,
    license_key: "gpl",
    iframe_aria_text: name,
    skin_url: "default",
    content_css: "default",
    promotion: false,
    branding: false,
    height: 260,
  });
  editor!.getBody().setAttribute("role", "textbox");
  editor!.getBody().setAttribute("aria-label", name);
  return {
    text: () =>
      [...new DOMParser().parseFromString(editor!.getContent(), "text/html").querySelectorAll("p")]
        .map((p) => p.textContent!.replaceAll("\u00a0", " "))
        .join("\n"),
    bold: () =>
      [...new DOMParser().parseFromString(editor!.getContent(), "text/html").querySelectorAll("strong")]
        .map((at) => at.textContent)
        .join(" "),
  };
}

const { Empty, Letter } = places("Empty", "Letter");
window.app = { empty: await edit(Empty!, "Empty", []), letter: await edit(Letter!, "Letter", LETTER) };
