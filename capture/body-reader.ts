import { cancelLater, later, method, now, settled, viewLength } from "./natives.ts";
import { charsetOf, decode, decoderFor, firstBytes, isText } from "./sources/content.ts";

/** Head is the beginning of a body. Size is the bytes that were seen; complete says that there were no more. */
export interface Head {
  text: string;
  size: number;
  complete: boolean;
  /** its first bytes are no text; it was not read on */
  binary: boolean;
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

const getReader = method<[], object>("ReadableStream", "getReader");
const read = method<[], Promise<{ done: boolean; value?: Uint8Array }>>("ReadableStreamDefaultReader", "read");
const cancel = method<[], Promise<void>>("ReadableStreamDefaultReader", "cancel");

/**
 * readHead reads a stream up to `cap` bytes, as long as its patience lasts, or to its end, and then cancels it, so
 * that the other half of a tee decides alone how long the connection lives. A reader that merely stopped would let
 * everything pile up in memory and would keep the connection open after the page cancelled its half.
 */
export function readHead(
  stream: object,
  cap: number,
  contentType: string,
  { pause, most }: Patience,
  done: (head: Head) => void,
): void {
  const reader = getReader(stream);
  const decoder = decoderFor(charsetOf(contentType));
  let text = "";
  let size = 0;
  let timer = 0;
  let over = false;
  let last = 0; // when the patience ends, by the page's clock; 0 before the first piece
  const finish = (complete: boolean, error?: unknown, binary = false): void => {
    if (over) return;
    over = true;
    cancelLater(timer);
    if (complete) text += decode(decoder);
    else settled(cancel(reader), ignore, ignore);
    done({ text, size, complete, binary, error });
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
        if (size === 0 && length > 0 && !isText(chunk, contentType)) {
          size = length;
          return finish(false, undefined, true);
        }
        size += length;
        if (room > 0) text += decode(decoder, length <= room ? chunk : firstBytes(chunk, room));
        if (size > cap) finish(false);
        else step();
      },
      (error: unknown) => finish(false, error ?? "error"),
    );
  };
  step();
}

const ignore = (): void => {};
