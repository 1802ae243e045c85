import type { FromNote, OpenNote, ToNote } from "../messages/drawing.ts";

// The comment of a drawing is written into this document, which is in a frame of the page: there the page's scripts can
// neither read nor write it, nor hear of a key.

const field = document.querySelector("textarea") as HTMLTextAreaElement;

window.addEventListener("message", ({ data, ports: [port] }: MessageEvent<Partial<OpenNote>>) => {
  // Who made this frame knows its key, and no page does.
  if (port && data.key !== undefined && data.key === location.hash.slice(1)) begin(port, data as OpenNote);
});

function begin(port: MessagePort, { label, max }: OpenNote): void {
  const say = (message: FromNote): void => port.postMessage(message);
  const tell = (): void => say({ type: "text", text: field.value, height: document.documentElement.offsetHeight });
  field.setAttribute("aria-label", label);
  field.maxLength = max;
  field.addEventListener("input", tell);
  let left = false; // the browser may not have moved the focus yet
  window.addEventListener("focus", () => {
    left = false;
    field.focus(); // before a key comes
  });
  window.addEventListener("keydown", (event) => {
    field.focus(); // the key may come first
    if (event.isComposing || event.keyCode === 229) return; // an input method has the key
    const ends = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!ends && event.key !== "Escape" && !(event.key === "Enter" && !event.shiftKey)) return;
    event.preventDefault();
    tell();
    // Enter is for the drawing, then.
    say({ type: ends || (left && event.key === "Enter") ? "ends" : "leaves", code: event.code });
    left = true;
  });
  let early = 0; // where goes what was typed before the focus came here
  port.onmessage = ({ data }: MessageEvent<ToNote>) => {
    field.focus(); // it could not have it where a dialog of the page lay over it by then
    if (data.type === "focus") {
      left = false;
      early = field.selectionStart;
      return;
    }
    const at = field.selectionStart;
    const text = data.text.slice(0, max - field.value.length);
    field.setRangeText(text, early, early);
    field.setSelectionRange(at + text.length, at + text.length);
    early += text.length;
    tell();
  };
  tell();
}
