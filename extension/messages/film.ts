import type { Film, FilmFrame, FilmSound } from "@gasoline/schema/wire";

/** The name of the port between the worker and the film page: one port for each film. */
export const FILM_PORT = "film";

/** A tab that Chrome lets the extension capture. Sizes are pixels. */
export interface CaptureOrder {
  /** Of chrome.tabCapture; good for some seconds. */
  stream: string;
  sound: boolean;
  width: number;
  height: number;
  fps: number;
}

/**
 * What the worker says. hold: a document came that shows what it likes, and pictures are not taken until go. Times are
 * epoch ms.
 */
export type ToFilm =
  | { type: "picture"; jpeg: string; at: number }
  | { type: "capture"; order: CaptureOrder }
  | { type: "hold" }
  | { type: "go" }
  | { type: "end"; at: number };

/** How the encoder's numbers mean colours. */
export type Colours = Pick<Film, "matrix" | "full_range">;

/**
 * What the film page says: the capture began, could not begin, or is over; a picture was taken, was not to be taken, or
 * could not be; encoded frames, or that nothing more comes.
 */
export type FromFilm =
  | { type: "captured"; sound?: FilmSound }
  | { type: "refused"; message: string }
  | { type: "over" }
  | { type: "taken"; width: number; height: number }
  | { type: "held" | "lost" }
  | { type: "batch"; width: number; height: number; colours: Colours; frames: FilmFrame[]; last: boolean }
  | { type: "failed"; message: string };
