import type { FilmFrame, FilmSound } from "@gasoline/schema/wire";
import { base64 } from "./encoder.ts";

/** Bits a second of stereo. */
const BITS = 96_000;

const MAX_CHANNELS = 2;

/** Sound that is missing for longer is missing in the film, too, µs; less is the clock's. */
const GAP_US = 100_000;

/** Encodes the sound of one film. */
export class SoundEncoder {
  readonly about: FilmSound;
  readonly #encoder: AudioEncoder;
  readonly #channels: number;
  readonly #rate: number;
  #origin: number | undefined; // the time of the first sample, µs by the film's clock
  #first = 0; // the same by the clock of the sound
  #next = 0; // when the next sample is due by that clock
  #frames: FilmFrame[] = [];

  private constructor(about: FilmSound, rate: number, failed: (message: string) => void) {
    this.about = about;
    this.#rate = rate;
    this.#channels = about.channels;
    this.#encoder = new AudioEncoder({
      output: (chunk) => {
        const bytes = new Uint8Array(chunk.byteLength);
        chunk.copyTo(bytes);
        const us = Math.round((this.#origin ?? 0) + chunk.timestamp - this.#first);
        if (us >= 0) this.#frames.push({ us, key: true, sound: true, data: base64(bytes) });
      },
      error: (error) => failed(error.message),
    });
    this.#encoder.configure(config(rate, this.#channels));
  }

  /** Makes one for sound of this form. What its header says is known at once, though the first sample may come late. */
  static async for(
    track: { sampleRate?: number; channelCount?: number },
    failed: (message: string) => void,
  ): Promise<SoundEncoder> {
    const rate = track.sampleRate ?? 48_000;
    const channels = Math.min(MAX_CHANNELS, track.channelCount ?? MAX_CHANNELS);
    return new SoundEncoder({ channels, head: base64(await headOf(rate, channels)) }, rate, failed);
  }

  /** Takes samples that came at this time, µs by the film's clock; those from before its beginning are left out. */
  take(data: AudioData, came: number): void {
    const fits = data.sampleRate === this.#rate && data.numberOfChannels === this.#channels;
    if (this.#encoder.state !== "configured" || !fits) return;
    const began = came - data.duration;
    if (this.#origin === undefined) {
      if (began < 0) return;
      [this.#origin, this.#first] = [began, data.timestamp];
    } else if (Math.abs(data.timestamp - this.#next) > GAP_US) this.#origin += data.timestamp - this.#next;
    this.#next = data.timestamp + data.duration;
    this.#encoder.encode(data);
  }

  /** Gives what was encoded since it was asked last. */
  drain(): FilmFrame[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  async end(): Promise<void> {
    if (this.#encoder.state === "configured") await this.#encoder.flush();
    if (this.#encoder.state !== "closed") this.#encoder.close();
  }
}

const config = (sampleRate: number, numberOfChannels: number): AudioEncoderConfig => ({
  codec: "opus",
  sampleRate,
  numberOfChannels,
  bitrate: BITS,
});

/** What the encoder says of its sound, which it does with the first packet: here one of silence. */
async function headOf(sampleRate: number, numberOfChannels: number): Promise<Uint8Array> {
  let head: Uint8Array | undefined;
  const encoder = new AudioEncoder({
    output: (_chunk, about) => {
      const { description } = about?.decoderConfig ?? {};
      if (description) head = bytesOf(description);
    },
    error: () => undefined, // there is no head then
  });
  encoder.configure(config(sampleRate, numberOfChannels));
  const numberOfFrames = Math.round(sampleRate / 10);
  const silence = new AudioData({
    format: "f32-planar",
    sampleRate,
    numberOfFrames,
    numberOfChannels,
    timestamp: 0,
    data: new Float32Array(numberOfFrames * numberOfChannels),
  });
  encoder.encode(silence);
  silence.close();
  await encoder.flush();
  encoder.close();
  if (!head) throw new Error("the encoder of sound says nothing of it");
  return head;
}

const bytesOf = (source: AllowSharedBufferSource): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
