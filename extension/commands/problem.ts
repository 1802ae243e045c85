import type { Candidate, CommandError } from "@gasoline/schema/wire";

/** Why a command failed, in the words of the wire. */
export class CommandProblem extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly more: { candidates?: Candidate[]; blocker?: string } = {},
  ) {
    super(message);
  }

  /** The form that goes to the daemon. */
  toWire(): CommandError {
    return { code: this.code, message: this.message, ...this.more };
  }
}

/** Makes a problem of the wire's form. */
export function problemFrom({ code, message, candidates, blocker }: CommandError): CommandProblem {
  return new CommandProblem(code, message, { ...(candidates ? { candidates } : {}), ...(blocker ? { blocker } : {}) });
}

export const pageLeft = (): CommandProblem =>
  new CommandProblem("page_left", "The page was left while the command ran.");

export const notGranted = (): CommandProblem =>
  new CommandProblem(
    "origin_not_allowed",
    "Gasoline was not granted this page's site. The user can grant it in the Gasoline popup.",
  );
