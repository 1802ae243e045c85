import { element } from "../state/dom.ts";
import { type Settings, isPort, writeSettings } from "../state/settings.ts";

/** Shows the port and the name, as they are stored. What the user is typing is left alone. */
export async function showDaemonForm(settings: Settings): Promise<void> {
  const packed = await packedPort();
  const port = element("port", HTMLInputElement);
  const name = element("name", HTMLInputElement);
  if (document.activeElement !== port) port.value = String(settings.port ?? packed);
  if (document.activeElement !== name) name.value = settings.name ?? "";
  element("port-help", HTMLParagraphElement).textContent =
    `The default is ${packed}. Another one only if the daemon was started with it.`;
  element("port-reset", HTMLButtonElement).hidden = settings.port === undefined;
}

/** Saves what the user enters, if it makes sense. */
export function listenToDaemonForm(): void {
  const port = element("port", HTMLInputElement);
  element("daemon", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void save(port);
  });
  element("port-reset", HTMLButtonElement).addEventListener("click", () => {
    port.blur();
    complain(port, "");
    void writeSettings({ port: undefined }).then(() => say("The default port is used."));
  });
}

async function save(port: HTMLInputElement): Promise<void> {
  const wanted = /^\d+$/.test(port.value.trim()) ? Number(port.value) : Number.NaN;
  if (!isPort(wanted)) {
    complain(port, "A port is a number from 1 to 65535.");
    port.focus();
    return;
  }
  complain(port, "");
  const name = element("name", HTMLInputElement).value.trim();
  await writeSettings({
    port: wanted === (await packedPort()) ? undefined : wanted,
    name: name === "" ? undefined : name,
  });
  say("Saved.");
}

function complain(input: HTMLInputElement, problem: string): void {
  input.setAttribute("aria-invalid", String(problem !== ""));
  element("port-problem", HTMLParagraphElement).textContent = problem;
  if (problem !== "") say("");
}

function say(text: string): void {
  element("saved", HTMLParagraphElement).textContent = text;
}

async function packedPort(): Promise<number> {
  const response = await fetch("/config.json");
  const { port } = (await response.json()) as { port: number };
  return port;
}
