import { element } from "../state/dom.ts";
import { holds, permit } from "./browser.ts";

/** Says whether agents are told where what they download goes, and lets the user switch that. */
export async function showDownloads(): Promise<void> {
  const on = await holds("downloads");
  const status = element("downloads", HTMLParagraphElement);
  status.textContent = on ? "On." : "Off.";
  const button = element("downloads-switch", HTMLButtonElement);
  button.textContent = on ? "No longer tell where downloads go" : "Tell where downloads go";
  button.onclick = () => permit("downloads", !on, status);
}
