/** Why something could not be done, with the word for it. The agent makes its own problem of it. */
export class StoredProblem extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What a browser says when it refuses, in its own words or by the name of its error. */
export const said = (error: unknown): string =>
  error instanceof DOMException ? error.name : error instanceof Error ? error.message : String(error);
