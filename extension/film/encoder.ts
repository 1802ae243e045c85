import type { FilmFrame } from "@gasoline/schema/wire";
import type { Colours } from "../messages/film.ts";

/** No film is wider; both sides are even, as VP8 wants them. */
const MAX_WIDTH = 1280;

/** A key frame at least so often, µs: a film can be sought in by them. */
const KEY_US = 2_000_000;

/** Bits a second: so many of each pixel, and at most so many. */
const BITS_OF_PIXEL = 4;
const MOST_BITS = 4_000_000;

/** Pictures that wait for the encoder; what comes then waits itself. */
const MOST_WAITING = 4;

/** Encodes pictures of one film. The first one gives its size; others are fitted into that. */
export class FilmEncoder {
  readonly #encoder: VideoEncoder;
  #canvas: OffscreenCanvas | undefined;
  #began = 0; // epoch ms
  #last = -1; // µs
  #key = -KEY_US; // µs
  readonly #encoding: number[] = []; // times of pictures that the encoder has not given back, µs
  #frames: FilmFrame[] = [];
  #colours: Colours = { full_range: false };

  constructor(failed: (message: string) => void) {
    this.#encoder = new VideoEncoder({
      output: (chunk, about) => {
        const { matrix, fullRange } = about?.decoderConfig?.colorSpace ?? {};
        if (matrix) this.#colours = { matrix, full_range: fullRange === true };
        while ((this.#encoding[0] ?? Infinity) <= chunk.timestamp) this.#encoding.shift();
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        this.#frames.push({ us: chunk.timestamp, key: chunk.type === "key", data: base64(bytes) });
      },
      error: (error) => failed(error.message),
    });
  }

  get width(): number {
    return this.#canvas?.width ?? 0;
  }

  get colours(): Colours {
    return this.#colours;
  }

  /** When the first picture was shown, epoch ms; 0 while there is none. */
  get began(): number {
    return this.#began;
  }

  /** The time of the first picture that is still being encoded, µs; Infinity for none. */
  get encoding(): number {
    return this.#encoding[0] ?? Infinity;
  }

  get height(): number {
    return this.#canvas?.height ?? 0;
  }

  /** Takes a picture of this size, shown from this time on (epoch ms). */
  take(picture: CanvasImageSource, wide: number, high: number, at: number): void {
    const canvas = (this.#canvas ??= this.#begin(wide, high, at));
    const paper = canvas.getContext("2d", { alpha: false });
    if (!paper) throw new Error("there is no canvas");
    const scale = Math.min(canvas.width / wide, canvas.height / high);
    const [width, height] = [wide * scale, high * scale];
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(picture, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
    this.repeat(at);
  }

  /** Resolves when the encoder takes a picture without much delay. */
  async ready(): Promise<void> {
    while (this.#encoder.encodeQueueSize > MOST_WAITING)
      await new Promise((resolve) => this.#encoder.addEventListener("dequeue", resolve, { once: true }));
  }

  /** Takes the last picture once more: it is still shown at this time. */
  repeat(at: number): void {
    if (!this.#canvas || this.#encoder.state !== "configured") return;
    const timestamp = Math.max(Math.round((at - this.#began) * 1000), this.#last + 1);
    const keyFrame = timestamp - this.#key >= KEY_US;
    if (keyFrame) this.#key = timestamp;
    this.#last = timestamp;
    this.#encoding.push(timestamp);
    const frame = new VideoFrame(this.#canvas, { timestamp });
    this.#encoder.encode(frame, { keyFrame });
    frame.close();
  }

  /** Gives what was encoded since it was asked last. */
  drain(): FilmFrame[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  /** Ends the film: everything that was taken can be drained then. */
  async end(): Promise<void> {
    if (this.#encoder.state === "configured") await this.#encoder.flush();
    if (this.#encoder.state !== "closed") this.#encoder.close();
  }

  #begin(width: number, height: number, at: number): OffscreenCanvas {
    const scale = Math.min(1, MAX_WIDTH / width);
    const even = (pixels: number): number => Math.max(2, Math.round((pixels * scale) / 2) * 2);
    const canvas = new OffscreenCanvas(even(width), even(height));
    this.#began = at;
    this.#encoder.configure({
      codec: "vp8",
      width: canvas.width,
      height: canvas.height,
      bitrate: Math.min(MOST_BITS, canvas.width * canvas.height * BITS_OF_PIXEL),
      latencyMode: "realtime",
    });
    return canvas;
  }
}

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
