import type { Connection } from "../state/connection.ts";
import { element } from "../state/dom.ts";
import { type AskFilm, type Filming, type FilmTold, readFilms } from "../state/films.ts";
import { isCapturable } from "../state/origins.ts";
import { askWorker } from "../state/browser.ts";
import { frontTab } from "./browser.ts";

/** Shows whether the tab in front is filmed, by whomever, and lets the user begin or end that. */
export async function showFilm({ phase }: Connection): Promise<void> {
  const [tab, films] = await Promise.all([frontTab(), readFilms()]);
  const film = films.find((one) => one.tab === tab?.id);
  const button = element("film", HTMLButtonElement);
  element("film-row", HTMLDivElement).hidden = !film && (phase !== "connected" || !isCapturable(tab?.url ?? ""));
  element("film-sound-choice", HTMLLabelElement).hidden = film !== undefined;
  button.textContent = film ? "Stop recording" : "Record this tab";
  button.toggleAttribute("data-on", film !== undefined);
  button.onclick = () => {
    if (tab?.id !== undefined) void ask(film ? "end" : "begin", tab.id);
  };
  showTime(film);
}

let ticking: ReturnType<typeof setInterval> | undefined;

function showTime(film: Filming | undefined): void {
  const state = element("film-state", HTMLParagraphElement);
  const time = element("film-time", HTMLSpanElement);
  clearInterval(ticking);
  state.hidden = !film;
  if (!film) return;
  const name = element("film-name", HTMLSpanElement);
  name.textContent = `${film.name}, ${film.sound ? "with sound" : "without sound"}`;
  name.title = name.textContent;
  const tick = (): void => {
    const seconds = Math.max(0, Math.floor((Date.now() - film.since) / 1000));
    time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  tick();
  ticking = setInterval(tick, 1000);
}

async function ask(what: AskFilm["do"], tab: number): Promise<void> {
  const button = element("film", HTMLButtonElement);
  const { checked: sound } = element("film-sound", HTMLInputElement);
  button.disabled = true;
  try {
    const { problem, path } = await send({ type: "gasoline-film", do: what, tab, sound });
    element("film-problem", HTMLParagraphElement).textContent = problem ?? "";
    if (path || problem) element("film-path", HTMLParagraphElement).textContent = path ? `File: ${path}` : "";
  } finally {
    button.disabled = false;
  }
}

async function send(wish: AskFilm): Promise<FilmTold> {
  try {
    return ((await askWorker(wish)) as FilmTold | undefined) ?? {};
  } catch {
    return { problem: "The extension is being reloaded. Open this window again." };
  }
}
