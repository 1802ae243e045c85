import { element } from "../state/dom.ts";

const PERMISSION = { permissions: ["webRequest" as const] };

/** Says whether Chrome shows the extension every request, and lets the user switch that. */
export async function showNetworkDetail(): Promise<void> {
  const [on, { networkShown }] = await Promise.all([
    chrome.permissions.contains(PERMISSION),
    chrome.storage.session.get("networkShown"),
  ]);
  element("network-detail", HTMLParagraphElement).textContent = !on
    ? "Off."
    : networkShown === true
      ? "On."
      : "On as soon as the browser is started anew.";
  const button = element("network-detail-switch", HTMLButtonElement);
  button.textContent = on ? "Switch network detail off" : "Switch network detail on";
  button.onclick = () => void (on ? chrome.permissions.remove(PERMISSION) : chrome.permissions.request(PERMISSION));
}
