import { own } from "./own.ts";

const shown = new Map<string, HTMLElement>(); // by id; as many as there are callers

/** Takes a box away. */
export function unpanel(id: string): void {
  shown.get(id)?.remove();
  shown.delete(id);
}

/**
 * An empty box over the page, for a text to the user. It takes no input and no place, and goes after a while; a new one
 * with the same id takes the place of the one before.
 */
export function panel(id: string, inset: string, shownMS: number): HTMLElement {
  unpanel(id);
  const host = document.createElement("div");
  own(host);
  shown.set(id, host);
  host.id = id;
  host.setAttribute("aria-hidden", "true");
  // As a popover it lies above dialogs too, which no z-index can.
  host.popover = "manual";
  Object.assign(host.style, {
    all: "initial",
    position: "fixed",
    inset,
    margin: "0",
    border: "0",
    pointerEvents: "none",
    background: "transparent",
    zIndex: "2147483646",
  });
  const root = host.attachShadow({ mode: "closed" });
  const box = document.createElement("div");
  Object.assign(box.style, {
    font: "13px/1.4 system-ui, sans-serif",
    color: "#fff",
    background: "rgba(17, 24, 39, 0.94)",
    borderLeft: "3px solid #ff7a1a",
    borderRadius: "8px",
    padding: "10px 14px",
    boxShadow: "0 4px 16px rgba(0, 0, 0, 0.3)",
  });
  root.append(box);
  document.documentElement.append(host);
  host.showPopover();
  setTimeout(() => host.remove(), shownMS);
  return box;
}
