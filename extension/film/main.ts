import { FilmEncoder } from "./encoder.ts";
import { FILM_PORT, type FromFilm, type ToFilm } from "../messages/film.ts";

// The film page: workers have no encoder for pictures, pages have. It has a port for each film, and goes with the last one.

/** So often frames go to the worker, and a picture that stays is taken again, ms. */
const BATCH_MS = 500;
const STILL_MS = 1000;

let films = 0;

chrome.runtime.onConnect.addListener((port) => {
  if (port.name === FILM_PORT) film(port);
});

function film(port: chrome.runtime.Port): void {
  films++;
  const say = (message: FromFilm): void => port.postMessage(message);
  const encoder = new FilmEncoder((message) => say({ type: "failed", message }));
  let latest = 0; // the time of the last picture, epoch ms
  let turn = Promise.resolve(); // pictures are decoded one after the other
  const send = (last: boolean): void => {
    const frames = encoder.drain();
    const { width, height, colours } = encoder;
    if (last || frames.length > 0) say({ type: "batch", width, height, colours, frames, last });
  };
  const beat = setInterval(() => {
    if (latest !== 0 && Date.now() - latest >= STILL_MS) encoder.repeat((latest = Date.now()));
    send(false);
  }, BATCH_MS);

  const take = async (jpeg: string, at: number): Promise<void> => {
    try {
      const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
      await encoder.ready();
      latest = Math.max(latest, at);
      encoder.take(picture, at);
      picture.close();
      say({ type: "taken", width: encoder.width, height: encoder.height });
    } catch {
      say({ type: "lost" });
    }
  };
  const end = async (at: number): Promise<void> => {
    clearInterval(beat);
    try {
      encoder.repeat(at);
      await encoder.end();
    } finally {
      send(true);
    }
  };

  port.onMessage.addListener((message: ToFilm) => {
    turn = turn.then(() => (message.type === "picture" ? take(message.jpeg, message.at) : end(message.at)));
  });
  port.onDisconnect.addListener(() => {
    clearInterval(beat);
    void encoder.end();
    if (--films === 0) window.close();
  });
}
