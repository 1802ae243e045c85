import { className } from "./class-name.ts";
import {
  descriptor,
  getPrototypeOf,
  getter,
  lower,
  mapGet,
  mapSet,
  method,
  NativeMap,
  prototypeOf,
  uncurry,
} from "./natives.ts";
import { redactURL } from "./redact.ts";

/** Brand says what a platform object is, in a few words, or that the serializer is to look inside. */
export interface Brand {
  text: string;
  inside?: "map" | "set" | "error";
}

type Describe = (value: object) => Brand;

const brands = new NativeMap<object, Describe>();

/**
 * brandOf recognises objects of the platform by their prototype chain, without Object.prototype.toString: that would
 * run a page's Symbol.toStringTag getter. Objects of another realm and impostors (Object.create(Map.prototype)) are
 * not recognised, since the native accessor refuses them. Undefined: an object of the page.
 */
export function brandOf(value: object): Brand | undefined {
  let proto = getPrototypeOf(value);
  for (let up = 0; proto !== null && up < 12; up++) {
    const describe = mapGet(brands, proto) as Describe | undefined;
    if (describe) {
      try {
        return describe(value);
      } catch {
        return undefined;
      }
    }
    proto = getPrototypeOf(proto);
  }
  return undefined;
}

function brand(name: string, describe: Describe): void {
  const proto = prototypeOf(name);
  if (proto) mapSet(brands, proto, describe);
}

const plain = (text: string): Brand => ({ text });

/** A getter or method that throws for anything but the real thing proves the brand. */
function proved(name: string, member: string, text: (proof: unknown, value: object) => string): void {
  const read = getter<unknown>(name, member);
  brand(name, (value) => plain(text(read(value), value)));
}

brand("Error", () => ({ text: "", inside: "error" }));
brand("DOMException", () => ({ text: "", inside: "error" }));

const mapSize = getter<number>("Map", "size");
const setSize = getter<number>("Set", "size");
brand("Map", (value) => ({ text: "[Map " + mapSize(value) + "]", inside: "map" }));
brand("Set", (value) => ({ text: "[Set " + setSize(value) + "]", inside: "set" }));

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
mapSet(brands, getPrototypeOf(Uint8Array.prototype), ((value: object) => {
  const length = typedLength(value);
  let head = "";
  for (let i = 0; i < length && i < 16; i++) head += (i === 0 ? ": " : ", ") + itemText((value as Uint8Array)[i]);
  return plain("[" + typedTag(value) + " " + length + head + (length > 16 ? ", …" : "") + "]");
}) satisfies Describe);
const itemText = (item: number | bigint | undefined): string => "" + item;

proved("ArrayBuffer", "byteLength", (size) => "[ArrayBuffer " + size + " bytes]");
proved("SharedArrayBuffer", "byteLength", (size) => "[SharedArrayBuffer " + size + " bytes]");
proved("DataView", "byteLength", (size) => "[DataView " + size + " bytes]");
proved("Blob", "size", (size, value) => "[Blob " + size + " bytes" + tail(blobType(value)) + "]");
proved("File", "name", (name, value) => "[File " + name + " " + blobSize(value) + " bytes]");
proved("Response", "status", (status, value) => "[Response " + status + tail(redactURL(responseURL(value), "")) + "]");
proved("Request", "method", (verb, value) => "[Request " + verb + tail(redactURL(requestURL(value), "")) + "]");
proved("Event", "type", (type, value) => "[" + (className(getPrototypeOf(value)) || "Event") + " " + type + "]");
for (const name of ["Headers", "FormData", "URLSearchParams", "AbortSignal", "ReadableStream"])
  brand(name, () => plain("[" + name + "]"));

const blobType = getter<string>("Blob", "type");
const blobSize = getter<number>("Blob", "size");
const responseURL = getter<string>("Response", "url");
const requestURL = getter<string>("Request", "url");
const tail = (text: string): string => (text === "" ? "" : " " + text);

const nodeTypeOf = getter<number>("Node", "nodeType");
const nodeNameOf = getter<string>("Node", "nodeName");
const nodeValueOf = getter<string | null>("Node", "nodeValue");
const attributeOf = method<[string], string | null>("Element", "getAttribute");

/** elementText is an element as one reads it: `<button#save.primary>`. */
export function elementText(element: object): string {
  const id = attributeOf(element, "id");
  const classes = attributeOf(element, "class");
  let dotted = "";
  if (classes) for (let i = 0; i < classes.length && i < 80; i++) dotted += classes[i] === " " ? "." : classes[i];
  return "<" + lower(nodeNameOf(element)) + (id ? "#" + id : "") + (dotted ? "." + dotted : "") + ">";
}

brand("Node", (value) => {
  const type = nodeTypeOf(value);
  if (type === 1) return plain(elementText(value));
  if (type === 3) return plain("#text " + (nodeValueOf(value) ?? ""));
  return plain(nodeNameOf(value));
});

if (typeof Window === "function")
  brand("Window", (value) => plain(value === globalThis ? "[Window]" : "[other Window]"));
