import { type KeyStroke, parseKeys } from "../messages/keys.ts";
import { CommandProblem } from "./problem.ts";

/** Reads the name of a key with its modifiers. Throws invalid_param when there is no such key. */
export function keyStroke(keys: string): KeyStroke {
  const stroke = parseKeys(keys);
  if (!stroke) {
    throw new CommandProblem(
      "invalid_param",
      `No such key: ${keys.slice(0, 40)}. Write "Enter", "a" or "Control+Shift+a".`,
    );
  }
  return stroke;
}
