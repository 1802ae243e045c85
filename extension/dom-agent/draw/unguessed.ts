/** A name that nobody guesses. Sites without encryption have no crypto.randomUUID. */
export const unguessed = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("-");
