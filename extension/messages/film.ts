import type { Film, FilmFrame } from "@gasoline/schema/wire";

/** The name of the port between the worker and the film page: one port for each film. */
export const FILM_PORT = "film";

/** What the worker says. Times are epoch ms. */
export type ToFilm = { type: "picture"; jpeg: string; at: number } | { type: "end"; at: number };

/** How the encoder's numbers mean colours. */
export type Colours = Pick<Film, "matrix" | "full_range">;

/** What the film page says: a picture was taken or could not be, encoded frames, or that nothing more comes. */
export type FromFilm =
  | { type: "taken"; width: number; height: number }
  | { type: "lost" }
  | { type: "batch"; width: number; height: number; colours: Colours; frames: FilmFrame[]; last: boolean }
  | { type: "failed"; message: string };
