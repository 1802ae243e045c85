import type { Header } from "@gasoline/schema/wire";
import {
  byteLength,
  descriptor,
  getPrototypeOf,
  getter,
  hasOwn,
  isArray,
  keys,
  mapClear,
  mapGet,
  mapSet,
  method,
  NativeMap,
  NativeURL,
  peek,
  prefix,
  slice,
  startsWith,
  uncurry,
  upper,
  viewLength,
} from "../natives.ts";
import { addHeader, redactBody, redactURL } from "../redact.ts";
import type { CaptureConfig } from "../record.ts";
import { binaryType, readBlob, textIn } from "./content.ts";

/** Body is what could be learned of a body without touching it. Size is in bytes, -1 when unknown. */
export interface Body {
  text?: string | undefined;
  size: number;
  /** off, binary, truncated, unread; absent when text is all there is to say */
  note?: string | undefined;
  /** of a body that is read aside: calls back, once, when its text is there or will not come */
  wait?: ((then: () => void) => void) | undefined;
}

const hrefOf = getter<string>("URL", "href");
/** requestURL is a Request's URL; it throws for anything else. */
export const requestURL = getter<string>("Request", "url");
const baseOf = getter<string>("Node", "baseURI");
const searchText = method<[], string>("URLSearchParams", "toString");
const blobSize = getter<number>("Blob", "size");
const blobType = getter<string>("Blob", "type");
const fileName = getter<string>("File", "name");
const bufferSize = getter<number>("ArrayBuffer", "byteLength");
const viewSize = getter<number>("DataView", "byteLength");
const eachField = method<[(value: unknown, name: string) => void], void>("FormData", "forEach");
const hasHeader = method<[string], boolean>("Headers", "has");
const hasField = method<[string], boolean>("FormData", "has");
const hasParameter = method<[string], boolean>("URLSearchParams", "has");
const eachHeader = method<[(value: string, name: string) => void], void>("Headers", "forEach");

/**
 * isA says whether a value is a platform object of a class, of this realm or another. An accessor that throws for
 * anything else tells; the prototype chain would run traps of a page's proxy.
 */
export function isA(value: unknown, className: string): value is object {
  const prove = proofs[className];
  if (typeof value !== "object" || value === null || !prove) return false;
  try {
    return prove(value) !== undefined;
  } catch {
    return false;
  }
}

const proofs: Record<string, ((value: object) => unknown) | undefined> = {
  __proto__: null,
  Request: requestURL,
  Response: getter("Response", "status"),
  Headers: (value: object) => hasHeader(value, "x"),
  FormData: (value: object) => hasField(value, "x"),
  URLSearchParams: (value: object) => hasParameter(value, "x"),
  Blob: blobSize,
  ArrayBuffer: bufferSize,
  DataView: viewSize,
  // It says undefined for what is no typed array.
  TypedArray: uncurry(
    descriptor(getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag)!.get as () => unknown,
  ),
  AbortSignal: getter("AbortSignal", "aborted"),
} as never;

/**
 * textArgument gives an argument that the platform takes as text. What is an object is turned into text here, once, and
 * the text put in its place, so that the page's toString runs as often as without us. When it throws, the argument
 * becomes one that throws the same.
 */
export function textArgument(args: unknown[], index: number): string {
  const value = args.length > index ? args[index] : "";
  if (typeof value === "string") return value;
  // The native refuses it as text, and says so.
  if (typeof value === "symbol") return "";
  try {
    const text = `${value as string}`;
    args[index] = text;
    return text;
  } catch (error) {
    args[index] = {
      __proto__: null,
      [toPrimitive]: () => {
        throw error;
      },
    };
    return "";
  }
}

const toPrimitive: typeof Symbol.toPrimitive = Symbol.toPrimitive;

const resolved = new NativeMap<string, string>();
let resolvedAt = "";
let resolvedCount = 0;

/**
 * absolute resolves a URL against the document, as the native will. What does not parse stays as it is. Parsing is the
 * dearest part of noting a request, and pages ask the same again: of one base 200 URLs of ≤ 500 characters are kept.
 */
export function absolute(url: string): string {
  if (startsWith(url, "http://") || startsWith(url, "https://")) return url;
  const base = baseOf(document);
  if (base !== resolvedAt || resolvedCount >= 200) {
    mapClear(resolved);
    resolvedAt = base;
    resolvedCount = 0;
  }
  const before = mapGet(resolved, url) as string | undefined;
  if (before !== undefined) return before;
  let href = url;
  try {
    href = hrefOf(new NativeURL(url, base));
  } catch {
    // as it is
  }
  if (url.length <= 500 && href.length <= 1000) {
    mapSet(resolved, url, href);
    resolvedCount++;
  }
  return href;
}

/** parses says whether a text is an absolute URL. */
export function parses(url: string): boolean {
  try {
    return hrefOf(new NativeURL(url)) !== "";
  } catch {
    return false;
  }
}

/** shownTitle is the document's title as it is recorded: ≤ 512 characters, undefined without one. */
export const shownTitle = (): string | undefined => slice(document.title, 0, 512) || undefined;

/** shownURL is a URL as it is recorded: secrets masked, ≤ 4,096 characters (data: URLs 200). */
export function shownURL(url: string, config: CaptureConfig): string {
  if (startsWith(url, "data:")) return prefix(url, 200);
  return prefix(redactURL(url, config.salt), 4096);
}

/**
 * headersOf reads headers as they may be given: Headers, pairs, or an object. Getters of the page are not run; traps of
 * a proxy are, and what they throw ends the list.
 */
export function headersOf(given: unknown, salt: string): Header[] {
  const found: Header[] = [];
  try {
    read(given, found, salt);
  } catch {
    // what was read so far
  }
  return found;
}

function read(given: unknown, found: Header[], salt: string): void {
  if (isArray(given)) {
    for (let i = 0; i < given.length && i < 100; i++) {
      const pair = data(given, "" + i);
      if (isArray(pair)) addHeader(found, textOf(data(pair, "0")), textOf(data(pair, "1")), salt);
    }
  } else if (typeof given === "object" && given !== null) {
    // A literal is told by its prototype: asking the platform what it is would throw.
    if (getPrototypeOf(given) !== plainProto && isA(given, "Headers")) {
      eachHeader(given, (value, name) => addHeader(found, name, value, salt));
      return;
    }
    const names = keys(given);
    for (let i = 0; i < names.length && i < 100; i++) {
      const own = descriptor(given, names[i]!);
      addHeader(found, names[i]!, own && hasOwn(own, "value") ? textOf(own.value) : "[getter]", salt);
    }
  }
}

const plainProto = Object.prototype;
const data = (object: object, key: string): unknown => peek(object, key);
/** textOf is a primitive as text. What is an object would run code of the page. */
export const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "object" || typeof value === "function" || typeof value === "symbol"
      ? "[object]"
      : "" + (value as number);

/** header finds a header by its lower-case name. */
export function header(headers: readonly Header[], name: string): string {
  for (let i = 0; i < headers.length; i++) if (headers[i]!.name === name) return headers[i]!.value;
  return "";
}

/** hasAuth says whether a page sent credentials of its own in a header. */
export function hasAuth(headers: readonly Header[]): boolean {
  return (
    header(headers, "authorization") !== "" ||
    header(headers, "x-api-key") !== "" ||
    header(headers, "x-auth-token") !== ""
  );
}

/** bodyOf describes a request body. A stream is never read, a Blob aside. */
export function bodyOf(value: unknown, contentType: string, config: CaptureConfig): Body {
  if (value === undefined || value === null) return { size: 0 };
  if (typeof value === "string") return textBody(value, contentType, config);
  const size = binarySize(value);
  if (size >= 0) return bytesBody(value as object, size, contentType, config);
  if (isA(value, "URLSearchParams")) return textBody(searchText(value), "application/x-www-form-urlencoded", config);
  if (isA(value, "FormData")) return formBody(value, config);
  return { size: -1, note: note("unread", config) };
}

/**
 * binarySize is the size of a view, a Blob or a buffer, in bytes; of all else -1. A wrong guess throws, which takes about
 * a microsecond and more below a deep stack, so what tells without throwing comes first, and then what the last body was.
 */
export function binarySize(value: unknown): number {
  if (isView(value)) {
    if (isA(value, "TypedArray")) return viewLength(value);
    return isA(value, "DataView") ? viewSize(value) : -1; // one without its buffer has no size
  }
  if (isA(value, buffersCome ? "ArrayBuffer" : "Blob")) return buffersCome ? bufferSize(value) : blobSize(value);
  if (!isA(value, buffersCome ? "Blob" : "ArrayBuffer")) return -1;
  buffersCome = !buffersCome;
  return buffersCome ? bufferSize(value) : blobSize(value);
}

let buffersCome = false; // the last body that was a Blob or a buffer was a buffer

const isView = ArrayBuffer.isView;

const note = (word: string, config: CaptureConfig): string => (config.bodies ? word : "off");

function textBody(text: string, contentType: string, config: CaptureConfig): Body {
  const size = byteLength(text);
  if (!config.bodies) return { size, note: "off" };
  const kept = prefix(text, config.bodyLimit);
  return {
    text: redactBody(kept, contentType, config.salt),
    size,
    note: kept.length < text.length ? "truncated" : undefined,
  };
}

/**
 * bytesBody describes a Blob, a buffer or a view by its first bytes: what is text is told as text. A Blob is read aside;
 * until that is done, its note is "binary".
 */
export function bytesBody(value: object, size: number, contentType: string, config: CaptureConfig): Body {
  if (!config.bodies) return { size, note: "off" };
  const blob = isA(value, "Blob");
  const type = contentType || (blob ? blobType(value) : "");
  const body: Body = { text: undefined, size, note: "binary" };
  if (size === 0) return { size };
  if (binaryType(type)) return body;
  const { bodyLimit, salt } = config;
  const fill = (to: Body, bytes: unknown): void => {
    const text = bytes === undefined ? undefined : textIn(bytes, type, bodyLimit);
    if (text === undefined) return;
    to.text = redactBody(text, type, salt);
    to.note = size > bodyLimit ? "truncated" : undefined;
  };
  if (!blob) {
    fill(body, value);
    return body;
  }
  let ready = false;
  let hear: (() => void) | undefined;
  const waiting: Body = { ...body, wait: (then) => (ready ? then() : (hear = then)) };
  readBlob(value, bodyLimit + 1, (bytes) => {
    try {
      fill(waiting, bytes);
    } finally {
      ready = true;
      hear?.();
    }
  });
  return waiting;
}

/** A part of a form, so that it ends where it ends: what is behind a "&" in a secret is secret, too. */
function escaped(text: string): string {
  let out = "";
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text[i] === "&" ? "%26" : text[i] === "#" ? "%23" : text[i] === "%" ? "%25" : "";
    if (code === "") continue;
    out += slice(text, from, i) + code;
    from = i + 1;
  }
  return out + slice(text, from);
}

/** A form is listed as name=value lines; files by name and size. */
function formBody(form: object, config: CaptureConfig): Body {
  let size = 0;
  let text = "";
  eachField(form, (value, name) => {
    const file = typeof value !== "string";
    const bytes = file ? blobSize(value) : byteLength(value);
    // What was not counted leaves the whole unknown.
    size = size < 0 || bytes < 0 ? -1 : size + bytes;
    if (!config.bodies || text.length > config.bodyLimit) return;
    const most = config.bodyLimit + 1; // what is longer is cut, and said to be
    text +=
      (text === "" ? "" : "&") +
      escaped(slice(name, 0, most)) +
      "=" +
      (file ? "[file " + fileName(value) + " " + bytes + " bytes]" : escaped(slice(value, 0, most)));
  });
  if (!config.bodies) return { size, note: "off" };
  const body = textBody(text, "application/x-www-form-urlencoded", config);
  return { text: body.text, size, note: body.note };
}

/** known upper-cases the methods that the platform upper-cases; "patch" stays as it is and is another method. */
export function known(verb: string): string {
  const up = upper(verb);
  return up === "GET" || up === "POST" || up === "PUT" || up === "DELETE" || up === "HEAD" || up === "OPTIONS"
    ? up
    : verb;
}
