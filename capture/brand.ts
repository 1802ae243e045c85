import type { Header } from "@gasoline/schema/wire";
import { className } from "./class-name.ts";
import { elementText } from "./element-text.ts";
import { secretName } from "./names.ts";
import {
  append,
  apply,
  descriptor,
  getPrototypeOf,
  getter,
  indexOf,
  keys,
  mapGet,
  mapSet,
  method,
  NativeMap,
  prefix,
  prototypeOf,
  slice,
  uncurry,
  type Fn,
} from "./natives.ts";
import { addHeader, mask, redactURL } from "./redact.ts";

/** Brand says what a platform object is, in a few words, or that the serializer is to look inside. */
export interface Brand {
  text: string;
  inside: "map" | "set" | "error" | "fields" | undefined;
  /** what is told of it, for "fields" */
  fields: readonly Told[] | undefined;
}

/** Told is one thing that is told of a platform object. Its value may be the page's own. */
export interface Told {
  name: string;
  value: unknown;
}

type Describe = (value: object) => Brand;

const classes = new NativeMap<object, Known>();
const named = new NativeMap<string, Known>();

/**
 * brandOf recognises objects of the platform by their prototype chain, without Object.prototype.toString: that would
 * run a page's Symbol.toStringTag getter. Those of another realm are known by the name of their class. Impostors
 * (Object.create(Map.prototype), a class of the page's called Map) are not recognised, since the native accessor refuses
 * them. Undefined: an object of the page.
 */
export function brandOf(value: object): Brand | undefined {
  let proto = getPrototypeOf(value);
  let tables: Tables;
  for (let up = 0; proto !== null && up < 12; up++) {
    const here = (mapGet(classes, proto) ?? mapGet(named, className(proto))) as Known | undefined;
    if (here?.fields) tables = { fields: here.fields, below: tables };
    if (here?.describe) {
      try {
        const made = here.describe(value);
        return tables && made.inside === undefined ? read(value, made.text, tables) : made;
      } catch {
        return undefined;
      }
    }
    proto = getPrototypeOf(proto);
  }
  return undefined;
}

/** What is known of a class: the words, and what is read of its objects beside what its parents give. */
interface Known {
  describe: Describe | undefined;
  fields: readonly Field[] | undefined;
}

const nothing = (): Known => ({ describe: undefined, fields: undefined });

type Tables = { fields: readonly Field[]; below: Tables } | undefined;

/** read asks the natives. What they refuse, or what says nothing, is left out. */
function read(value: object, text: string, tables: Tables): Brand {
  const told: Told[] = [];
  for (let at = tables; at; at = at.below) {
    for (let i = 0; i < at.fields.length; i++) {
      const { name, get, only } = at.fields[i]!;
      try {
        const found = apply(get, value, []) as unknown;
        if (found === undefined || found === null || found === "" || (only && found !== true)) continue;
        append(told, { name, value: plainly(value, name, found) });
      } catch {
        // not of this object
      }
    }
  }
  return listed(text, told);
}

function brand(name: string, describe: Describe): void {
  const known: Known = (mapGet(named, name) as Known | undefined) ?? nothing();
  known.describe = describe;
  mapSet(named, name, known);
  const proto = prototypeOf(name);
  if (proto) mapSet(classes, proto, known);
}

const plain = (text: string): Brand => ({ text, inside: undefined, fields: undefined });

/** A getter or method that throws for anything but the real thing proves the brand. */
function proved(name: string, member: string, text: (proof: unknown, value: object) => string): void {
  const read = getter<unknown>(name, member);
  brand(name, (value) => plain(text(read(value), value)));
}

brand("Error", () => ({ text: "", inside: "error", fields: undefined }));
brand("DOMException", () => ({ text: "", inside: "error", fields: undefined }));

const mapSize = getter<number>("Map", "size");
const setSize = getter<number>("Set", "size");
brand("Map", (value) => ({ text: "[Map " + mapSize(value) + "]", inside: "map", fields: undefined }));
brand("Set", (value) => ({ text: "[Set " + setSize(value) + "]", inside: "set", fields: undefined }));

const toISO = method<[], string>("Date", "toISOString");
const timeOf = method<[], number>("Date", "getTime");
brand("Date", (value) => {
  const time = timeOf(value);
  return plain(time - time === 0 ? toISO(value) : "Invalid Date");
});

const hrefOf = getter<string>("URL", "href");
brand("URL", (value) => plain(redactURL(hrefOf(value), "")));

// source and flags are read one by one: RegExp.prototype.toString would read the page's overrides.
const sourceOf = getter<string>("RegExp", "source");
const globalOf = getter<boolean>("RegExp", "global");
const ignoreCaseOf = getter<boolean>("RegExp", "ignoreCase");
brand("RegExp", (value) =>
  plain("/" + sourceOf(value) + "/" + (globalOf(value) ? "g" : "") + (ignoreCaseOf(value) ? "i" : "")),
);

for (const name of ["Promise", "WeakMap", "WeakSet", "WeakRef"]) brand(name, () => plain("[" + name + "]"));

const textOf = method<[], string>("String", "valueOf");
const numberOf = method<[], number>("Number", "valueOf");
const truthOf = method<[], boolean>("Boolean", "valueOf");
brand("String", (value) => plain("[String " + textOf(value) + "]"));
brand("Number", (value) => plain("[Number " + numberOf(value) + "]"));
brand("Boolean", (value) => plain("[Boolean " + truthOf(value) + "]"));

const typedTag = uncurry(
  descriptor(getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag)!.get as () => string,
);
const typedLength = uncurry(descriptor(getPrototypeOf(Uint8Array.prototype) as object, "length")!.get as () => number);
const bytes: Describe = (value) => {
  const length = typedLength(value);
  let head = "";
  for (let i = 0; i < length && i < 16; i++) head += (i === 0 ? ": " : ", ") + itemText((value as Uint8Array)[i]);
  return plain("[" + typedTag(value) + " " + length + head + (length > 16 ? ", …" : "") + "]");
};
brand("TypedArray", bytes);
mapSet(classes, getPrototypeOf(Uint8Array.prototype), { describe: bytes, fields: undefined });
const itemText = (item: number | bigint | undefined): string => "" + item;

proved("ArrayBuffer", "byteLength", (size) => "[ArrayBuffer " + size + " bytes]");
proved("SharedArrayBuffer", "byteLength", (size) => "[SharedArrayBuffer " + size + " bytes]");
proved("DataView", "byteLength", (size) => "[DataView " + size + " bytes]");
proved("Blob", "size", (size, value) => "[Blob " + size + " bytes" + tail(blobType(value)) + "]");
proved("File", "name", (name, value) => "[File " + name + " " + blobSize(value) + " bytes]");
proved("Response", "status", (status, value) => "[Response " + status + tail(redactURL(responseURL(value), "")) + "]");
proved("Request", "method", (verb, value) => "[Request " + verb + tail(redactURL(requestURL(value), "")) + "]");
proved("Event", "type", (type, value) => "[" + (className(getPrototypeOf(value)) || "Event") + " " + type + "]");

const maxListed = 50;
const listed = (text: string, told: Told[]): Brand =>
  told.length > 0 ? { text, inside: "fields", fields: told } : plain(text);
const eachHeader = method<[(value: string, name: string) => void], void>("Headers", "forEach");
const eachField = method<[(value: unknown, name: string) => void], void>("FormData", "forEach");
const searchText = method<[], string>("URLSearchParams", "toString");
brand("FormData", (value) => {
  const told: Told[] = [];
  eachField(value, (item, name) => {
    if (told.length < maxListed) append(told, { name, value: item });
  });
  return listed("[FormData]", told);
});
brand("Headers", (value) => {
  const headers: Header[] = [];
  eachHeader(value, (text, name) => addHeader(headers, name, text, ""));
  const told: Told[] = [];
  for (let i = 0; i < headers.length && i < maxListed; i++) append(told, headers[i]!);
  return listed("[Headers]", told);
});
brand("URLSearchParams", (value) =>
  plain("[URLSearchParams" + tail(prefix(redactURL("?" + searchText(value), ""), 300)) + "]"),
);

/** A thing that an accessor of a class gives; `only` where it is told when it is true. */
interface Field {
  name: string;
  get: Fn;
  only: boolean;
}

/**
 * What is told of the objects of a class, in the order of its table, by the accessors that the platform gave; "?" says
 * that it is told where it is true. A class has what its parents have, too. What may hold a secret is not here: typed
 * characters, descriptions of media sessions.
 */
const fields: Record<string, string> = {
  __proto__: null,
  Event: "type target",
  CustomEvent: "detail",
  CloseEvent: "code reason wasClean",
  MessageEvent: "data origin",
  ErrorEvent: "message filename lineno colno error",
  PromiseRejectionEvent: "reason",
  ProgressEvent: "loaded total",
  StorageEvent: "key oldValue newValue url",
  MouseEvent: "button clientX clientY",
  WheelEvent: "deltaX deltaY",
  KeyboardEvent: "key ctrlKey? altKey? shiftKey? metaKey?",
  InputEvent: "inputType",
  SubmitEvent: "submitter",
  FocusEvent: "relatedTarget",
  FormDataEvent: "formData",
  PopStateEvent: "state",
  HashChangeEvent: "oldURL newURL",
  PageTransitionEvent: "persisted",
  NavigateEvent: "navigationType destination",
  NavigationDestination: "url",
  ToggleEvent: "oldState newState",
  TransitionEvent: "propertyName elapsedTime",
  AnimationEvent: "animationName elapsedTime",
  SecurityPolicyViolationEvent: "effectiveDirective blockedURI sourceFile lineNumber columnNumber disposition",
  IDBVersionChangeEvent: "oldVersion newVersion",
  RTCErrorEvent: "error",
  RTCPeerConnectionIceErrorEvent: "errorCode errorText url",
  SpeechSynthesisErrorEvent: "error",
  SpeechRecognitionErrorEvent: "error message",
  MediaQueryListEvent: "media matches",
  MediaQueryList: "media matches",
  BlobEvent: "data",
  MediaError: "code message",
  GeolocationPositionError: "code message",
  GeolocationPosition: "coords timestamp",
  GeolocationCoordinates: "latitude longitude accuracy",
  GPUError: "message",
  GPUDeviceLostInfo: "reason message",
  Response: "status statusText type url redirected? bodyUsed headers",
  Request: "method url mode headers",
  AbortSignal: "aborted reason",
  AbortController: "signal",
  ReadableStream: "locked",
  WritableStream: "locked",
  WebSocket: "url readyState bufferedAmount",
  EventSource: "url readyState",
  XMLHttpRequest: "readyState status statusText responseURL responseType timeout",
  DataTransfer: "types dropEffect",
  IDBRequest: "readyState error result",
  IDBDatabase: "name version",
  IDBTransaction: "mode error",
  DOMRectReadOnly: "x y width height",
  DOMPointReadOnly: "x y z w",
  DOMTokenList: "value",
  CSSStyleDeclaration: "cssText",
  CSSRule: "cssText",
  StyleSheet: "href disabled?",
  ValidityState:
    "valid valueMissing? typeMismatch? patternMismatch? tooLong? tooShort? rangeUnderflow? rangeOverflow? " +
    "stepMismatch? badInput? customError?",
  MutationRecord: "type target attributeName addedNodes removedNodes",
  IntersectionObserverEntry: "target isIntersecting intersectionRatio",
  ResizeObserverEntry: "target contentRect",
  PerformanceEntry: "name entryType startTime duration",
  PerformanceResourceTiming: "initiatorType responseStatus transferSize",
  MediaStream: "id active",
  MediaStreamTrack: "kind label readyState muted?",
  RTCPeerConnection: "connectionState iceConnectionState signalingState",
  RTCDataChannel: "label readyState",
  BaseAudioContext: "state",
  Notification: "title body",
  PermissionStatus: "name state",
  ServiceWorker: "scriptURL state",
  ServiceWorkerRegistration: "scope",
  Animation: "playState currentTime",
  ImageData: "width height",
  CryptoKey: "type extractable",
} as never;

const tableOf = keys(fields);
for (let i = 0; i < tableOf.length; i++) {
  const name = tableOf[i]!;
  const proto = prototypeOf(name);
  if (!proto) continue;
  const words = fields[name]!;
  const list: Field[] = [];
  for (let from = 0; from < words.length;) {
    const space = indexOf(words, " ", from);
    const end = space < 0 ? words.length : space;
    const only = words[end - 1] === "?";
    const member = slice(words, from, only ? end - 1 : end);
    const get = descriptor(proto, member)?.get as Fn | undefined;
    if (get) append(list, { name: member, get, only });
    from = end + 1;
  }
  const before = mapGet(named, name) as Known | undefined;
  const known: Known = before ?? nothing();
  known.fields = list;
  // A parent that has words proves its children; else the first accessor does.
  const proof = list.length > 0 ? list[0]!.get : undefined;
  if (proof && !before && !inherits(proto))
    known.describe = (value) => {
      apply(proof, value, []);
      return plain("[" + name + "]");
    };
  mapSet(named, name, known);
  mapSet(classes, proto, known);
}

function inherits(proto: object): boolean {
  for (let at = getPrototypeOf(proto); at !== null; at = getPrototypeOf(at))
    if ((mapGet(classes, at) as Known | undefined)?.describe) return true;
  return false;
}

const keyOf = getter<string | null>("StorageEvent", "key");

/** plainly hides what a value of the platform's may tell beside what it is told for. */
function plainly(owner: object, name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  // Typed letter by letter a password would be told.
  if (name === "key" && value.length === 1) return "a character";
  if (name === "oldValue" || name === "newValue") {
    const kind = secretName(keyOf(owner) ?? "");
    return kind === "" ? value : mask(kind, value, "");
  }
  return indexOf(value, "://") > 0 ? redactURL(value, "") : value;
}

const blobType = getter<string>("Blob", "type");
const blobSize = getter<number>("Blob", "size");
const responseURL = getter<string>("Response", "url");
const requestURL = getter<string>("Request", "url");
const tail = (text: string): string => (text === "" ? "" : " " + text);

const nodeTypeOf = getter<number>("Node", "nodeType");
const nodeNameOf = getter<string>("Node", "nodeName");
const nodeValueOf = getter<string | null>("Node", "nodeValue");
brand("Node", (value) => {
  const type = nodeTypeOf(value);
  if (type === 1) return plain(elementText(value));
  if (type === 3) return plain("#text " + (nodeValueOf(value) ?? ""));
  return plain(nodeNameOf(value));
});

if (typeof Window === "function")
  brand("Window", (value) => plain(value === globalThis ? "[Window]" : "[other Window]"));
