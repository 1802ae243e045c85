import type { FilmFrame } from "@gasoline/schema/wire";
import { TabCapture } from "./capture.ts";
import { FilmEncoder } from "./encoder.ts";
import { SoundEncoder } from "./sound.ts";
import { type CaptureOrder, FILM_PORT, type FromFilm, type ToFilm } from "../messages/film.ts";

// The film page: workers have no encoder for pictures and sound, pages have. It has a port for each film, and goes with the
// last one.

/** So often frames go to the worker, and a picture that stays is taken again, ms. */
const BATCH_MS = 500;
const STILL_MS = 1000;

/** Sound and pictures are encoded beside each other: what is this old, µs, has nothing before it that is still to come. */
const SETTLED_US = 300_000;

let films = 0;

chrome.runtime.onConnect.addListener((port) => {
  if (port.name === FILM_PORT) new Film(port);
});

/** One film. */
class Film {
  readonly #port: chrome.runtime.Port;
  readonly #encoder = new FilmEncoder((message) => this.#say({ type: "failed", message }));
  readonly #beat = setInterval(() => this.#onBeat(), BATCH_MS);
  #capture: TabCapture | undefined;
  #sound: SoundEncoder | undefined;
  #encoded: FilmFrame[] = []; // of film and sound, which were not sent yet
  #latest = 0; // the time of the last picture, epoch ms
  #sent = 0; // the time of the last frame that was sent, µs
  #held = false;
  #ending = false;
  #turn: Promise<void> = Promise.resolve(); // what is asked is done one after the other

  constructor(port: chrome.runtime.Port) {
    films++;
    this.#port = port;
    port.onMessage.addListener((message: ToFilm) => {
      // Not in its turn: pictures that are still to be decoded are not taken either.
      if (message.type === "hold") this.#held = true;
      else this.#turn = this.#turn.then(() => this.#take(message));
    });
    port.onDisconnect.addListener(() => {
      clearInterval(this.#beat);
      this.#capture?.stop();
      void this.#encoder.end();
      void this.#sound?.end();
      if (--films === 0) window.close();
    });
  }

  #say(message: FromFilm): void {
    this.#port.postMessage(message);
  }

  async #take(message: Exclude<ToFilm, { type: "hold" }>): Promise<void> {
    if (message.type === "picture") await this.#picture(message.jpeg, message.at);
    else if (message.type === "capture") await this.#begin(message.order);
    else if (message.type === "go") {
      this.#held = false;
      this.#capture?.renew();
    } else await this.#end(message.at);
  }

  /** A picture of the screencast. */
  async #picture(jpeg: string, at: number): Promise<void> {
    if (this.#held) return this.#say({ type: "held" });
    try {
      const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
      await this.#encoder.ready();
      this.#shown(picture, picture.width, picture.height, at);
      picture.close();
    } catch {
      this.#say({ type: "lost" });
    }
  }

  #shown(picture: CanvasImageSource, width: number, height: number, at: number): void {
    if (this.#held) return this.#say({ type: "held" });
    this.#latest = Math.max(this.#latest, at);
    this.#encoder.take(picture, width, height, at);
    this.#say({ type: "taken", width: this.#encoder.width, height: this.#encoder.height });
  }

  async #begin(order: CaptureOrder): Promise<void> {
    try {
      const capture = (this.#capture = await TabCapture.open(order));
      const { sound } = capture;
      if (sound) this.#sound = await SoundEncoder.for(sound, (message) => this.#say({ type: "failed", message }));
      capture.run(
        async (frame, at) => {
          await this.#encoder.ready();
          this.#shown(frame, frame.displayWidth, frame.displayHeight, at);
        },
        (samples, at) => {
          if (this.#encoder.began) this.#sound?.take(samples, (at - this.#encoder.began) * 1000);
        },
        () => this.#say({ type: "over" }),
      );
      this.#say({ type: "captured", ...(this.#sound ? { sound: this.#sound.about } : {}) });
    } catch (error) {
      this.#capture?.stop();
      this.#capture = this.#sound = undefined;
      this.#say({ type: "refused", message: error instanceof Error ? error.message : String(error) });
    }
  }

  #onBeat(): void {
    if (!this.#ending && this.#latest !== 0 && Date.now() - this.#latest >= STILL_MS)
      this.#encoder.repeat((this.#latest = Date.now()));
    this.#send(false);
  }

  async #end(at: number): Promise<void> {
    this.#ending = true;
    try {
      this.#capture?.stop();
      this.#encoder.repeat(at);
      await Promise.all([this.#encoder.end(), this.#sound?.end()]);
    } finally {
      clearInterval(this.#beat);
      this.#send(true);
    }
  }

  #send(last: boolean): void {
    this.#encoded.push(...this.#encoder.drain(), ...(this.#sound?.drain() ?? []));
    let frames = this.#encoded;
    if (this.#sound) {
      const settled = (Date.now() - this.#encoder.began) * 1000 - SETTLED_US;
      const until = last ? Infinity : Math.min(settled, this.#encoder.encoding - 1);
      frames = frames.filter(({ us }) => us <= until).sort((a, b) => a.us - b.us);
      this.#encoded = this.#encoded.filter(({ us }) => us > until);
      // What came later than all that, on a machine that is very busy, is shown as late.
      for (const frame of frames) this.#sent = frame.us = Math.max(frame.us, this.#sent);
    } else this.#encoded = [];
    const { width, height, colours } = this.#encoder;
    // Who waits for the end hears that it is on the way.
    if (this.#ending || frames.length > 0) this.#say({ type: "batch", width, height, colours, frames, last });
  }
}
