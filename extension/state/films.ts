import { session } from "./browser.ts";

/** A film that goes on, as the popup shows it. */
export interface Filming {
  tab: number;
  name: string;
  /** Epoch ms. */
  since: number;
  sound: boolean;
}

/** The popup asks the worker to film a tab or to end the film of one. Answered with FilmTold. */
export interface AskFilm {
  type: "gasoline-film";
  do: "begin" | "end";
  tab: number;
  /** The tab's sound is filmed, too. */
  sound?: boolean;
}

/** What came of it. */
export interface FilmTold {
  /** Why it could not be done. */
  problem?: string;
  /** The file of the film that was begun. */
  path?: string;
}

const KEY = "films";

/** The films that go on. */
export const readFilms = async (): Promise<Filming[]> => (await session.read<Filming[]>(KEY)) ?? [];

export const writeFilms = async (films: Filming[]): Promise<void> => session.write({ [KEY]: films });

/** Calls back when a film begins or ends. */
export const onFilms = (changed: () => void): void => session.onChange([KEY], changed);
