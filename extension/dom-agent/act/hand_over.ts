import { acts } from "./scope.ts";

/**
 * Tells an element of a paste, as the browser does: first of the paste, then of the change that it is about to make.
 * Says whether the page took the text itself. The system's clipboard is left alone.
 */
export function handOver(element: Element, text: string, html = ""): boolean {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  if (html !== "") clipboardData.setData("text/html", html);
  const common = { bubbles: true, cancelable: true, composed: true };
  if (!acts().dispatch(element, new ClipboardEvent("paste", { ...common, clipboardData }))) return true;
  const rich = element instanceof HTMLElement && element.isContentEditable;
  const given = rich ? { dataTransfer: clipboardData, targetRanges: ranges() } : { data: text };
  return !acts().dispatch(
    element,
    new InputEvent("beforeinput", { ...common, view: window, inputType: "insertFromPaste", ...given }),
  );
}

/** What is selected, as editors are told what a change is about. */
function ranges(): StaticRange[] {
  const selection = document.getSelection();
  return selection?.rangeCount ? [new StaticRange(selection.getRangeAt(0))] : [];
}
