import type { LeftOut } from "../messages/stored.ts";
import { Encoder, type Node, Unclonable, valueOf } from "./clone.ts";
import { StoredProblem, said } from "./problem.ts";

/** A connection that another page or worker of the site keeps open is waited for so long, ms. */
const BLOCKED_MS = 1000;

/** Rows that are read at first, when nothing is known of their size, and the characters that later reads aim at. */
const FIRST_ROWS = 4;
const AIM = 1_000_000;

/** An object store beside its rows. */
export interface StoreShape {
  name: string;
  key_path: string | string[] | null;
  auto: boolean;
  /** The number that the next row gets; null: there is none, or none is left. */
  next: number | null;
  indexes: { name: string; key_path: string | string[]; unique: boolean; multi: boolean }[];
}

/** A database as it was taken: rows are [key, value] as text of JSON. */
export interface TakenDatabase {
  name: string;
  version: number;
  stores: (StoreShape & { rows: string[] })[];
}

/** A database as a checkpoint has it. */
export interface SavedDatabase {
  name: string;
  version: number;
  stores: (StoreShape & { records: [key: Node, value: Node][] })[];
}

/** Characters that may still be taken. */
export interface Room {
  left: number;
}

export const textOf = ({ name, version, stores }: TakenDatabase): string =>
  `{"name":${JSON.stringify(name)},"version":${version},"stores":[${stores
    .map(({ rows, ...shape }) => `${JSON.stringify(shape).slice(0, -1)},"records":[${rows.join(",")}]}`)
    .join(",")}]}`;

/** The databases of the origin, in the order of their names. Throws not_available where the document may have none. */
export async function names(): Promise<{ name: string; version: number }[]> {
  try {
    const list = await indexedDB.databases();
    return list
      .map(({ name = "", version = 0 }) => ({ name, version }))
      .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  } catch {
    throw new StoredProblem("not_available", "This document may not use IndexedDB.");
  }
}

/** Takes a database. What cannot be written down goes into leftOut. Throws too_large when the room is used up. */
export async function take(name: string, room: Room, leftOut: LeftOut[], signal: AbortSignal): Promise<TakenDatabase> {
  const db = await open(name, signal);
  try {
    const stores = [...db.objectStoreNames];
    const taken: TakenDatabase = { name, version: db.version, stores: [] };
    if (stores.length === 0) return taken;
    const shapes = stores.map((store) => shapeOf(db.transaction(stores, "readonly").objectStore(store)));
    // The next number of a store can only be had by using it, which is undone by the end of the transaction.
    const counts = shapes.some(({ auto }) => auto);
    const transaction = db.transaction(stores, counts ? "readwrite" : "readonly");
    const stop = (): void => transaction.abort();
    signal.addEventListener("abort", stop, { once: true });
    const encoder = new Encoder();
    const pending: { rows: string[]; at: number; row: [Node, Node] }[] = [];
    try {
      for (const shape of shapes) {
        const rows: string[] = [];
        const store = transaction.objectStore(shape.name);
        for await (const [key, value] of rowsOf(store, room)) {
          const blobs = encoder.blobs;
          let row: [Node, Node];
          try {
            row = [encoder.node(key), encoder.node(value)];
          } catch (error) {
            if (!(error instanceof Unclonable || error instanceof RangeError)) throw error;
            const type = error instanceof Unclonable ? error.message : "value of too many levels";
            tell(leftOut, `row of ${name}/${shape.name}`, `a ${type} cannot be kept`);
            continue;
          }
          const text = JSON.stringify(row);
          if (encoder.blobs > blobs) pending.push({ rows, at: rows.length, row });
          rows.push(text);
          room.left -= text.length + Math.ceil(((encoder.blobs - blobs) * 4) / 3);
          if (room.left < 0)
            throw new StoredProblem(
              "too_large",
              `The databases have more than can be kept; ${name}/${shape.name} was read when the room was used up.`,
            );
        }
        taken.stores.push({ ...shape, next: shape.auto ? await nextOf(store) : null, rows });
      }
    } finally {
      signal.removeEventListener("abort", stop);
      if (counts) abort(transaction);
    }
    await encoder.done();
    for (const { rows, at, row } of pending) rows[at] = JSON.stringify(row);
    return taken;
  } finally {
    db.close();
  }
}

function tell(leftOut: LeftOut[], what: string, why: string): void {
  const before = leftOut.find((one) => one.what === what && one.why === why);
  if (before) before.count++;
  else leftOut.push({ what, why, count: 1 });
}

/**
 * The rows of a store, never all at once: a few at a time, or so many that they use up about AIM of the room that is
 * told after each.
 */
export async function* rowsOf(store: IDBObjectStore, room?: Readonly<Room>): AsyncGenerator<[IDBValidKey, unknown]> {
  let range: IDBKeyRange | undefined;
  for (let count = FIRST_ROWS; ;) {
    const [keys, values] = await Promise.all([done(store.getAllKeys(range, count)), done(store.getAll(range, count))]);
    const before = room?.left ?? 0;
    for (const [i, key] of keys.entries()) yield [key, values[i]];
    if (keys.length < count) return;
    if (room) count = Math.max(1, Math.min(2000, Math.floor((AIM * keys.length) / Math.max(1, before - room.left))));
    range = IDBKeyRange.lowerBound(keys.at(-1), true);
  }
}

const shapeOf = (store: IDBObjectStore): StoreShape => ({
  name: store.name,
  key_path: store.keyPath,
  auto: store.autoIncrement,
  next: null,
  indexes: [...store.indexNames].map((name) => {
    const { keyPath, unique, multiEntry } = store.index(name);
    return { name, key_path: keyPath, unique, multi: multiEntry };
  }),
});

/** The number that the next row would get. The transaction has to be undone. */
async function nextOf(store: IDBObjectStore): Promise<number | null> {
  try {
    return Number(await done(store.add({})));
  } catch {
    return null; // all are used up
  }
}

/** Makes the databases of the origin those that were saved. Gives the names of those that are not, with the reason. */
export async function restore(saved: SavedDatabase[], signal: AbortSignal): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  const now = new Map((await names()).map(({ name, version }) => [name, version]));
  for (const name of now.keys())
    if (!saved.some((one) => one.name === name))
      await remove(name, signal).catch((error: unknown) =>
        failed.set(name, `not there before, and stays (${said(error)})`),
      );
  for (const one of saved)
    await put(one, now.get(one.name), signal).catch((error: unknown) => failed.set(one.name, said(error)));
  return failed;
}

/** Says whether a database has the stores and indexes of a saved one, and numbers that can be raised to the saved ones. */
async function fits(db: IDBDatabase, saved: SavedDatabase): Promise<boolean> {
  const stores = [...db.objectStoreNames];
  const form = (shapes: StoreShape[]): string =>
    JSON.stringify(
      shapes
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, key_path, auto, indexes }) => [name, key_path, auto, indexes]),
    );
  if (db.version !== saved.version || stores.length !== saved.stores.length) return false;
  if (stores.length === 0) return true;
  const transaction = db.transaction(stores, "readwrite");
  try {
    if (form(stores.map((name) => shapeOf(transaction.objectStore(name)))) !== form(saved.stores)) return false;
    for (const { name, auto, next } of saved.stores) {
      const has = auto ? await nextOf(transaction.objectStore(name)) : null;
      if (auto && (has ?? Infinity) > (next ?? Infinity)) return false;
    }
    return true;
  } finally {
    abort(transaction);
  }
}

/**
 * Brings one database back. Where its stores are as they were, in one transaction: the rows are all as saved, or as before.
 * Otherwise it is made anew, which needs that nobody else has it open.
 */
async function put(saved: SavedDatabase, version: number | undefined, signal: AbortSignal): Promise<void> {
  if (version !== undefined) {
    const db = await open(saved.name, signal);
    try {
      if (await fits(db, saved)) {
        if (saved.stores.length === 0) return;
        const transaction = db.transaction(
          saved.stores.map(({ name }) => name),
          "readwrite",
        );
        for (const store of saved.stores) transaction.objectStore(store.name).clear();
        await fillAll(transaction, saved);
        return;
      }
    } finally {
      db.close();
    }
    await remove(saved.name, signal);
  }
  const db = await open(saved.name, signal, saved.version, (made, transaction) => {
    for (const { name, key_path, auto, indexes } of saved.stores) {
      const store = made.createObjectStore(name, { keyPath: key_path, autoIncrement: auto });
      for (const index of indexes)
        store.createIndex(index.name, index.key_path, { unique: index.unique, multiEntry: index.multi });
    }
    fillIn(transaction, saved);
  });
  db.close();
}

async function fillAll(transaction: IDBTransaction, saved: SavedDatabase): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException("", "AbortError"));
  });
  try {
    fillIn(transaction, saved);
  } catch (error) {
    abort(transaction);
    await ended.catch(() => undefined);
    throw error;
  }
  await ended;
}

/** Writes the rows, and has each store count from where it did. Whatever fails ends the transaction. */
function fillIn(transaction: IDBTransaction, saved: SavedDatabase): void {
  for (const { name, key_path, auto, next, records } of saved.stores) {
    const store = transaction.objectStore(name);
    for (const [key, value] of records) {
      if (key_path === null) store.put(valueOf(value), valueOf(key) as IDBValidKey);
      else store.put(valueOf(value));
    }
    // A row whose key is the number before has the store go on behind it. It was not there: it goes again.
    const last = next === null ? 2 ** 53 : next - 1;
    if (!auto || last < 1 || records.some(([key]) => key === last)) continue;
    if (key_path === null) store.put(0, last);
    else store.put(withKey(String(key_path), last));
    store.delete(last);
  }
}

/** An object with a number at a path of names. */
function withKey(path: string, key: number): object {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length === 0 ? key : withKey(rest.join("."), key) };
}

/**
 * Deletes a database. Nothing takes back a deletion that waits for others: so it is begun only when a change of version,
 * which can be taken back, was let through at once.
 */
async function remove(name: string, signal: AbortSignal): Promise<void> {
  const { version } = (await names()).find((one) => one.name === name) ?? { version: 0 };
  if (version === 0) return;
  await open(name, signal, version + 1, (_made, transaction) => transaction.abort()).catch((error: unknown) => {
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  });
  await done(indexedDB.deleteDatabase(name));
}

/**
 * Opens a database that is there, at its version, or at another one where upgrade makes it. It closes by itself when the
 * page wants another version.
 */
export function open(
  name: string,
  signal: AbortSignal,
  version?: number,
  upgrade?: (made: IDBDatabase, transaction: IDBTransaction) => void,
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = version === undefined ? indexedDB.open(name) : indexedDB.open(name, version);
    let over = false; // nobody waits any more
    const give = (reason: unknown): void => {
      over = true;
      reject(reason as Error);
    };
    let late: ReturnType<typeof setTimeout> | undefined;
    signal.addEventListener("abort", () => give(signal.reason), { once: true });
    request.onblocked = () => {
      late = setTimeout(
        () => give(new StoredProblem("blocked", "held open by another page or worker of the site")),
        BLOCKED_MS,
      );
    };
    request.onupgradeneeded = () => {
      clearTimeout(late);
      const { transaction } = request;
      if (!transaction) return;
      // The transaction knows why it failed; the request only that it did.
      transaction.onabort = () => {
        if (transaction.error) give(transaction.error);
      };
      // Without upgrade it is one that was deleted meanwhile.
      if (over || !upgrade) return transaction.abort();
      try {
        upgrade(request.result, transaction);
      } catch (error) {
        give(error);
        abort(transaction);
      }
    };
    request.onerror = (event) => {
      event.preventDefault();
      clearTimeout(late);
      give(request.error);
    };
    request.onsuccess = () => {
      clearTimeout(late);
      const db = request.result;
      db.onversionchange = () => db.close();
      if (over) db.close();
      else resolve(db);
    };
  });
}

/** A transaction that has ended cannot be undone, and need not be. */
function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended.
  }
}

/** What a request gives. A request that fails does not end its transaction. */
export const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      event.preventDefault();
      event.stopPropagation();
      reject(request.error as Error);
    };
  });
