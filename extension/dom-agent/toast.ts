const ID = "gasoline-toast";
const SHOWN_MS = 3000;

/** Tells the user in the page what the agent is about to do. It takes no input and no place. */
export function toast(text: string): void {
  document.getElementById(ID)?.remove();
  const host = document.createElement("div");
  host.id = ID;
  host.setAttribute("aria-hidden", "true");
  host.popover = "manual";
  Object.assign(host.style, {
    all: "initial",
    position: "fixed",
    inset: "auto 16px 16px auto",
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
    maxWidth: "360px",
    boxShadow: "0 4px 16px rgba(0, 0, 0, 0.3)",
  });
  box.textContent = text.slice(0, 200);
  root.append(box);
  document.documentElement.append(host);
  host.showPopover();
  setTimeout(() => host.remove(), SHOWN_MS);
}
