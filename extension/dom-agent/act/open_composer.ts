import type { IntentParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { activeComposer, composers } from "../composer.ts";
import type { Environment } from "../environment.ts";
import { COMPOSE } from "../intents.ts";
import { buttonsIn, wordsOf } from "../overlays.ts";
import { AgentProblem } from "../problem.ts";
import { scopeOf } from "../target.ts";
import { retryUntil } from "../waiting.ts";
import { chosen } from "./choose_button.ts";
import { giveFocus } from "./focus.ts";
import { outcome } from "./outcome.ts";
import { pressed } from "./press_found.ts";

/** Opens what a text is written in. One that is open already gets the focus. */
export async function openComposer(params: IntentParams, environment: Environment): Promise<Acted> {
  const scope = scopeOf(params, environment.refs);
  const there = activeComposer(scope);
  if (there) return ready(there, environment);
  const before = new Set(composers(scope));
  const buttons = buttonsIn(scope);
  const button = chosen(
    [buttons.filter((at) => COMPOSE.test(wordsOf(at)))],
    [],
    "Nothing here says that it opens a message, post or comment.",
    environment,
  );
  await pressed(button, environment, {});
  const opened = (): HTMLElement | undefined => composers(scope).find((at) => !before.has(at)) ?? activeComposer(scope);
  await retryUntil(environment.deadline, () => opened() !== undefined);
  const composer = opened();
  if (!composer) throw new AgentProblem("status_mismatch", "It was pressed, and nothing to write in came.");
  return ready(composer, environment);
}

function ready(element: HTMLElement, environment: Environment): Acted {
  environment.act.perform(() => giveFocus(element));
  return { result: outcome({ element, count: 1, strategy: "intent" }, environment) };
}
