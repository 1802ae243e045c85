import { selectorsOf } from "@gasoline/capture/locators/role";
import { candidate } from "./describe.ts";
import type { Identity } from "../messages/agent.ts";
import { identityOf, is } from "./identity.ts";
import { AgentProblem } from "./problem.ts";
import { Pass } from "./pass.ts";
import { everywhere } from "./shadow.ts";

interface Known extends Identity {
  element: WeakRef<Element>;
}

const MAX_CANDIDATES = 8;

/**
 * The short names of elements that were shown to an agent. An element keeps its ref while its role and
 * name stay what they were; an element that became something else gets another.
 */
export class RefBook {
  readonly #byRef = new Map<string, Known>();
  readonly #byElement = new WeakMap<Element, string>();
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
    if (ref !== undefined && known?.role === role && known.name === name) return ref;
    const made = `e${this.#take()}`;
    this.#byElement.set(element, made);
    this.#byRef.set(made, { element: new WeakRef(element), role, name });
    return made;
  }

  /** Says whether a ref is one of this document's. */
  knows(ref: string): boolean {
    return this.#byRef.has(ref);
  }

  /**
   * The element of a ref. One that was replaced, or that became something else (a framework rendered it anew, or used
   * it for another row), is found again by its role and name, if there is exactly one. Throws stale_ref otherwise,
   * with what is there now.
   */
  elementOf(ref: string): Element {
    const known = this.#byRef.get(ref);
    if (!known) throw new AgentProblem("stale_ref", `${ref} is not known in this page.`);
    const element = known.element.deref();
    const there = element?.isConnected ? element : undefined;
    if (there && is(there, known)) return there;
    const again = known.name === "" ? [] : called(known);
    const [only] = again;
    if (!only || again.length > 1) throw this.#stale(ref, known, there, again);
    this.#byRef.set(ref, { ...known, element: new WeakRef(only) });
    this.#byElement.set(only, ref);
    return only;
  }

  #stale(ref: string, known: Known, there: Element | undefined, again: Element[]): AgentProblem {
    const was = `${ref} was ${inQuotes(known)}`;
    if (again.length > 1) {
      const candidates = again.slice(0, MAX_CANDIDATES).map((at) => candidate(at, this));
      return new AgentProblem(
        "stale_ref",
        `${was}; it was replaced, and now ${again.length > MAX_CANDIDATES ? `more than ${MAX_CANDIDATES}` : again.length} elements are called so.`,
        {
          candidates,
        },
      );
    }
    if (!there) return new AgentProblem("stale_ref", `${was}, and it is gone.`);
    const now = identityOf(there);
    const message = `${was}; in its place is now ${inQuotes(now)}, ${this.refOf(there, now)}.`;
    return new AgentProblem("stale_ref", message, { candidates: [candidate(there, this)] });
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

/** The elements that have a role and a name now. Two and eight are as good as ten: more are not looked for. */
function called(known: Identity): Element[] {
  const pass = new Pass();
  const letters = known.name.replace(/…$/, "").toLowerCase().replace(/\s/g, "");
  const found: Element[] = [];
  // The role of what has none is its tag. A password field is known as a text field, whose CSS fits every input.
  const alike = [...selectorsOf(known.role), CSS.escape(known.role)].join();
  for (const at of everywhere(alike, document)) {
    const text = known.role === at.localName || pass.names.mayHold(at, letters);
    if (text && is(at, known, pass)) found.push(at);
    if (found.length > MAX_CANDIDATES) break;
  }
  return found;
}

const inQuotes = ({ role, name }: Identity): string => `${role} "${name}"`;
