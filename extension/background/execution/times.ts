/** Actions of a tab that are remembered, and tabs. */
const MAX_KEPT = 8;
const MAX_TABS = 50;

/** The part of an event that names its cause. */
export interface Stampable {
  t?: number;
  action?: string;
  flags?: string[];
}

interface Time {
  id: string;
  /** Epoch ms. */
  began: number;
  /** Epoch ms; Infinity while it runs. */
  ended: number;
}

/**
 * When actions ran in which tab. What a document did in that time without a cause of its own is told as in the same time:
 * another frame's doing, or the next page's after a navigation.
 */
export class ActionTimes {
  readonly #tabs = new Map<number, Time[]>(); // <= MAX_TABS of <= MAX_KEPT each, newest first

  begin(tab: number, id: string): void {
    const times = this.#tabs.get(tab) ?? [];
    this.#tabs.delete(tab); // comes last again: the tab of which nothing was heard for longest goes first
    if (this.#tabs.size >= MAX_TABS) this.#tabs.delete(this.#tabs.keys().next().value ?? 0);
    times.unshift({ id, began: Date.now(), ended: Infinity });
    times.length = Math.min(times.length, MAX_KEPT);
    this.#tabs.set(tab, times);
  }

  end(tab: number, id: string): void {
    const time = this.#tabs.get(tab)?.find((at) => at.id === id);
    if (time) time.ended = Date.now();
  }

  /** The action that ran in a tab at a time (epoch ms). */
  at(tab: number, t: number): string | undefined {
    return this.#tabs.get(tab)?.find(({ began, ended }) => t >= began && t <= ended)?.id;
  }

  /** Names the action in an event that names none. */
  stamp(tab: number, event: Stampable): void {
    if (event.action !== undefined || typeof event.t !== "number") return;
    const id = this.at(tab, event.t);
    if (id === undefined) return;
    event.action = id;
    event.flags = [...(event.flags ?? []), "inferred"];
  }
}
