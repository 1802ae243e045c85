import { onConnection, readConnection, readLastError } from "../state/connection.ts";
import { element } from "../state/dom.ts";
import { onSettings, readSettings, writeSettings } from "../state/settings.ts";
import { showConnection, showProblem } from "./connection.ts";
import { onFilms } from "../state/films.ts";
import { showFilm } from "./film.ts";
import { showPilot } from "./pilot.ts";
import { showSite } from "./site.ts";
import { showTracked } from "./tracked.ts";
import { pair } from "./pairing.ts";
import { refreshAgents } from "./tracking.ts";
import { onPermissions } from "../state/browser.ts";
import { openOptions } from "./browser.ts";

/** While the window is open it asks this often which agents there are. */
const REFRESH_MS = 2000;

/** What is known from before is shown when the worker takes longer than this to say what is so. */
const PATIENCE_MS = 150;

async function show(): Promise<void> {
  const [settings, connection, problem] = await Promise.all([readSettings(), readConnection(), readLastError()]);
  showConnection(connection);
  showProblem(connection, problem);
  element("bodies", HTMLInputElement).checked = settings.bodies;
  await Promise.all([
    showPilot(settings, connection),
    showSite(settings, connection),
    showFilm(connection),
    showTracked(connection),
  ]);
}

const bodies = element("bodies", HTMLInputElement);
bodies.addEventListener("change", () => void writeSettings({ bodies: bodies.checked }));
element("options", HTMLButtonElement).addEventListener("click", openOptions);
element("pair", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void pair();
});
element("copy", HTMLButtonElement).addEventListener("click", () => void copy());

async function copy(): Promise<void> {
  const said = element("copied", HTMLParagraphElement);
  try {
    await navigator.clipboard.writeText(element("command", HTMLElement).textContent.trim());
    said.textContent = "Copied.";
  } catch {
    said.textContent = "The browser did not allow it. Copy it by hand.";
  }
  // Emptied, or saying it again would not be heard.
  clearTimeout(forgetting);
  forgetting = setTimeout(() => (said.textContent = ""), 3000);
}
let forgetting: ReturnType<typeof setTimeout> | undefined;

onSettings(() => void show());
onConnection(() => void show());
onFilms(() => void show());
onPermissions(() => void show());

async function begin(): Promise<void> {
  await Promise.race([refreshAgents(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  // Nothing is seen before it is true, so that nothing jumps.
  await show().finally(() => (document.body.dataset["shown"] = ""));
  setInterval(() => void refreshAgents(), REFRESH_MS);
}
void begin();
