/** What a component has set on its internals: by the name of the attribute without "aria-", or "role". */
export interface Internals {
  told: Readonly<Record<string, string>>;
  /** Of ariaLabelledByElements. */
  labels: readonly Element[];
}

/** Lender knows of elements what neither they nor their attributes tell. */
export interface Lender {
  /** Tags of components that may have internals. */
  tags(): readonly string[];
  internals(element: Element): Internals | undefined;
}

let given: Lender | undefined;

/** lend gives the locators of this world who knows what components set on their internals. */
export const lend = (lender: Lender): void => void (given = lender);

/** lender is who was given last. */
export const lender = (): Lender | undefined => given;
