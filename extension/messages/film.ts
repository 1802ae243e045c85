import type { FilmFrame } from "@gasoline/schema/wire";

/** The name of the port between the worker and the film page: one port for each film. */
export const FILM_PORT = "film";

/** What the worker says. Times are epoch ms. */
export type ToFilm = { type: "picture"; jpeg: string; at: number } | { type: "end"; at: number };

/** What the film page says: a picture was taken or could not be, encoded frames, or that nothing more comes. */
export type FromFilm =
  | { type: "taken"; width: number; height: number }
  | { type: "lost" }
  | { type: "batch"; width: number; height: number; frames: FilmFrame[]; last: boolean }
  | { type: "failed"; message: string };
