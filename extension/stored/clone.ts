import { base64Of, bytesOf } from "./bytes.ts";
import { StoredProblem } from "./problem.ts";

/**
 * A value of the structured clone algorithm as JSON. Texts, booleans, null and finite numbers but -0 stand for themselves;
 * all else is an array that begins with a word. Objects are numbered in the order in which they are met, so that one that
 * is met again, or within itself, is a reference.
 */
export type Node = string | number | boolean | null | [word: string, ...rest: unknown[]];

/** What cannot be written down; the message names its type. */
export class Unclonable extends Error {}

/** Levels of one value. Deeper ones are not written: what reads JSON has its limits. */
const MAX_DEPTH = 1000;

/** Types of numbers in a row, and the views that hold them. */
const GEOMETRY = {
  DOMPoint: ["x", "y", "z", "w"],
  DOMPointReadOnly: ["x", "y", "z", "w"],
  DOMRect: ["x", "y", "width", "height"],
  DOMRectReadOnly: ["x", "y", "width", "height"],
} as const;

const ERRORS: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

type View = new (buffer: ArrayBuffer, offset: number, length?: number) => ArrayBufferView;

const VIEWS: Readonly<Record<string, View>> = Object.fromEntries(
  (
    [
      Int8Array,
      Uint8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
      Float32Array,
      Float64Array,
      BigInt64Array,
      BigUint64Array,
      DataView,
      ...("Float16Array" in globalThis ? [(globalThis as unknown as { Float16Array: View }).Float16Array] : []),
    ] as View[]
  ).map((view) => [view.name, view]),
);

/** Writes values down. Blobs are read later: done resolves when all nodes are whole. */
export class Encoder {
  readonly #later: Promise<void>[] = [];
  /** Bytes of blobs that were met. */
  blobs = 0;

  /** Throws Unclonable. */
  node(value: unknown): Node {
    return this.#node(value, new Map(), 0);
  }

  async done(): Promise<void> {
    await Promise.all(this.#later.splice(0));
  }

  #node(value: unknown, seen: Map<object, number>, depth: number): Node {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        if (Object.is(value, -0)) return ["number", "-0"];
        return Number.isFinite(value) ? value : ["number", String(value)];
      case "undefined":
        return ["undefined"];
      case "bigint":
        return ["bigint", String(value)];
      case "object": {
        if (value === null) return null;
        const number = seen.get(value);
        if (number !== undefined) return ["again", number];
        if (depth > MAX_DEPTH) throw new Unclonable(`value of more than ${MAX_DEPTH} levels`);
        seen.set(value, seen.size);
        return this.#object(value, (inner) => this.#node(inner, seen, depth + 1));
      }
      default:
        throw new Unclonable(typeof value);
    }
  }

  #object(value: object, inner: (value: unknown) => Node): Node {
    if (Array.isArray(value)) return arrayNode(value, inner);
    const name = Object.getPrototypeOf(value)?.constructor?.name as string | undefined;
    if (Object.getPrototypeOf(value) === Object.prototype)
      return ["object", ...members(value, Object.keys(value), inner)];
    if (value instanceof Date) return ["date", Number.isNaN(value.getTime()) ? null : value.getTime()];
    if (value instanceof Map) return ["map", ...[...value].flatMap(([key, item]) => [inner(key), inner(item)])];
    if (value instanceof Set) return ["set", ...[...value].map(inner)];
    if (value instanceof RegExp) return ["regexp", value.source, value.flags];
    if (value instanceof ArrayBuffer) return bufferNode(value);
    if (ArrayBuffer.isView(value)) return viewNode(value, name ?? "", inner);
    if (value instanceof DOMException) return ["exception", value.name, value.message];
    if (value instanceof Error) return errorNode(value, inner);
    if (value instanceof Boolean) return ["Boolean", value.valueOf()];
    if (value instanceof Number) return ["Number", inner(value.valueOf())];
    if (value instanceof String) return ["String", value.valueOf()];
    if (value instanceof BigInt) return ["BigInt", String(value.valueOf())];
    if (value instanceof Blob) return this.#blob(value);
    if (value instanceof FileList) return ["files", ...[...value].map(inner)];
    if (value instanceof ImageData && value.data instanceof Uint8ClampedArray)
      return ["image", value.width, value.height, value.colorSpace, base64Of(new Uint8Array(value.data.buffer))];
    if (value instanceof DOMMatrixReadOnly) return ["matrix", name, value.is2D, [...value.toFloat64Array()].map(inner)];
    if (value instanceof DOMQuad) return ["quad", ...[value.p1, value.p2, value.p3, value.p4].map(inner)];
    const parts = GEOMETRY[name as keyof typeof GEOMETRY];
    if (parts) return ["geometry", name, ...parts.map((part) => inner((value as Record<string, unknown>)[part]))];
    throw new Unclonable(name ?? "object");
  }

  #blob(blob: Blob): Node {
    this.blobs += blob.size;
    const node: [string, ...unknown[]] =
      blob instanceof File ? ["file", blob.type, "", blob.name, blob.lastModified] : ["blob", blob.type, ""];
    this.#later.push(
      blob.arrayBuffer().then((buffer) => {
        node[2] = base64Of(new Uint8Array(buffer));
      }),
    );
    return node;
  }
}

/** Names and values by turns. */
const members = (of: object, names: string[], inner: (value: unknown) => Node): unknown[] =>
  names.flatMap((name) => [name, inner((of as Record<string, unknown>)[name])]);

function arrayNode(array: unknown[], inner: (value: unknown) => Node): Node {
  const names = Object.keys(array);
  // Indexes come first and in order: where there are as many as the length says, none is missing and nothing else is there.
  const dense =
    names.length === array.length && names.at(-1) === (array.length > 0 ? String(array.length - 1) : undefined);
  if (dense) return ["array", ...array.map(inner)];
  return ["sparse", array.length, ...members(array, names, inner)];
}

interface Resizable {
  resizable?: boolean;
  maxByteLength?: number;
  resize?(length: number): void;
}

function bufferNode(buffer: ArrayBuffer & Resizable): Node {
  const bytes = base64Of(new Uint8Array(buffer));
  return buffer.resizable ? ["buffer", bytes, buffer.maxByteLength] : ["buffer", bytes];
}

function viewNode(view: ArrayBufferView, name: string, inner: (value: unknown) => Node): Node {
  const buffer = view.buffer as ArrayBuffer & Resizable;
  const length = "length" in view ? (view.length as number) : view.byteLength;
  const { byteOffset } = view;
  return ["view", name, byteOffset, tracks(view, buffer) ? null : length, inner(buffer)];
}

/** Says whether a view grows with its buffer: asked by growing it, since it is ours. */
function tracks(view: ArrayBufferView, buffer: ArrayBuffer & Resizable): boolean {
  if (!buffer.resizable || buffer.byteLength + 8 > (buffer.maxByteLength ?? 0)) return false;
  const { byteLength } = view;
  const size = buffer.byteLength;
  buffer.resize?.(size + 8);
  const grew = view.byteLength !== byteLength;
  buffer.resize?.(size);
  return grew;
}

function errorNode(error: Error, inner: (value: unknown) => Node): Node {
  const own = (name: string): unknown => Object.getOwnPropertyDescriptor(error, name)?.value;
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  const node: Node = ["error", error.name, text(own("message")), text(error.stack)];
  if (Object.hasOwn(error, "cause")) node.push(inner(own("cause")));
  return node;
}

/** Makes the value that a node is of. Throws invalid_state for what no Encoder wrote. */
export function valueOf(node: Node): unknown {
  return new Decoder().value(node);
}

class Decoder {
  readonly #made: unknown[] = [];

  value(node: Node): unknown {
    if (!Array.isArray(node)) return node;
    const [word, ...rest] = node;
    switch (word) {
      case "undefined":
        return undefined;
      case "number":
        return Number(rest[0]);
      case "bigint":
        return BigInt(rest[0] as string);
      case "again":
        return this.#made[rest[0] as number];
    }
    const at = this.#made.push(undefined) - 1;
    const keep = <T>(made: T): T => {
      this.#made[at] = made;
      return made;
    };
    const inner = (of: unknown): unknown => this.value(of as Node);
    return this.#object(word, rest, keep, inner);
  }

  #object(word: string, rest: unknown[], keep: <T>(made: T) => T, inner: (of: unknown) => unknown): unknown {
    const [first, second, third] = rest as [never, never, never];
    switch (word) {
      case "object":
        return fill(keep({}), rest, inner);
      case "array": {
        const array: unknown[] = keep([]);
        for (const item of rest) array.push(inner(item));
        return array;
      }
      case "sparse": {
        const array: unknown[] = keep([]);
        array.length = first;
        return fill(array, rest.slice(1), inner);
      }
      case "date":
        return keep(new Date(first ?? NaN));
      case "map": {
        const map = keep(new Map());
        for (let i = 0; i < rest.length; i += 2) {
          const key = inner(rest[i]);
          map.set(key, inner(rest[i + 1]));
        }
        return map;
      }
      case "set": {
        const set = keep(new Set());
        for (const item of rest) set.add(inner(item));
        return set;
      }
      case "regexp":
        return keep(new RegExp(first, second));
      case "buffer":
        return keep(bufferFrom(bytesOf(first), second));
      case "view": {
        const View = VIEWS[first];
        if (!View) throw unknown(first);
        const buffer = inner(rest[3]) as ArrayBuffer;
        return keep(third === null ? new View(buffer, second) : new View(buffer, second, third));
      }
      case "exception":
        return keep(new DOMException(second, first));
      case "error":
        return this.#error(rest, keep, inner);
      case "Boolean":
      case "Number":
      case "String":
        return keep(Object(inner(first)));
      case "BigInt":
        return keep(Object(BigInt(first)));
      case "blob":
        return keep(new Blob([bytesOf(second)], { type: first }));
      case "file":
        return keep(new File([bytesOf(second)], third, { type: first, lastModified: rest[3] as number }));
      case "files": {
        const list = new DataTransfer();
        for (const item of rest) list.items.add(inner(item) as File);
        return keep(list.files);
      }
      case "image":
        return keep(
          new ImageData(new Uint8ClampedArray(bytesOf(rest[3] as string).buffer), first, second, { colorSpace: third }),
        );
      case "matrix": {
        const numbers = (third as unknown[]).map(inner) as number[];
        const [a, b, , , c, d, , , , , , , e, f] = numbers;
        const given = second ? [a, b, c, d, e, f] : numbers;
        return keep(
          first === "DOMMatrix" ? new DOMMatrix(given as number[]) : new DOMMatrixReadOnly(given as number[]),
        );
      }
      case "quad":
        return keep(new DOMQuad(...(rest.map(inner) as DOMPoint[])));
      case "geometry": {
        const Shape = (globalThis as unknown as Record<string, new (...numbers: number[]) => object>)[first];
        if (!Shape || !(first in GEOMETRY)) throw unknown(first);
        return keep(new Shape(...(rest.slice(1).map(inner) as number[])));
      }
      default:
        throw unknown(word);
    }
  }

  #error(rest: unknown[], keep: <T>(made: T) => T, inner: (of: unknown) => unknown): Error {
    const [name, message, stack] = rest as [string, string | null, string | null];
    const error = keep(new (ERRORS[name] ?? Error)(message ?? undefined));
    if (stack !== null) Object.defineProperty(error, "stack", { value: stack, configurable: true, writable: true });
    if (rest.length > 3)
      Object.defineProperty(error, "cause", { value: inner(rest[3]), configurable: true, writable: true });
    return error;
  }
}

const unknown = (word: string): StoredProblem =>
  new StoredProblem("invalid_state", `The checkpoint holds a ${String(word).slice(0, 50)}, which is not known here.`);

function bufferFrom(bytes: Uint8Array<ArrayBuffer>, most: number | undefined): ArrayBuffer {
  if (most === undefined) return bytes.buffer;
  const Made = ArrayBuffer as unknown as new (length: number, more: { maxByteLength: number }) => ArrayBuffer;
  const buffer = new Made(bytes.length, { maxByteLength: most });
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

/** Gives an object the names and values that stand by turns. Defined, not assigned: "__proto__" is a name like others. */
function fill<T extends object>(to: T, turns: unknown[], inner: (of: unknown) => unknown): T {
  for (let i = 0; i < turns.length; i += 2) {
    const value = inner(turns[i + 1]);
    Object.defineProperty(to, turns[i] as string, { value, configurable: true, enumerable: true, writable: true });
  }
  return to;
}
