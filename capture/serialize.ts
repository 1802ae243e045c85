import {
  descriptor,
  getPrototypeOf,
  getter,
  hasOwn,
  isArray,
  keys,
  method,
  prefix,
  quote,
  slice,
  uncurry,
} from "./natives.ts";
import { brandOf, type Brand } from "./brand.ts";
import { className, functionName } from "./class-name.ts";
import { describeError } from "./error-shape.ts";
import { secretName } from "./names.ts";
import { mask } from "./redact.ts";
import { member } from "./write.ts";

/** Limits bound what one value may become. */
export interface Limits {
  /** levels of nesting */
  depth: number;
  /** members of one object, items of one list */
  width: number;
  /** objects and lists in all */
  nodes: number;
  /** characters of JSON in all, give or take one short value */
  chars: number;
}

/** consoleLimits bounds the arguments of one console call together. */
export const consoleLimits: Limits = { depth: 6, width: 100, nodes: 1000, chars: 10_000 };

/** Budget is what is left of the limits while one event is written. One budget serves several values. */
export interface Budget extends Limits {
  salt: string;
  /** something was left out */
  cut: boolean;
}

/** budgetOf starts a budget. */
export function budgetOf(limits: Limits, salt: string): Budget {
  return {
    depth: limits.depth,
    width: limits.width,
    nodes: limits.nodes,
    chars: limits.chars,
    salt,
    cut: false,
  };
}

/** The way from the root to where we are. A value on it is a cycle; one that is only repeated is not. */
interface Path {
  value: object;
  up: Path | undefined;
  depth: number;
}

const bigintText = uncurry(BigInt.prototype.toString as (base?: number) => string);
const symbolText = uncurry(Symbol.prototype.toString);

/**
 * serialize writes any value of the page as JSON text. No getter, toJSON or toString of the page runs; what JSON
 * cannot say becomes a string ("[undefined]", "NaN", "-0", "10n", "[getter]", "[circular]", "<div#app>"). A Proxy
 * cannot be told from its target, so its traps may run. Members with secret names are masked.
 */
export function serialize(value: unknown, budget: Budget): string {
  return put(value, budget, undefined);
}

function put(value: unknown, budget: Budget, path: Path | undefined): string {
  if (typeof value === "string") return string(value, budget);
  if (typeof value === "object" && value !== null) {
    try {
      return object(value, budget, path);
    } catch {
      // A proxy's trap threw, or it is another origin's window.
      return spend('"[unreadable]"', budget);
    }
  }
  return spend(value === null ? "null" : scalar(value), budget);
}

function spend(text: string, budget: Budget): string {
  budget.chars -= text.length;
  return text;
}

/** scalar writes what is neither text nor object. */
function scalar(value: unknown): string {
  switch (typeof value) {
    case "number":
      if (value === 0) return 1 / value < 0 ? '"-0"' : "0";
      return value - value === 0 ? "" + value : quote("" + value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return quote(bigintText(value) + "n");
    case "symbol":
      return quote(symbolText(value));
    case "function":
      return quote("[function " + (functionName(value) || "anonymous") + "]");
    default:
      return '"[undefined]"';
  }
}

function string(value: string, budget: Budget): string {
  const room = budget.chars > 0 ? budget.chars : 0;
  if (value.length <= room) return spend(quote(value), budget);
  budget.cut = true;
  budget.chars = 0;
  return quote(prefix(value, room) + "… [" + value.length + " chars]");
}

function object(value: object, budget: Budget, path: Path | undefined): string {
  for (let at = path; at; at = at.up) if (at.value === value) return '"[circular]"';
  const depth = (path?.depth ?? 0) + 1;
  const list = isArray(value);
  const proto = list ? null : getPrototypeOf(value);
  const brand = list || proto === plainProto || proto === null ? undefined : brandOf(value);
  if (brand && !brand.inside) return spend(quote(prefix(brand.text, 300)), budget);
  if (depth > budget.depth || --budget.nodes < 0 || budget.chars <= 0) {
    budget.cut = true;
    return list
      ? '"[array ' + listLength(value) + ']"'
      : quote(brand ? brand.text : "[" + (ownClass(proto) || "object") + "]");
  }
  const here: Path = { value, up: path, depth };
  if (list) return "[" + items(value, listLength(value), budget, here) + "]";
  if (brand) return branded(brand, value, budget, here);
  const framework = frameworkName(value);
  if (framework) return quote(framework);
  const name = ownClass(proto);
  return "{" + members(rawOf(value, proto), name === "" ? "" : '"[class]":' + quote(name), budget, here) + "}";
}

/** Plain objects have no class worth a word, those of another realm neither. */
function ownClass(proto: object | null): string {
  const name = proto === plainProto ? "" : className(proto);
  return name === "Object" ? "" : name;
}

const plainProto = Object.prototype;
const listLength = (list: object): number => Number(descriptor(list, "length")?.value) || 0;

function items(list: object, length: number, budget: Budget, path: Path): string {
  let text = "";
  const most = length < budget.width ? length : budget.width;
  let shown = 0;
  for (; shown < most && budget.chars > 0; shown++) {
    text += (shown === 0 ? "" : ",") + slot(descriptor(list, "" + shown), "", budget, path);
  }
  return text + rest(length, shown, budget, text);
}

function rest(length: number, shown: number, budget: Budget, text: string): string {
  if (length <= shown) return "";
  budget.cut = true;
  return (text === "" ? "" : ",") + quote("… " + (length - shown) + " more");
}

function slot(own: PropertyDescriptor | undefined, name: string, budget: Budget, path: Path): string {
  if (!own) return '"[empty]"';
  // Not own.get: a data descriptor inherits from Object.prototype, where the page may have put a "get".
  if (!hasOwn(own, "value")) return '"[getter]"';
  return hidden(name, own.value as unknown, budget, path);
}

/** hidden writes a value, masked where its name says that it is a secret. */
function hidden(name: string, value: unknown, budget: Budget, path: Path): string {
  if (name !== "" && (typeof value === "string" ? value !== "" : typeof value === "number")) {
    const kind = secretName(name);
    if (kind !== "") return quote(mask(kind, "" + (value as string | number), budget.salt));
  }
  return put(value, budget, path);
}

function members(value: object, first: string, budget: Budget, path: Path): string {
  const names = keys(value);
  const shown = names.length < budget.width ? names.length : budget.width;
  let text = first;
  let i = 0;
  for (; i < shown && budget.chars > 0; i++) {
    const name = names[i] as string;
    const key = member(prefix(name, 200));
    budget.chars -= key.length - 1;
    text += (text === "" ? key : "," + key) + slot(descriptor(value, name), name, budget, path);
  }
  if (i < names.length) {
    budget.cut = true;
    text += (text === "" ? "" : ",") + '"…":' + quote(names.length - i + " more");
  }
  return text;
}

/**
 * What a Proxy of Vue stands for. Walked by its traps, its keys would count as read by the effect that logs it, and the
 * effect would run again at each new key. Nothing else is asked that is not known to be without a getter of this name.
 */
function rawOf(value: object, proto: object | null): object {
  if (descriptor(value, "__v_raw") || (proto !== plainProto && proto !== null && descriptor(proto, "__v_raw")))
    return value;
  const raw = (value as { __v_raw?: unknown }).__v_raw;
  return typeof raw === "object" && raw !== null ? raw : value;
}

/** Component trees of development builds are endless and say nothing to a reader. */
function frameworkName(value: object): string {
  if (hasOwn(value, "$$typeof")) return "[React element]";
  if (hasOwn(value, "_reactInternals")) return "[React component]";
  if (hasOwn(value, "__v_skip")) return "[Vue internal]";
  return "";
}

const entriesOf = method<[], object>("Map", "entries");
const valuesOf = method<[], object>("Set", "values");
const nextOfMap = uncurry((getPrototypeOf(new Map().entries()) as { next(): IteratorResult<unknown> }).next);
const nextOfSet = uncurry((getPrototypeOf(new Set().values()) as { next(): IteratorResult<unknown> }).next);
const sizeOfMap = getter<number>("Map", "size");
const sizeOfSet = getter<number>("Set", "size");

function branded(brand: Brand, value: object, budget: Budget, path: Path): string {
  if (brand.inside === "error") return error(value, budget, path);
  if (brand.inside === "fields") return "{" + told(brand, value, budget, path) + "}";
  const isMap = brand.inside === "map";
  const size = isMap ? sizeOfMap(value) : sizeOfSet(value);
  const walk = isMap ? entriesOf(value) : valuesOf(value);
  const next = isMap ? nextOfMap : nextOfSet;
  let text = "";
  let shown = 0;
  for (; shown < size && shown < budget.width && budget.chars > 0; shown++) {
    const step = next(walk);
    if (step.done) break;
    // Entries are fresh arrays of the realm: indexes 0 and 1 are their own.
    text +=
      (shown === 0 ? "" : ",") + (isMap ? pair(step.value as unknown[], budget, path) : put(step.value, budget, path));
  }
  const more = rest(size, shown, budget, text);
  return (
    '{"[class]":"' +
    (isMap ? "Map" : "Set") +
    '","size":' +
    size +
    ',"' +
    (isMap ? "entries" : "values") +
    '":[' +
    text +
    more +
    "]}"
  );
}

/** told writes what a platform object says of itself. */
function told(brand: Brand, value: object, budget: Budget, path: Path): string {
  const fields = brand.fields!;
  let text = '"[class]":' + quote(className(getPrototypeOf(value)) || bracketed(brand.text));
  budget.chars -= text.length;
  let i = 0;
  for (; i < fields.length && budget.chars > 0; i++) {
    const { name, value: given } = fields[i]!;
    const key = member(prefix(name, 200));
    budget.chars -= key.length - 1;
    text += "," + key + hidden(name, given, budget, path);
  }
  if (i < fields.length) budget.cut = true;
  return text;
}

/** "[Response 200]" → "Response". */
function bracketed(text: string): string {
  let end = 1;
  while (end < text.length && text[end] !== " " && text[end] !== "]") end++;
  return slice(text, 1, end);
}

/** What an error carries beside its name and message is less than the rest of a call: whole requests hang on some. */
const errorLimits: Limits = { depth: 3, width: 20, nodes: 40, chars: 1500 };

/** error is one line, or where it has a cause, several errors, or members of its own, these with it. */
function error(value: object, budget: Budget, path: Path): string {
  const line = quote(prefix(describeError(value), 2000));
  const names = keys(value);
  const cause = ownData(value, "cause");
  const errors = ownData(value, "errors");
  if (names.length === 0 && cause === undefined && errors === undefined) return spend(line, budget);
  const mine: Budget = {
    depth: path.depth + errorLimits.depth,
    width: errorLimits.width,
    nodes: budget.nodes < errorLimits.nodes ? budget.nodes : errorLimits.nodes,
    chars: budget.chars < errorLimits.chars ? budget.chars : errorLimits.chars,
    salt: budget.salt,
    cut: budget.cut,
  };
  const before = mine.chars;
  const nodes = mine.nodes;
  let text = '"[error]":' + spend(line, mine);
  if (cause !== undefined) text += ',"cause":' + put(cause, mine, path);
  if (errors !== undefined) text += ',"errors":' + put(errors, mine, path);
  text = members(value, text, mine, path);
  budget.chars -= before - mine.chars;
  budget.nodes -= nodes - mine.nodes;
  budget.cut = mine.cut;
  return "{" + text + "}";
}

/** ownData is a data member that enumeration does not show; one that it shows is undefined here. */
function ownData(value: object, name: string): unknown {
  const own = descriptor(value, name);
  return own && hasOwn(own, "value") && !own.enumerable ? (own.value as unknown) : undefined;
}

function pair(entry: unknown[], budget: Budget, path: Path): string {
  const name = typeof entry[0] === "string" ? entry[0] : "";
  const own = descriptor(entry, "1");
  return "[" + put(entry[0], budget, path) + "," + slot(own, name, budget, path) + "]";
}
