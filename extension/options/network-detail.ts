import { element } from "../state/dom.ts";
import { session } from "../state/browser.ts";
import { holds, permit } from "./browser.ts";

/** Says whether Chrome shows the extension every request, and lets the user switch that. */
export async function showNetworkDetail(): Promise<void> {
  const [on, networkShown] = await Promise.all([holds("webRequest"), session.read("networkShown")]);
  const status = element("network-detail", HTMLParagraphElement);
  status.textContent = !on ? "Off." : networkShown === true ? "On." : "On as soon as the browser is started anew.";
  const button = element("network-detail-switch", HTMLButtonElement);
  button.textContent = on ? "Switch network detail off" : "Switch network detail on";
  button.onclick = () => permit("webRequest", !on, status);
}
