import type { Candidate, CommandError } from "@gasoline/schema/wire";

/** Why the agent could not do something, with what would help. */
export class AgentProblem extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly more: { candidates?: Candidate[]; blocker?: string } = {},
  ) {
    super(message);
  }

  toWire(): CommandError {
    return { code: this.code, message: this.message, ...this.more };
  }
}
