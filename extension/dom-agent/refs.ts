import { selectorsOf } from "@gasoline/capture/locators/role";
import { candidate } from "./describe.ts";
import type { Identity } from "../messages/agent.ts";
import { identityOf, is } from "./identity.ts";
import { type Place, isAt, namesakes, placeOf } from "./place.ts";
import { AgentProblem } from "./problem.ts";
import { Pass } from "./pass.ts";
import { everywhere } from "./shadow.ts";

interface Known extends Identity {
  element: WeakRef<Element>;
  place: Place;
}

const MAX_CANDIDATES = 8;

/** Places that are remembered. */
const MAX_PLACES = 10_000;

/**
 * The short names of elements that were shown to an agent. An element keeps its ref while its role and name, and what tells
 * it from others of that name, stay what they were; an element that became something else gets another.
 */
export class RefBook {
  readonly #byRef = new Map<string, Known>();
  readonly #byElement = new WeakMap<Element, string>();
  readonly #byPlace = new Map<string, string>(); // the last ref that was given for a role, name and place
  /** How often another element was taken for one that was gone. */
  heals = 0;
  #ranges: [number, number][] = [];
  #next = 0;

  /** Takes the numbers that this document may give. */
  allow(ranges: [number, number][]): void {
    for (const range of ranges) {
      if (!this.#ranges.some(([first]) => first === range[0])) this.#ranges.push(range);
    }
  }

  /** Numbers that are left. */
  get left(): number {
    return this.#ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - Math.max(first, this.#next) + 1), 0);
  }

  /** The ref of an element, made on first use. */
  refOf(element: Element, { role, name } = identityOf(element)): string {
    const ref = this.#byElement.get(element);
    const known = ref === undefined ? undefined : this.#byRef.get(ref);
    if (ref !== undefined && known?.role === role && known.name === name && isStill(element, known)) {
      // It is told again: what came to be called so meanwhile is told from it, too.
      if (known.place.alone) this.#place(ref, known, element);
      return ref;
    }
    const made = `e${this.#take()}`;
    this.#byElement.set(element, made);
    const place = placeOf(element);
    const now = { element: new WeakRef(element), role, name, place };
    this.#byRef.set(made, now);
    this.#noteTwin(made, now);
    return made;
  }

  #place(ref: string, known: Known, element: Element): void {
    const others = namesakes(element);
    if (others.length === 0) return;
    known.place = placeOf(element, others);
    this.#noteTwin(ref, known);
  }

  /** Two that nothing tells apart are twins, however far they are from each other. */
  #noteTwin(ref: string, { role, name, place }: Known): void {
    if (place.alone) return;
    const key = JSON.stringify([role, name, place.near]);
    const before = this.#byPlace.get(key);
    const other = before === undefined || before === ref ? undefined : this.#byRef.get(before);
    if (other?.element.deref()?.isConnected && isAt(other.element.deref() as Element, other.place)) {
      place.twin = true;
      other.place.twin = true;
    }
    if (this.#byPlace.size >= MAX_PLACES) this.#byPlace.clear();
    this.#byPlace.set(key, ref);
  }

  /** Whether an element is still what it was told as: a framework may have used it for another row meanwhile. */
  isStill(ref: string, element: Element): boolean {
    const known = this.#byRef.get(ref);
    return known !== undefined && is(element, known) && isStill(element, known);
  }

  /** Says whether a ref is one of this document's. */
  knows(ref: string): boolean {
    return this.#byRef.has(ref);
  }

  /**
   * The element of a ref. One that was replaced, or that became something else (a framework rendered it anew, or used
   * it for another row), is found again by its role, name and place, if there is exactly one. Throws stale_ref otherwise,
   * with what is there now.
   */
  elementOf(ref: string): Element {
    const known = this.#byRef.get(ref);
    if (!known) throw new AgentProblem("stale_ref", `${ref} is not known in this page.`);
    const element = known.element.deref();
    const there = element?.isConnected ? element : undefined;
    const same = there !== undefined && is(there, known);
    if (same && isStill(there, known)) return there;
    const again =
      known.name === "" || known.place.twin ? [] : called(known, (at) => at !== there && isAt(at, known.place));
    const [only] = again;
    if (!only || again.length > 1) throw this.#stale(ref, known, same ? undefined : there, same, again);
    this.heals++;
    this.#byRef.set(ref, { ...known, element: new WeakRef(only) });
    this.#byElement.set(only, ref);
    return only;
  }

  #stale(ref: string, known: Known, there: Element | undefined, same: boolean, again: Element[]): AgentProblem {
    const { near, alone } = known.place;
    const was = `${ref} was ${inQuotes(known)}${near === "" || alone ? "" : ` by "${near}"`}`;
    const told = (elements: Element[]) => elements.slice(0, MAX_CANDIDATES).map((at) => candidate(at, this));
    if (again.length > 1)
      return new AgentProblem(
        "stale_ref",
        `${was}; it was replaced, and now ${again.length > MAX_CANDIDATES ? `more than ${MAX_CANDIDATES}` : again.length} elements are called so.`,
        { candidates: told(again) },
      );
    if (there) {
      const now = identityOf(there);
      const message = `${was}; in its place is now ${inQuotes(now)}, ${this.refOf(there, now)}.`;
      return new AgentProblem("stale_ref", message, { candidates: [candidate(there, this)] });
    }
    const alike = near === "" || known.name === "" ? [] : called(known, () => true);
    const gone = same ? "; what is around it has changed" : ", and it is gone";
    return new AgentProblem(
      "stale_ref",
      `${was}${gone}${alike.length > 0 ? ": look again at what is called so now" : ""}.`,
      alike.length > 0 ? { candidates: told(alike) } : {},
    );
  }

  #take(): number {
    const range = this.#ranges.find(([first, last]) => this.#next >= first && this.#next <= last);
    const n = range ? this.#next : this.#ranges.find(([first]) => first > this.#next)?.[0];
    if (n === undefined) return this.#reuse();
    this.#next = n + 1;
    return n;
  }

  /** All numbers are given: those of elements that are gone are free again, else the oldest. */
  #reuse(): number {
    for (const [ref, { element }] of this.#byRef) {
      if (element.deref()?.isConnected) continue;
      this.#byRef.delete(ref);
      return Number(ref.slice(1));
    }
    const oldest = this.#byRef.keys().next().value ?? "e1";
    this.#byRef.delete(oldest);
    return Number(oldest.slice(1));
  }
}

/** Whether an element is where it was told to be. One that was alone may see everything around it change. */
const isStill = (element: Element, { place }: Known): boolean =>
  isAt(element, place) || (place.alone && namesakes(element).length === 0);

/** The elements that have a role and a name now, and fit. Two and eight are as good as ten: more are not looked for. */
function called(known: Identity, fits: (element: Element) => boolean): Element[] {
  const pass = new Pass();
  const letters = known.name.replace(/…$/, "").toLowerCase().replace(/\s/g, "");
  const found: Element[] = [];
  // The role of what has none is its tag. A password field is known as a text field, whose CSS fits every input.
  const alike = [...selectorsOf(known.role), CSS.escape(known.role)].join();
  for (const at of everywhere(alike, document)) {
    const text = known.role === at.localName || pass.names.mayHold(at, letters);
    if (text && is(at, known, pass) && fits(at)) found.push(at);
    if (found.length > MAX_CANDIDATES) break;
  }
  return found;
}

const inQuotes = ({ role, name }: Identity): string => `${role} "${name}"`;
