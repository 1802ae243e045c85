import { type Place, isAt, namesakes, placeOf, textOf } from "./place.ts";
import { parentOf } from "./shadow.ts";

/** Rows on each side of an element's own that are looked at, and elements around it that may be its row. */
const MAX_BESIDE = 8;
const MAX_AROUND = 8;

/** An element that holds another, or the other itself, and what those beside it say. */
interface Level {
  at: Element;
  said: string;
  beside: { at: Element; said: string }[];
}

/**
 * What tells an element from those of other rows, before an act. A framework that goes by the index gives a row's elements
 * to the next row when one goes: the element is there still, and a press on it would be another row's.
 */
export class Row {
  readonly #element: Element;
  readonly #levels: Level[] = [];
  readonly #own: Place;
  readonly #others: { at: Element; place: Place }[];

  constructor(element: Element) {
    this.#element = element;
    const called = namesakes(element);
    this.#own = placeOf(element, called);
    this.#others = called.map((at) => ({ at, place: placeOf(at) }));
    let at: Element | null = element;
    for (let n = 0; at && at !== document.body && n < MAX_AROUND; n++) {
      const said = textOf(at);
      const beside = besides(at).map((row) => ({ at: row, said: textOf(row) }));
      if (said !== "") this.#levels.push({ at, said, beside });
      at = parentOf(at);
    }
  }

  /** Whether the element is now where another row's was, which is there no longer. */
  get isAnothers(): boolean {
    const element = this.#element;
    if (!this.#own.twin && !isAt(element, this.#own)) {
      const taken = this.#others.some(
        ({ at, place }) => !place.twin && isAt(element, place) && !(at.isConnected && isAt(at, place)),
      );
      if (taken) return true;
    }
    return this.#levels.some(({ at, said, beside }) => {
      const now = textOf(at);
      return now !== said && beside.some((row) => row.said === now && !(row.at.isConnected && textOf(row.at) === now));
    });
  }
}

function besides(at: Element): Element[] {
  const rows: Element[] = [];
  for (const way of ["previousElementSibling", "nextElementSibling"] as const) {
    let row = at[way];
    for (let n = 0; row && n < MAX_BESIDE; row = row[way], n++) if (row.localName === at.localName) rows.push(row);
  }
  return rows;
}
