import type { IntentParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { inWords, isDisabled } from "../describe.ts";
import type { Environment } from "../environment.ts";
import { CONFIRM, DECLINE } from "../intents.ts";
import { shownButtons, textOf, topLayer, wordsOf } from "../overlays.ts";
import { AgentProblem } from "../problem.ts";
import { scopeOf } from "../target.ts";
import { chosen } from "./choose_button.ts";
import { pressed } from "./press_found.ts";

/** Presses what confirms the dialog on top: its submit button, or the one whose name says so. Never a guess between two. */
export async function confirmTopDialog(params: IntentParams, environment: Environment): Promise<Acted> {
  const layer = topLayer(scopeOf(params, environment.refs));
  if (!layer) throw new AgentProblem("no_overlays", "No dialog lies over the page.");
  const text = textOf(layer);
  const shown = shownButtons(layer.element);
  const buttons = shown.filter((at) => !at.matches("a[href]") && !isDisabled(at));
  const off = shown.find((at) => isDisabled(at) && CONFIRM.test(wordsOf(at)));
  const named = buttons.filter((at) => CONFIRM.test(wordsOf(at)));
  const submits = buttons.filter(
    (at) => at.matches("form button:not([type]), [type=submit]") && !DECLINE.test(wordsOf(at)),
  );
  const both = named.filter((at) => submits.includes(at));
  const button = chosen(
    [both, named, submits],
    shown,
    `The ${layer.type} "${text}" has no button that confirms it by its name${off ? `: ${inWords(off)} is disabled` : ""}.`,
    environment,
  );
  return pressed(button, environment, { overlay: { type: layer.type, text, strategy: "confirm" } });
}
