import type { CommandKind, Commands } from "@gasoline/schema/commands";
import type { Context } from "./context.ts";

/** Carries out one kind of command. Throws CommandProblem for what the agent can understand. */
export type Handler<K extends CommandKind> = (
  params: Commands[K]["params"],
  context: Context,
) => Promise<Commands[K]["result"]>;
