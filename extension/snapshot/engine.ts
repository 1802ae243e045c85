import type { Element as ElementRecord, Viewport } from "@gasoline/schema/commands";
import type { OutlineParams, Outlined } from "../messages/outline.ts";

declare global {
  var gasolineSnapshot:
    | { outline: (params: OutlineParams, engine: Engine) => Promise<Omit<Outlined, "frame">> }
    | undefined;
}

/**
 * What the DOM agent gives the snapshot: its roles, names, refs and slices. The snapshot is a script of its own that is loaded
 * on first use, and has no second engine.
 */
export interface Engine {
  /** Says whether a slice of work is over; pause lets the page work then. late: the time is up. */
  readonly over: boolean;
  readonly late: boolean;
  pause(): Promise<void>;
  /** What the document is where it is not read as a page, in a sentence; else "". */
  readonly sort: string;
  roleOf(element: Element): string;
  /** What an element says by aria-…, by its attribute or its internals; null for nothing. */
  ariaOf(element: Element, name: string): string | null;
  /** Every host of a shadow root in the document, with its root. */
  shadows(): Promise<Map<Element, ShadowRoot>>;
  /** The accessible name, as it may be told; ≤ 200 characters. */
  nameOf(element: Element): string;
  /** Whether the name can hold letters: in lower case, without white space. */
  mayHold(element: Element, letters: string): boolean;
  /** A text of the page without the secrets that fields hold. */
  clean(text: string, element: Element): string;
  /** The beginning of an element's text on one line. */
  textOf(element: Element, max: number): string;
  refOf(element: Element): string;
  /** Says whether this document gave the ref. */
  knows(ref: string): boolean;
  /** Throws stale_ref. */
  elementOf(ref: string): Element;
  controlOf(element: Element): Pick<ElementRecord, "type" | "placeholder" | "checked" | "value">;
  isDisabled(element: Element): boolean;
  /** Says whether Gasoline put the element into the document. */
  isOwn(element: Element): boolean;
  /** What the page is read from; null where it has no elements. */
  root(): Element | null;
  /** Says whether an element shows the texts that stand directly in it. */
  showsText(element: Element): boolean;
  /** Says whether nobody sees the text in an element, though it is rendered. */
  isUnseen(element: Element): boolean;
  /** Says whether the element has a box and nothing hides it. */
  isVisible(element: Element): boolean;
  /** Says whether the pointer shows that the element can be clicked, and that of its parent does not. */
  beginsPointer(element: HTMLElement): boolean;
  /** Frame elements by place. */
  frames(): (Element | undefined)[];
  /** What lies over the page, declared or not. */
  layer(): Element | undefined;
  viewport(): Viewport;
  /** A problem with elements that might have been meant. */
  problem(code: string, message: string, candidates?: readonly Element[]): Error;
}
