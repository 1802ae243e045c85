import { cancelLater, later, method, now, settled, viewLength } from "./natives.ts";

/** Head is the beginning of a body. Size is the bytes that were seen; complete says that there were no more. */
export interface Head {
  text: string;
  size: number;
  complete: boolean;
  /** why reading failed: the connection broke, or the page aborted */
  error?: unknown;
}

/**
 * Patience is how long a body is read: until it pauses for so long, and at most so long after its first piece, both in ms.
 * While it is read, the connection stays open although the page cancelled its own half.
 */
export interface Patience {
  pause: number;
  most: number;
}

/** For a body that is answered in one go. */
export const whole: Patience = { pause: 2000, most: 5000 };

/** For text that may be written as it comes into being. */
export const written: Patience = { pause: 500, most: 2000 };

/** For a type that says that it is a stream. */
export const streamed: Patience = { pause: 200, most: 1000 };

const getReader = method<[], object>("ReadableStream", "getReader");
const read = method<[], Promise<{ done: boolean; value?: Uint8Array }>>("ReadableStreamDefaultReader", "read");
const cancel = method<[], Promise<void>>("ReadableStreamDefaultReader", "cancel");
const NativeDecoder = globalThis.TextDecoder;
const decode = method<[Uint8Array?, { stream: boolean }?], string>("TextDecoder", "decode");
const NativeBytes = Uint8Array;

/**
 * readHead reads a stream up to `cap` bytes, as long as its patience lasts, or to its end, and then cancels it, so
 * that the other half of a tee decides alone how long the connection lives. A reader that merely stopped would let
 * everything pile up in memory and would keep the connection open after the page cancelled its half.
 */
export function readHead(
  stream: object,
  cap: number,
  charset: string,
  { pause, most }: Patience,
  done: (head: Head) => void,
): void {
  const reader = getReader(stream);
  const decoder = decoderFor(charset);
  let text = "";
  let size = 0;
  let timer = 0;
  let over = false;
  let last = 0; // when the patience ends, by the page's clock; 0 before the first piece
  const finish = (complete: boolean, error?: unknown): void => {
    if (over) return;
    over = true;
    cancelLater(timer);
    if (complete) text += decode(decoder);
    else settled(cancel(reader), ignore, ignore);
    done({ text, size, complete, error });
  };
  const step = (): void => {
    const left = last === 0 ? pause : last - now();
    timer = later(() => finish(false), left < pause ? left : pause);
    settled(
      read(reader),
      (result: { done: boolean; value?: Uint8Array }) => {
        cancelLater(timer);
        if (over) return;
        if (result.done || !result.value) return finish(true);
        last ||= now() + most;
        const chunk = result.value;
        const length = viewLength(chunk);
        const room = cap - size;
        size += length;
        // Streaming mode keeps half a character for the next chunk instead of printing a replacement for it.
        if (room > 0)
          text += decode(decoder, length <= room ? chunk : firstBytes(chunk, room), {
            stream: true,
          });
        if (size > cap) finish(false);
        else step();
      },
      (error: unknown) => finish(false, error ?? "error"),
    );
  };
  step();
}

const ignore = (): void => {};

function decoderFor(charset: string): object {
  try {
    return new NativeDecoder(charset || "utf-8");
  } catch {
    return new NativeDecoder();
  }
}

/** Not subarray: it asks the page's Symbol.species what to make. */
function firstBytes(chunk: Uint8Array, length: number): Uint8Array {
  const short = new NativeBytes(length);
  for (let i = 0; i < length; i++) short[i] = chunk[i]!;
  return short;
}
