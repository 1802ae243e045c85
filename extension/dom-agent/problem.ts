import type { Candidate, CommandError } from "@gasoline/schema/wire";

/** What a problem tells beside its sentence. */
interface More {
  candidates?: Candidate[];
  blocker?: string;
}

/** Why the agent could not do something, with what would help. */
export class AgentProblem extends Error {
  readonly #more: More | (() => More);

  /** more may be a function where it is dear: most problems pass before anybody is told of them. */
  constructor(
    readonly code: string,
    message: string,
    more: More | (() => More) = {},
  ) {
    super(message);
    this.#more = more;
  }

  /** Without what is dear. */
  brief(): CommandError {
    return { code: this.code, message: this.message, ...(typeof this.#more === "function" ? {} : this.#more) };
  }

  toWire(): CommandError {
    const more = typeof this.#more === "function" ? this.#more() : this.#more;
    return { code: this.code, message: this.message, ...more };
  }
}
