import type { LeftOut } from "../messages/stored.ts";
import { StoredProblem, said } from "./problem.ts";

/** Entries of a storage. */
export type Entries = [key: string, value: string][];

/** Throws not_available where the document may have none: a sandboxed frame, blocked site data. */
export function storageOf(which: "local" | "session"): Storage {
  try {
    return which === "local" ? window.localStorage : window.sessionStorage;
  } catch {
    throw new StoredProblem("not_available", `This document may not use ${which}Storage.`);
  }
}

/** The entries in the order of their keys. */
export function entriesOf(storage: Storage): Entries {
  const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
  return keys.sort().map((key) => [key, storage.getItem(key) ?? ""]);
}

/** Makes a storage what was saved. Gives what is not, by the names of keys. */
export function restore(which: "local" | "session", saved: Entries): string[] {
  const storage = storageOf(which);
  const wanted = new Map(saved);
  for (const [key] of entriesOf(storage)) if (!wanted.has(key)) storage.removeItem(key);
  const failed = new Map<string, string>();
  for (const [key, value] of saved) {
    try {
      if (storage.getItem(key) !== value) storage.setItem(key, value);
    } catch (error) {
      failed.set(key, said(error));
    }
  }
  const now = new Map(entriesOf(storage));
  const keys = new Set([...wanted.keys(), ...now.keys()]);
  return [...keys].flatMap((key) => {
    if (now.get(key) === wanted.get(key)) return [];
    const why = failed.get(key) ?? (wanted.has(key) ? "it did not stay as it was written" : "it cannot be removed");
    return [`${why}: ${which}Storage ${JSON.stringify(key.slice(0, 100))}`];
  });
}

/** The entries, unless the document may have none: that is told. */
export function takenFrom(which: "local" | "session", leftOut: LeftOut[]): Entries {
  try {
    return entriesOf(storageOf(which));
  } catch (error) {
    leftOut.push({ what: `${which}Storage`, why: said(error), count: 1 });
    return [];
  }
}
