const DEPTH = 10;
const KEYS = 50;
const ITEMS = 100;
const TEXT = 50_000;

/** What a script came to, as it leaves the page. */
export type Outcome = { ok: true; type: string; value: unknown } | { ok: false; code: string; message: string };

/** Says whether a value has the form that the wrapped script leaves with. */
export function isOutcome(value: unknown): value is Outcome {
  return typeof value === "object" && value !== null && typeof (value as Outcome).ok === "boolean";
}

/** Wraps a script that is one expression. A script that is none does not parse, and nothing of it runs. */
export const asExpression = (script: string): string => wrapped(`async () => (\n${trimmed(script)}\n)`);

/** Wraps a script of statements; what it returns is its value. */
export const asBody = (script: string): string => wrapped(`async () => {\n${script}\n}`);

const trimmed = (script: string): string => script.trim().replace(/;+$/, "");

// The functions below travel into the page as text and use nothing outside of themselves.
const wrapped = (body: string): string =>
  `(${run.toString()})(${body}, ${plain.toString()}, ${JSON.stringify({ depth: DEPTH, keys: KEYS, items: ITEMS, text: TEXT })})`;

interface Limits {
  depth: number;
  keys: number;
  items: number;
  text: number;
}

async function run(
  script: () => Promise<unknown>,
  write: (value: unknown, limits: Limits, depth: number, path: unknown[]) => unknown,
  limits: Limits,
): Promise<Outcome> {
  const say = (error: unknown): string => {
    if (error instanceof Error) return `${error.name}: ${error.message}`.slice(0, 2000);
    try {
      return String(error).slice(0, 2000);
    } catch {
      return "an object that cannot be shown";
    }
  };
  // What a script throws at once rejects its promise before anything that is queued after it runs.
  let code = "promise_rejected";
  try {
    let atOnce = true;
    const pending = script();
    pending.catch(() => (code = atOnce ? "execution_error" : code));
    // oxlint-disable-next-line typescript/await-thenable -- one turn, without the page's Promise
    await undefined;
    atOnce = false;
    const value = await pending;
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    return { ok: true, type, value: write(value, limits, 0, []) ?? null };
  } catch (error) {
    return { ok: false, code, message: say(error) };
  }
}

function plain(value: unknown, limits: Limits, depth: number, path: unknown[]): unknown {
  switch (typeof value) {
    case "string":
      return value.length > limits.text ? `${value.slice(0, limits.text)}… (${value.length} characters)` : value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "symbol":
      return String(value);
    case "function":
      return `[function ${value.name || "anonymous"}]`;
    case "undefined":
      return undefined;
    case "boolean":
      return value;
    case "object":
      break;
  }
  if (value === null) return null;
  const object = value as object;
  if (path.includes(object)) return "[circular]";
  try {
    if (typeof Node === "function" && object instanceof Node) {
      return object instanceof Element ? object.outerHTML.slice(0, 300) : `[${object.nodeName}]`;
    }
    if (object instanceof Date) return Number.isNaN(object.getTime()) ? "Invalid Date" : object.toISOString();
    if (object instanceof RegExp) return String(object);
    if (object instanceof Error)
      return { name: object.name, message: object.message, stack: String(object.stack).slice(0, 2000) };
    if (object instanceof Promise) return "[promise]";
    if (depth >= limits.depth) return Array.isArray(object) ? `[array of ${object.length}]` : "[object]";
    const inner = [...path, object];
    const go = (item: unknown): unknown => plain(item, limits, depth + 1, inner);
    if (object instanceof Map) {
      return {
        "[map]": [...object].slice(0, limits.items).map(([key, item]) => [go(key) ?? null, go(item) ?? null]),
        size: object.size,
      };
    }
    if (object instanceof Set)
      return { "[set]": [...object].slice(0, limits.items).map((item) => go(item) ?? null), size: object.size };
    const list = Array.isArray(object)
      ? (object as unknown[])
      : ArrayBuffer.isView(object) && "length" in object
        ? Array.from(object as unknown as ArrayLike<unknown>).slice(0, limits.items + 1)
        : typeof NodeList === "function" && (object instanceof NodeList || object instanceof HTMLCollection)
          ? Array.from(object as ArrayLike<unknown>)
          : undefined;
    if (list) {
      const items = list.slice(0, limits.items).map((item) => go(item) ?? null);
      const length = (object as { length?: number }).length ?? list.length;
      return length > limits.items ? [...items, `… ${length - limits.items} more`] : items;
    }
    const result: Record<string, unknown> = {};
    // Some DOM objects (DOMRect, PerformanceEntry) keep everything on their prototype and offer toJSON.
    const json = (object as { toJSON?: unknown }).toJSON;
    const own = Object.keys(object);
    if (own.length === 0 && typeof json === "function") return go((json as () => unknown).call(object));
    for (const key of own.slice(0, limits.keys)) {
      let member: unknown;
      try {
        member = (object as Record<string, unknown>)[key];
      } catch (error) {
        member = `[getter threw ${String(error)}]`;
      }
      const written = go(member);
      if (written !== undefined) result[key] = written;
    }
    if (own.length > limits.keys) result["…"] = `${own.length - limits.keys} more keys`;
    return result;
  } catch (error) {
    return `[cannot be read: ${String(error)}]`;
  }
}
