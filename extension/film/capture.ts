import type { CaptureOrder } from "../messages/film.ts";

/** A stage between a track and a stream of what it gives; Chrome's types lack it. */
interface Processor<T> {
  readonly readable: ReadableStream<T>;
}
declare const MediaStreamTrackProcessor: new <T>(init: {
  track: MediaStreamTrack;
  maxBufferSize: number;
}) => Processor<T>;

/** Samples come a hundred times a second; so many wait while the page is busy. Of pictures the last one is enough. */
const SAMPLES_WAITING = 200;

/** Takes a picture or samples; who gives them closes them afterwards. */
type Taker<T> = (what: T, at: number) => Promise<void> | void;

/** A tab whose pictures and sound Chrome gives. While its sound is taken it is played from here: Chrome plays it no more. */
export class TabCapture {
  readonly #stream: MediaStream;
  readonly #audible: AudioContext | undefined;
  #pictures: ReadableStreamDefaultReader<VideoFrame> | undefined;
  #taker: Taker<VideoFrame> = () => undefined;
  #stopped = false;

  private constructor(stream: MediaStream, sound: boolean) {
    this.#stream = stream;
    if (!sound) return;
    this.#audible = new AudioContext();
    this.#audible.createMediaStreamSource(stream).connect(this.#audible.destination);
  }

  /** Throws where Chrome does not allow it. */
  static async open({ stream, sound, width, height, fps }: CaptureOrder): Promise<TabCapture> {
    const tab = { chromeMediaSource: "tab", chromeMediaSourceId: stream };
    // Chrome's own form of constraints. Without both bounds the pictures are small.
    const size = { minWidth: width, maxWidth: width, minHeight: height, maxHeight: height };
    const asked = {
      video: { mandatory: { ...tab, ...size, maxFrameRate: fps } },
      ...(sound ? { audio: { mandatory: tab } } : {}),
    };
    return new TabCapture(await navigator.mediaDevices.getUserMedia(asked as MediaStreamConstraints), sound);
  }

  /** What is known of the sound; undefined: there is none. */
  get sound(): MediaTrackSettings | undefined {
    return this.#stream.getAudioTracks()[0]?.getSettings();
  }

  /** Gives pictures and samples as they come, until it is stopped. over is called when Chrome ends it. */
  run(picture: Taker<VideoFrame>, samples: Taker<AudioData>, over: () => void): void {
    this.#taker = picture;
    for (const track of this.#stream.getTracks()) track.addEventListener("ended", over);
    this.renew();
    const [track] = this.#stream.getAudioTracks();
    if (track) void pass(readerOf<AudioData>(track, SAMPLES_WAITING), samples);
  }

  /** Has the tab's picture given now, though nothing changes. */
  renew(): void {
    const [track] = this.#stream.getVideoTracks();
    if (!track || this.#stopped) return;
    void this.#pictures?.cancel();
    this.#pictures = readerOf<VideoFrame>(track, 1);
    void pass(this.#pictures, this.#taker);
  }

  stop(): void {
    this.#stopped = true;
    for (const track of this.#stream.getTracks()) track.stop();
    void this.#audible?.close();
  }
}

const readerOf = <T>(track: MediaStreamTrack, maxBufferSize: number): ReadableStreamDefaultReader<T> =>
  new MediaStreamTrackProcessor<T>({ track, maxBufferSize }).readable.getReader();

/** Hands over what comes, one after the other; while somebody works on one, Chrome drops the oldest. */
async function pass<T extends { close(): void }>(from: ReadableStreamDefaultReader<T>, take: Taker<T>): Promise<void> {
  for (;;) {
    const { done, value } = await from.read();
    if (done) return;
    try {
      await take(value, Date.now());
    } finally {
      value.close();
    }
  }
}
