import { panel } from "./panel.ts";

const ID = "gasoline-toast";
const SHOWN_MS = 3000;

/** Tells the user in the page what the agent is about to do. */
export function toast(text: string): void {
  const box = panel(ID, "auto 16px 16px auto", SHOWN_MS);
  box.style.maxWidth = "360px";
  box.textContent = text.slice(0, 200);
}
