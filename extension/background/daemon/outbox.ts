import type { Group } from "@gasoline/schema/wire";
import { sharesOf } from "./shares.ts";

/** The lists of a group, by the name they have on the wire. */
export type EventKind =
  | "logs"
  | "exceptions"
  | "network"
  | "waterfall"
  | "websocket"
  | "actions"
  | "dom"
  | "lifecycle"
  | "performance"
  | "extension_logs"
  | "marks";

/** Where events come from: stamped by the worker, never by a page. */
export type Stamp = Pick<Group, "tab" | "frame" | "document" | "page_url" | "since">;

/** One event of a kind on its way up. */
export interface Outgoing {
  kind: EventKind;
  event: { seq: number };
}

/** What take gives: groups to send, how many characters of JSON they are, and the number of the oldest event in them. */
export interface Parcel {
  groups: Group[];
  size: number;
  oldest: number; // Infinity without events
}

interface Entry {
  number: number; // counts what was added; not the sender's seq
  stamp: Stamp;
  outgoing: Outgoing;
  size: number; // characters of its JSON
}

/** Characters of one event's JSON: the daemon cuts every field far below it, and a request takes several events. */
const MAX_EVENT = 1_000_000;

// An uncaught error or a failed request is worth more than the console line before it.
const KEEP_LONGEST: ReadonlySet<EventKind> = new Set(["exceptions", "network", "actions"]);

/**
 * Events that wait for the daemon, oldest first, bounded in count and in characters. What does not fit pushes out the
 * oldest events of lesser worth of who has more than its share; they are counted and the count is sent.
 */
export class Outbox {
  readonly #maxEvents: number;
  readonly #maxSize: number;
  #entries: Entry[] = []; // in the order of their numbers; length <= maxEvents, sum of size <= maxSize
  #newest = 0;
  #size = 0;
  #seen = new Set<string>(); // document and seq of what waits here
  #dropped = new Map<string, { stamp: Stamp; byKind: Record<string, number> }>();

  constructor(maxEvents = 10_000, maxSize = 4_000_000) {
    this.#maxEvents = maxEvents;
    this.#maxSize = maxSize;
  }

  /** Events that wait. */
  get length(): number {
    return this.#entries.length;
  }

  /** The number of the event that was added last, whether it still waits or not; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** The number of the oldest event that waits; Infinity when none does. */
  get oldest(): number {
    return this.#entries[0]?.number ?? Infinity;
  }

  /** Says whether there is anything to send, counts of lost events included. */
  get empty(): boolean {
    return this.#entries.length === 0 && this.#dropped.size === 0;
  }

  /**
   * Adds an event. One that waits here already (same document, kind and seq) is not added again; one that is larger than
   * MAX_EVENT is counted as lost.
   */
  add(stamp: Stamp, outgoing: Outgoing): void {
    this.#add(stamp, outgoing, ++this.#newest);
  }

  #add(stamp: Stamp, outgoing: Outgoing, number: number): void {
    const key = keyOf(stamp, outgoing);
    if (this.#seen.has(key)) return;
    const size = JSON.stringify(outgoing.event).length;
    if (size > MAX_EVENT) {
      this.#drop(stamp, outgoing.kind, 1);
      return;
    }
    this.#seen.add(key);
    this.#entries.push({ number, stamp, outgoing, size });
    this.#size += size;
    if (this.#entries.length > this.#maxEvents || this.#size > this.#maxSize) this.#makeRoom();
  }

  /** Counts events that were lost before they came here. */
  addDropped(stamp: Stamp, byKind: Record<string, number>): void {
    for (const [kind, n] of Object.entries(byKind)) this.#drop(stamp, kind, n);
  }

  /**
   * Removes the oldest events, at most maxSize characters of them (at least one), and gives them as groups, with the counts
   * of lost events as far as there is room. Groups count whole: their addresses can be longer than their events. A parcel
   * that could not be delivered is given back by putBack.
   */
  take(maxSize: number): Parcel {
    const groups = new Map<string, Group>();
    const oldest = this.oldest;
    let count = 0;
    let size = 0;
    for (const { stamp, outgoing, size: own } of this.#entries) {
      const more = own + (groups.has(placeOf(stamp)) ? 0 : sizeOf(stamp));
      if (count > 0 && size + more > maxSize) break;
      size += more;
      count++;
      push(groupOf(groups, stamp), outgoing);
    }
    for (const entry of this.#entries.splice(0, count)) {
      this.#size -= entry.size;
      this.#seen.delete(keyOf(entry.stamp, entry.outgoing));
    }
    for (const [place, { stamp, byKind }] of this.#dropped) {
      const more = JSON.stringify(byKind).length + (groups.has(place) ? 0 : sizeOf(stamp));
      if (groups.size > 0 && size + more > maxSize) break;
      size += more;
      groupOf(groups, stamp).dropped = byKind;
      this.#dropped.delete(place);
    }
    return { groups: [...groups.values()], size, oldest };
  }

  /** Puts the events of an undelivered parcel back to the front. All of them get the number of the parcel's oldest. */
  putBack(groups: readonly Group[], oldest: number): void {
    const later = this.#entries;
    this.#entries = [];
    this.#size = 0;
    this.#seen.clear();
    for (const group of groups) {
      const { stamp, events, dropped } = splitGroup(group);
      for (const outgoing of events) this.#add(stamp, outgoing, oldest);
      if (dropped) this.addDropped(stamp, dropped);
    }
    for (const { stamp, outgoing, number } of later) this.#add(stamp, outgoing, number);
  }

  /**
   * Makes room from what is over its document's share, oldest first, of lesser worth first. A tenth at once, so that a
   * flood does not scan for each of its events.
   */
  #makeRoom(): void {
    for (const spare of [(kind: EventKind) => !KEEP_LONGEST.has(kind), () => true]) {
      if (this.#entries.length > this.#maxEvents) this.#shrink(this.#maxEvents * 0.9, () => 1, spare);
      if (this.#size > this.#maxSize) this.#shrink(this.#maxSize * 0.9, (entry) => entry.size, spare);
      if (this.#entries.length <= this.#maxEvents && this.#size <= this.#maxSize) return;
    }
  }

  #shrink(most: number, weigh: (entry: Entry) => number, spare: (kind: EventKind) => boolean): void {
    const held = this.#entries.map((entry) => ({ stamp: entry.stamp, weight: weigh(entry) }));
    const holdings = sharesOf(held, most);
    this.#entries = this.#entries.filter((entry, i) => {
      const holding = holdings[i];
      if (!holding || holding.over <= 0 || !spare(entry.outgoing.kind)) return true;
      holding.over -= weigh(entry);
      this.#size -= entry.size;
      this.#seen.delete(keyOf(entry.stamp, entry.outgoing));
      this.#drop(entry.stamp, entry.outgoing.kind, 1);
      return false;
    });
  }

  #drop(stamp: Stamp, kind: string, n: number): void {
    let counts = this.#dropped.get(placeOf(stamp));
    if (!counts) {
      // Documents are bounded too: a page that makes frames in a loop must not grow this map.
      if (this.#dropped.size >= 200) counts = this.#anyOf(stamp.tab);
      if (!counts) this.#dropped.set(placeOf(stamp), (counts = { stamp, byKind: {} }));
    }
    counts.byKind[kind] = (counts.byKind[kind] ?? 0) + n;
  }

  /** Counts of the same tab, or of any. */
  #anyOf(tab: number): { stamp: Stamp; byKind: Record<string, number> } | undefined {
    const all = [...this.#dropped.values()];
    return all.find(({ stamp }) => stamp.tab === tab) ?? all[0];
  }
}

const sizeOf = (stamp: Stamp): number => JSON.stringify(stamp).length;

const keyOf = (stamp: Stamp, { kind, event }: Outgoing): string => `${stamp.document} ${kind} ${event.seq}`;

// A page that changed its URL without loading starts a new group: page_url holds per group. The
// worker's own events are of one document and many tabs.
const placeOf = (stamp: Stamp): string => `${stamp.document} ${stamp.tab} ${stamp.frame} ${stamp.page_url}`;

function groupOf(groups: Map<string, Group>, stamp: Stamp): Group {
  const key = placeOf(stamp);
  let group = groups.get(key);
  if (!group) groups.set(key, (group = { ...stamp }));
  return group;
}

function push(group: Group, { kind, event }: Outgoing): void {
  const lists = group as unknown as Record<EventKind, unknown[] | undefined>;
  (lists[kind] ??= []).push(event);
}

const KINDS: readonly EventKind[] = [
  "logs",
  "exceptions",
  "network",
  "waterfall",
  "websocket",
  "actions",
  "dom",
  "lifecycle",
  "performance",
  "extension_logs",
  "marks",
];

/** The events of a group in the order of their numbers. */
export function splitGroup(group: Group): { stamp: Stamp; events: Outgoing[]; dropped?: Record<string, number> } {
  const { tab, frame, document, page_url, since } = group;
  const events: Outgoing[] = [];
  for (const kind of KINDS) {
    for (const event of group[kind] ?? []) events.push({ kind, event });
  }
  events.sort((a, b) => a.event.seq - b.event.seq);
  return {
    stamp: { tab, frame, document, page_url, since },
    events,
    ...(group.dropped ? { dropped: group.dropped } : {}),
  };
}

/** Two halves of groups, by events, each with its place; undefined where there is only one event, or none. */
export function halves(groups: readonly Group[]): [Group[], Group[]] | undefined {
  const all = groups.flatMap((group) => {
    const { stamp, events } = splitGroup(group);
    return events.map((outgoing) => ({ stamp, outgoing }));
  });
  if (all.length < 2) return undefined;
  const regroup = (part: typeof all): Group[] => {
    const out = new Map<string, Group>();
    for (const { stamp, outgoing } of part) push(groupOf(out, stamp), outgoing);
    return [...out.values()];
  };
  const middle = Math.ceil(all.length / 2);
  return [regroup(all.slice(0, middle)), regroup(all.slice(middle))];
}

/** Says whether a name is that of a list of events. */
export function isEventKind(name: string): name is EventKind {
  return (KINDS as readonly string[]).includes(name);
}
