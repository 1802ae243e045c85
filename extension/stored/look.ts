import type {
  DatabaseParams,
  DatabaseResult,
  DatabaseList,
  Stored,
  StorageLookParams,
  StoredEntry,
} from "@gasoline/schema/commands";
import { done, names, open, rowsOf } from "./databases.ts";
import { StoredProblem, said } from "./problem.ts";
import { entriesOf, storageOf } from "./storages.ts";

/** Keys that a summary shows. */
const SAMPLE = 5;

/** Characters of a value that a list shows, of one that is named, and of all of a list. A longer value is not cut: a part of a secret is not known for one. */
const MAX_VALUE = 20_000;
const MAX_NAMED = 1_000_000;
const MAX_LIST = 1_000_000;

const MAX_DATABASES = 50;
const MAX_STORES = 100;

/** Bounds of a value that is shown: levels, members of one object, characters of a text and of all of a row. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 50;
const MAX_TEXT = 4000;
const MAX_ROW = 20_000;

/** What a storage has. */
export function stored(which: "local" | "session", { key, summary = true, limit = 50 }: StorageLookParams): Stored {
  let storage: Storage;
  try {
    storage = storageOf(which);
  } catch (error) {
    return { unavailable: said(error), key_count: 0, total_bytes: 0 };
  }
  const entries = entriesOf(storage);
  const total = entries.reduce((sum, [name, value]) => sum + 2 * (name.length + value.length), 0);
  const result: Stored = { key_count: entries.length, total_bytes: total };
  if (key !== undefined && key !== "") {
    result.entries = entries.filter(([name]) => name === key).map(([name, value]) => entry(name, value, MAX_NAMED));
  } else if (summary) result.sample_keys = entries.slice(0, SAMPLE).map(([name]) => name.slice(0, 200));
  else {
    let room = MAX_LIST;
    result.entries = entries.slice(0, limit || 50).map(([name, value]) => {
      const shown = entry(name, value, Math.min(MAX_VALUE, room));
      room -= shown.value.length;
      return shown;
    });
  }
  return result;
}

const entry = (key: string, value: string, most: number): StoredEntry => ({
  key: key.slice(0, 10_000),
  value: value.length > most ? "" : value,
  size: value.length,
  ...(value.length > most ? { unshown: true } : {}),
});

/** The databases of the origin with their stores. */
export async function databases(signal: AbortSignal): Promise<DatabaseList> {
  let list: { name: string; version: number }[];
  try {
    list = await names();
  } catch (error) {
    return { supported: false, unavailable: said(error) };
  }
  const infos = await Promise.all(
    list.slice(0, MAX_DATABASES).map(async ({ name, version }) => {
      const info = { name: name.slice(0, 200), version };
      try {
        const db = await open(name, signal);
        const stores = [...db.objectStoreNames].slice(0, MAX_STORES).map((store) => store.slice(0, 200));
        db.close();
        return { ...info, object_stores: stores };
      } catch (error) {
        return { ...info, object_stores: [], unavailable: said(error) };
      }
    }),
  );
  const more = list.length - infos.length;
  return { supported: true, databases: infos, ...(more > 0 ? { more } : {}) };
}

/** The first rows of an object store. Throws no_database with what is there. */
export async function rows(params: DatabaseParams, signal: AbortSignal): Promise<DatabaseResult> {
  const list = await names();
  const there = list.find(({ name }) => name === params.database);
  const inWords = (all: string[]): string => (all.length > 0 ? all.slice(0, 20).join(", ").slice(0, 1000) : "none");
  if (!there)
    throw new StoredProblem(
      "no_database",
      `No database is called "${params.database.slice(0, 100)}". There are: ${inWords(list.map(({ name }) => name))}.`,
    );
  const db = await open(params.database, signal);
  try {
    const stores = [...db.objectStoreNames];
    if (!stores.includes(params.store))
      throw new StoredProblem(
        "no_database",
        `${params.database.slice(0, 100)} has no object store "${params.store.slice(0, 100)}". There are: ${inWords(stores)}.`,
      );
    const store = db.transaction(params.store, "readonly").objectStore(params.store);
    const limit = params.limit || 20;
    const count = await done(store.count());
    const entries: DatabaseResult["entries"] = [];
    let room = MAX_LIST;
    for await (const [key, value] of rowsOf(store)) {
      if (entries.length >= limit) break;
      const shown = { key: JSON.stringify(shownOf(key)), value: JSON.stringify(shownOf(value)) };
      if (shown.value.length > MAX_ROW) shown.value = `"<row of ${shown.value.length} characters>"`;
      room -= shown.key.length + shown.value.length;
      if (room < 0) break;
      entries.push(shown);
    }
    const { keyPath } = store;
    return {
      url: location.href,
      database: params.database,
      version: db.version,
      store: params.store,
      ...(keyPath === null ? {} : { key_path: typeof keyPath === "string" ? keyPath : keyPath.join(", ") }),
      ...(store.indexNames.length > 0 ? { indexes: [...store.indexNames].slice(0, MAX_STORES) } : {}),
      entries,
      count,
      limit,
      object_stores: stores.slice(0, MAX_STORES),
    };
  } finally {
    db.close();
  }
}

/** A value as JSON for readers. */
export function shownOf(value: unknown, depth = 0, around: readonly object[] = []): unknown {
  switch (typeof value) {
    case "string":
      return value.length > MAX_TEXT ? `<text of ${value.length} characters>` : value;
    case "bigint":
      return { $bigint: String(value) };
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? "-0" : String(value) };
    case "object":
      break;
    default:
      return typeof value === "boolean" ? value : `<${typeof value}>`;
  }
  if (value === null) return null;
  if (around.includes(value)) return "<cycle>";
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? "invalid" : value.toISOString() };
  if (value instanceof RegExp) return { $regexp: String(value) };
  if (value instanceof Error) return { $error: `${value.name}: ${value.message}`.slice(0, MAX_TEXT) };
  if (value instanceof Blob)
    return { $blob: value.type, bytes: value.size, ...(value instanceof File ? { name: value.name } : {}) };
  const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return { $binary: name, bytes: value.byteLength };
  if (depth >= MAX_DEPTH) return `<${name ?? "object"}>`;
  const inner = (of: unknown): unknown => shownOf(of, depth + 1, [...around, value]);
  const some = (items: unknown[]): unknown[] => [
    // Array.from: what a sparse array lacks is undefined.
    ...Array.from(items.slice(0, MAX_MEMBERS), inner),
    ...(items.length > MAX_MEMBERS ? [`<${items.length - MAX_MEMBERS} more>`] : []),
  ];
  if (Array.isArray(value)) return some(value);
  if (value instanceof Map) return { $map: some([...value]) };
  if (value instanceof Set) return { $set: some([...value]) };
  if (Object.getPrototypeOf(value) !== Object.prototype) return `<${name ?? "object"}>`;
  const keys = Object.keys(value);
  const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of keys.slice(0, MAX_MEMBERS)) shown[key] = inner((value as Record<string, unknown>)[key]);
  if (keys.length > MAX_MEMBERS) shown["$more"] = keys.length - MAX_MEMBERS;
  return shown;
}
