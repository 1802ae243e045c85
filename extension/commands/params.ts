import type { CommandKind, Commands } from "@gasoline/schema/commands";
import * as v from "valibot";
import { SCHEMAS } from "./params.gen.ts";
import { CommandProblem } from "./problem.ts";

/** Says whether a word from the daemon is a kind of command. */
export function isCommandKind(kind: string): kind is CommandKind {
  return Object.hasOwn(SCHEMAS, kind);
}

/**
 * Checks and types the params of a command: an agent wrote them, and handlers rely on them. Throws invalid_param with the
 * member that is wrong.
 */
export function parseParams<K extends CommandKind>(kind: K, params: unknown): Commands[K]["params"] {
  const parsed = v.safeParse(SCHEMAS[kind] as v.GenericSchema, params ?? {});
  if (parsed.success) return parsed.output as Commands[K]["params"];
  const [issue] = parsed.issues;
  const path = issue.path?.map((item) => String(item.key)).join(".") ?? "params";
  throw new CommandProblem("invalid_param", `${path}: ${issue.message}`);
}
