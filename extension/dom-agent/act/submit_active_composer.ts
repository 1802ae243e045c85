import type { IntentParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { activeComposer } from "../composer.ts";
import type { Environment } from "../environment.ts";
import { SEND } from "../intents.ts";
import { buttonsIn, wordsOf } from "../overlays.ts";
import { AgentProblem } from "../problem.ts";
import { parentOf } from "../shadow.ts";
import { scopeOf } from "../target.ts";
import { chosen } from "./choose_button.ts";
import { pressed } from "./press_found.ts";

/** Presses the nearest button that sends what is written. */
export async function submitActiveComposer(params: IntentParams, environment: Environment): Promise<Acted> {
  const composer = activeComposer(scopeOf(params, environment.refs));
  if (!composer) {
    throw new AgentProblem(
      "element_not_found",
      "No text is being written: none of several fields has the focus or a text.",
    );
  }
  for (let at: Element | null = composer; at && at !== document.body; at = parentOf(at)) {
    const buttons = buttonsIn(at);
    const sends = buttons.filter((button) => SEND.test(wordsOf(button)));
    const submits = buttons.filter((button) => button.matches("form button:not([type]), [type=submit]"));
    if (sends.length === 0 && submits.length === 0) continue;
    const both = sends.filter((button) => submits.includes(button));
    return pressed(chosen([both, sends, submits], [], "", environment), environment, {});
  }
  throw new AgentProblem(
    "element_not_found",
    "No button near the text says that it sends it: perhaps it is off, or Enter sends.",
  );
}
