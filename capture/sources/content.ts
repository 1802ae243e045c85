import {
  descriptor,
  getPrototypeOf,
  getter,
  indexOf,
  later,
  lower,
  method,
  prefix,
  settled,
  slice,
  startsWith,
  uncurry,
  viewLength,
} from "../natives.ts";

/** essence is a content type without its parameters, in lower case. */
export function essence(contentType: string): string {
  let end = 0;
  while (end < contentType.length && contentType[end] !== ";" && contentType[end] !== " ") end++;
  return lower(prefix(contentType, end));
}

/** charsetOf is the charset parameter of a content type, or "". */
export function charsetOf(contentType: string): string {
  const type = lower(contentType);
  const at = indexOf(type, "charset=");
  if (at < 0) return "";
  let end = at + 8;
  while (end < type.length && type[end] !== ";" && type[end] !== " ") end++;
  const value = slice(type, at + 8, end);
  return value[0] === '"' ? slice(value, 1, value.length - 1) : value;
}

/** streams says whether bodies of a content type come piece by piece and may never end. */
export function streams(contentType: string): boolean {
  const type = essence(contentType);
  return (
    type === "text/event-stream" ||
    type === "application/x-ndjson" ||
    type === "application/ndjson" ||
    type === "application/jsonl" ||
    type === "application/json-seq" ||
    type === "application/stream+json" ||
    type === "application/x-json-stream" ||
    type === "multipart/x-mixed-replace" ||
    startsWith(type, "application/grpc-web")
  );
}

/**
 * binaryType says that a content type is one of pictures, sound, archives and the like, whose bytes are no text. Of all
 * other types, and without one, the bytes tell.
 */
export function binaryType(contentType: string): boolean {
  const type = essence(contentType);
  if (type === "image/svg+xml") return false;
  const slash = indexOf(type, "/");
  const family = slice(type, 0, slash < 0 ? 0 : slash);
  if (family === "image" || family === "audio" || family === "video" || family === "font") return true;
  for (let i = 0; i < binaryTypes.length; i++) if (type === binaryTypes[i]) return true;
  return indexOf(type, "officedocument") > 0;
}

const binaryTypes = [
  "application/pdf",
  "application/zip",
  "application/gzip",
  "application/x-gzip",
  "application/wasm",
  "application/x-protobuf",
  "application/protobuf",
  "application/msgpack",
  "application/cbor",
  "application/vnd.ms-excel",
  "application/vnd.ms-fontobject",
];

/** textType says that a content type is one of text, whatever the encoding of its bytes. */
function textType(contentType: string): boolean {
  const type = essence(contentType);
  if (startsWith(type, "text/") || startsWith(type, "multipart/")) return true;
  return word(type, "json") || word(type, "xml") || word(type, "javascript") || word(type, "yaml");
}

/** A word of a type: of "application/x-amz-json-1.1" json is one, of "…openxmlformats…" xml is not. */
function word(type: string, text: string): boolean {
  for (let at = indexOf(type, text); at >= 0; at = indexOf(type, text, at + 1))
    if (!letter(type[at - 1]) && !letter(type[at + text.length])) return true;
  return false;
}

const letter = (c: string | undefined): boolean => c !== undefined && c >= "a" && c <= "z";

const sniffed = 512;

/**
 * isText says whether a body is text by the first of its bytes (≤ 512 are looked at): no control characters but those of
 * white space and escape, and UTF-8 where nothing says that it is text. What begins with a byte order mark is text.
 */
export function isText(bytes: Uint8Array, contentType: string): boolean {
  const length = viewLength(bytes);
  const most = length < sniffed ? length : sniffed;
  const first = most > 1 ? bytes[0]! * 256 + bytes[1]! : 0;
  if (first === 0xfffe || first === 0xfeff) return true;
  if (startsWith(charsetOf(contentType), "utf-16")) return true;
  let more = 0; // bytes that a character still needs
  let valid = true;
  for (let i = 0; i < most; i++) {
    const byte = bytes[i]!;
    if (byte < 32 && byte !== 27 && (byte < 9 || byte > 13)) return false;
    if (more > 0) {
      valid &&= byte >= 0x80 && byte < 0xc0;
      more--;
    } else if (byte >= 0x80) {
      valid &&= byte >= 0xc2 && byte < 0xf5;
      more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    }
  }
  return valid || textType(contentType);
}

const NativeDecoder = globalThis.TextDecoder;
const decodeBytes = method<[Uint8Array?, { stream: boolean }?], string>("TextDecoder", "decode");

/** decoderFor is a decoder of a charset, or where nobody knows it, of UTF-8. */
export function decoderFor(charset: string): object {
  try {
    return new NativeDecoder(charset || "utf-8");
  } catch {
    return new NativeDecoder();
  }
}

/** decode is what a decoder makes of a piece; the end is one without a piece. Half a character waits for the next piece. */
export const decode = (decoder: object, piece?: Uint8Array): string =>
  piece ? decodeBytes(decoder, piece, { stream: true }) : decodeBytes(decoder);

const NativeBytes = Uint8Array;

/** firstBytes copies. Not subarray: it asks the page's Symbol.species what to make. */
export function firstBytes(chunk: Uint8Array, length: number): Uint8Array {
  const short = new NativeBytes(length);
  for (let i = 0; i < length; i++) short[i] = chunk[i]!;
  return short;
}

/** bytesIn are the first bytes of a buffer or a view, ≤ most; undefined of what is none. They are not copied. */
export function bytesIn(value: unknown, most: number): Uint8Array | undefined {
  for (let i = 0; i < places.length; i++) {
    try {
      const { buffer, offset, length } = places[i]!;
      const from = offset(value);
      const size = length(value);
      return new NativeBytes(buffer(value), from, size < most ? size : most);
    } catch {
      // not that class, or its buffer is gone
    }
  }
  return undefined;
}

const typed = getPrototypeOf(Uint8Array.prototype) as object;
const own = <T>(name: string): ((self: unknown) => T) => uncurry(descriptor(typed, name)!.get as () => T);
const size = getter<number>("ArrayBuffer", "byteLength");
/** Where the bytes of each class lie. */
const places: readonly {
  buffer: (self: unknown) => ArrayBuffer;
  offset: (self: unknown) => number;
  length: (self: unknown) => number;
}[] = [
  { buffer: (self) => self as ArrayBuffer, offset: () => 0, length: size },
  { buffer: own("buffer"), offset: own("byteOffset"), length: own("byteLength") },
  {
    buffer: getter("DataView", "buffer"),
    offset: getter("DataView", "byteOffset"),
    length: getter("DataView", "byteLength"),
  },
];

/** textIn is the text of a buffer or view that holds text, ≤ cap bytes of it; undefined of what holds none. */
export function textIn(value: unknown, contentType: string, cap: number): string | undefined {
  const bytes = bytesIn(value, cap + 1);
  if (!bytes || !isText(bytes, contentType)) return undefined;
  const decoder = decoderFor(charsetOf(contentType));
  const length = viewLength(bytes);
  const text = decode(decoder, length > cap ? firstBytes(bytes, cap) : bytes);
  return length > cap ? text : text + decode(decoder);
}

const sliceOf = method<[number, number], object>("Blob", "slice");
const bufferOf = method<[], Promise<ArrayBuffer>>("Blob", "arrayBuffer");

/** The page does not wait for a Blob that takes longer, such as a file of a slow disk. */
const patience = 1000;

/** readBlob gives the first bytes of a Blob, ≤ most, or undefined where it cannot be read. done is called once. */
export function readBlob(blob: object, most: number, done: (bytes: ArrayBuffer | undefined) => void): void {
  let over = false;
  const end = (bytes: ArrayBuffer | undefined): void => {
    if (over) return;
    over = true;
    done(bytes);
  };
  later(() => end(undefined), patience);
  settled(bufferOf(sliceOf(blob, 0, most)), end, () => end(undefined));
}
