import type { DatabaseParams, StorageLookParams } from "@gasoline/schema/commands";
import type { LeftOut, RestoredState, TakenState } from "../messages/stored.ts";
import { base64Of, bytesOf, packed, unpacked } from "./bytes.ts";
import {
  type Room,
  type SavedDatabase,
  names,
  restore as restoreDatabases,
  take as takeDatabase,
  textOf,
} from "./databases.ts";
import { restore as typeAgain, take as takeForms } from "./forms.ts";
import { databases, rows, stored } from "./look.ts";
import { StoredProblem } from "./problem.ts";
import { type Entries, restore as restoreEntries, takenFrom } from "./storages.ts";
import { uncovered } from "./uncovered.ts";

/** Characters of JSON that one checkpoint has of an origin. */
const MAX_CHARACTERS = 32_000_000;

/** Bytes of one chunk. The daemon's StateChunk. */
const CHUNK = 2 << 20;

/** What was taken and not fetched is forgotten after so long, ms. */
const KEEP_MS = 60_000;

/** Names that an answer tells of one kind. */
const MAX_NAMES = 20;

/** What a document works with: when it has to end, and what changes the page as a part of an act. */
interface Work {
  /** Epoch ms. */
  deadline: number;
  signal: AbortSignal;
}

/** The section of a checkpoint that is of the page's origin. Parts that were not taken are missing. */
interface PageSection {
  local?: Entries;
  session?: Entries;
  databases?: SavedDatabase[];
  left_out_of_page: LeftOut[];
}

let taken: { token: string; bytes: Uint8Array } | undefined;
let forget: ReturnType<typeof setTimeout> | undefined;
let put: { token: string; chunks: BlobPart[] } | undefined;

const late = ({ deadline, signal }: Work): AbortSignal => {
  const end = AbortSignal.timeout(Math.max(0, deadline - Date.now()));
  const ended = new AbortController();
  end.addEventListener("abort", () =>
    ended.abort(new StoredProblem("timeout", "The site's databases did not answer in time.")),
  );
  return AbortSignal.any([signal, ended.signal]);
};

/** Takes what the origin has stored. Its first chunk is in the answer; chunk gives the others. */
async function take({ parts }: { parts: string[] }, work: Work): Promise<TakenState> {
  const leftOut: LeftOut[] = [];
  const fields: string[] = [];
  for (const which of ["local", "session"] as const)
    if (parts.includes(which)) fields.push(`"${which}":${JSON.stringify(takenFrom(which, leftOut))}`);
  const room: Room = { left: MAX_CHARACTERS - fields.join("").length };
  if (parts.includes("indexeddb")) fields.push(`"databases":[${(await takeAll(room, leftOut, late(work))).join(",")}]`);
  fields.push(`"left_out_of_page":${JSON.stringify(leftOut)}`);
  taken = { token: crypto.randomUUID?.() ?? String(Math.random()), bytes: await packed(`{${fields.join(",")}}`) };
  clearTimeout(forget);
  forget = setTimeout(() => (taken = undefined), KEEP_MS);
  return {
    token: taken.token,
    chunks: Math.ceil(taken.bytes.length / CHUNK),
    page_section: chunk({ token: taken.token, chunk: 0 }).page_section,
    origin: location.origin,
    url: location.href,
    title: document.title,
    not_covered: await uncovered(),
  };
}

async function takeAll(room: Room, leftOut: LeftOut[], signal: AbortSignal): Promise<string[]> {
  let list: { name: string }[] = [];
  try {
    list = await names();
  } catch (error) {
    leftOut.push({ what: "IndexedDB", why: (error as Error).message, count: 1 });
  }
  const texts: string[] = [];
  for (const { name } of list) texts.push(textOf(await takeDatabase(name, room, leftOut, signal)));
  return texts;
}

function chunk({ token, chunk: at }: { token: string; chunk: number }): { page_section: string } {
  if (taken?.token !== token) throw new StoredProblem("invalid_state", "What was taken is not there any more.");
  const bytes = taken.bytes.subarray(at * CHUNK, (at + 1) * CHUNK);
  if ((at + 1) * CHUNK >= taken.bytes.length) taken = undefined;
  return { page_section: base64Of(bytes) };
}

/** Takes a chunk that restore is to bring back. */
function add({ token, page_section }: { token: string; page_section: string }): Record<string, never> {
  if (put?.token !== token) put = { token, chunks: [] };
  put.chunks.push(bytesOf(page_section));
  return {};
}

/** Brings back the parts of what was added, and reads them again. */
async function restore({ token, parts }: { token: string; parts: string[] }, work: Work): Promise<RestoredState> {
  if (put?.token !== token) throw new StoredProblem("invalid_state", "The checkpoint did not arrive.");
  const { chunks } = put;
  put = undefined;
  const section = JSON.parse(await unpacked(chunks)) as PageSection;
  const told: RestoredState = { restored: [], differs: [], not_covered: await uncovered() };
  if (parts.includes("indexeddb") && section.databases) await restoreAll(section.databases, late(work), told);
  for (const which of ["local", "session"] as const) {
    const entries = section[which];
    if (!parts.includes(which) || !entries) continue;
    const differs = restoreEntries(which, entries);
    if (differs.length === 0) told.restored.push(`${which}Storage ${entries.length}`);
    tell(told, differs);
  }
  return told;
}

/** Databases come first: they are what may fail. */
async function restoreAll(saved: SavedDatabase[], signal: AbortSignal, told: RestoredState): Promise<void> {
  const failed = await restoreDatabases(saved, signal);
  const differs = [...failed].map(([name, why]) => `${why}: database ${name.slice(0, 100)}`);
  let records = 0;
  let whole = 0;
  for (const one of saved) {
    if (failed.has(one.name)) continue;
    const now = await takeDatabase(one.name, { left: Number.MAX_SAFE_INTEGER }, [], signal);
    const wrong = compared(one, JSON.parse(textOf(now)) as SavedDatabase);
    differs.push(...wrong);
    if (wrong.length > 0) continue;
    whole++;
    records += one.stores.reduce((sum, store) => sum + store.records.length, 0);
  }
  const extra = (await names()).filter(({ name }) => !failed.has(name) && !saved.some((one) => one.name === name));
  differs.push(...extra.map(({ name }) => `not there before: database ${name.slice(0, 100)}`));
  if (whole > 0 || saved.length === 0) told.restored.push(`databases ${whole} (records ${records})`);
  tell(told, differs);
}

/** What of a database is not as saved. */
function compared(saved: SavedDatabase, now: SavedDatabase): string[] {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const name = saved.name.slice(0, 100);
  const shape = ({ version, stores }: SavedDatabase): unknown => [
    version,
    stores.map((store) => ({ ...store, records: [] })),
  ];
  if (!same(shape(saved), shape(now))) return [`stores that are not as they were: database ${name}`];
  return saved.stores.flatMap((store, i) => {
    const rowsNow = new Map(now.stores[i]?.records.map((record) => [JSON.stringify(record[0]), record]));
    const wrong = store.records.filter((record) => !same(record, rowsNow.get(JSON.stringify(record[0]))));
    const extra = rowsNow.size - (store.records.length - wrong.length);
    const count = Math.max(wrong.length, extra);
    return count > 0 ? [`${count} records: database ${name}/${store.name.slice(0, 100)}`] : [];
  });
}

function tell(told: RestoredState, differs: string[]): void {
  told.differs.push(...differs.slice(0, MAX_NAMES));
  if (differs.length > MAX_NAMES) told.differs.push(`${differs.length - MAX_NAMES} more of this kind`);
}

const look = async (params: StorageLookParams, work: Work) => {
  const wants = (which: string): boolean => [undefined, "all", which].includes(params.storage_type || undefined);
  const named = params.key !== undefined && params.key !== "";
  return {
    url: location.href,
    ...(wants("local") ? { local_storage: stored("local", params) } : {}),
    ...(wants("session") ? { session_storage: stored("session", params) } : {}),
    ...(wants("indexeddb") && !named ? { indexeddb: await databases(late(work)) } : {}),
  };
};

const stores = {
  take,
  chunk,
  add,
  restore,
  takeForms,
  typeAgain,
  look,
  rows: (params: DatabaseParams, work: Work) => rows(params, late(work)),
};

/** What the agent of a document may ask of this script. */
export type Stores = typeof stores;

declare global {
  var gasolineStored: Stores | undefined;
}

globalThis.gasolineStored ??= stores;
