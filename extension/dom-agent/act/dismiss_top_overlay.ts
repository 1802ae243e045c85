import type { IntentParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { CLOSE, DECLINE } from "../intents.ts";
import type { Environment } from "../environment.ts";
import { type Layer, buttonsIn, textOf, topLayer, wordsOf } from "../overlays.ts";
import { AgentProblem } from "../problem.ts";
import { scopeOf } from "../target.ts";
import { isTransparent, isVisible } from "../visible.ts";
import { retryUntil } from "../waiting.ts";
import { pressed } from "./press_found.ts";

/** Closes what lies on top. Each way is tried until it has gone: its close button, a button that declines, Escape. */
export async function dismissTopOverlay(params: IntentParams, environment: Environment): Promise<Acted> {
  const layer = topLayer(scopeOf(params, environment.refs));
  if (!layer) throw new AgentProblem("no_overlays", "Nothing lies over the page.");
  const text = textOf(layer);
  const told = (strategy: string) => ({ overlay: { type: layer.type, text, strategy }, dismissed_count: 1 });
  for (const [strategy, find] of [
    ["close_button", closeButton],
    ["label", declineButton],
  ] as const) {
    const button = find(layer);
    if (!button) continue;
    const acted = await pressed(button, environment, told(strategy));
    if (await hasGone(layer, environment)) return acted;
  }
  environment.act.perform(() => escape(layer));
  if (await hasGone(layer, environment)) {
    return { result: { match_count: 0, match_strategy: "", ...told("escape") } };
  }
  throw new AgentProblem(
    "not_actionable",
    `The ${layer.type} "${text}" does not go: neither by a button nor by Escape.`,
  );
}

/** The button that closes a layer: by its name, or by the mark that components put on it. */
export function closeButton(layer: Layer): Element | undefined {
  const buttons = buttonsIn(layer.element);
  return (
    buttons.find((at) => CLOSE.test(wordsOf(at))) ??
    buttons.find((at) =>
      at.matches("[data-dismiss], [data-bs-dismiss], [data-close], [class*=close i], [data-testid*=close i]"),
    )
  );
}

const declineButton = (layer: Layer): Element | undefined =>
  buttonsIn(layer.element).find((at) => DECLINE.test(wordsOf(at)));

function escape({ element }: Layer): void {
  const key = { key: "Escape", code: "Escape", keyCode: 27, bubbles: true, cancelable: true, composed: true };
  const target = document.activeElement && element.contains(document.activeElement) ? document.activeElement : element;
  const goesOn = target.dispatchEvent(new KeyboardEvent("keydown", key));
  target.dispatchEvent(new KeyboardEvent("keyup", key));
  // A key that is made up does not do what the browser's own does with native dialogs and popovers.
  if (!goesOn || !element.isConnected) return;
  if (element instanceof HTMLDialogElement && element.open) {
    if (element.dispatchEvent(new Event("cancel", { cancelable: true }))) element.close();
  } else if (element instanceof HTMLElement && element.matches(":popover-open")) element.hidePopover();
}

/** Says whether a layer went, within the time that an animation takes. */
export async function hasGone({ element }: Layer, { deadline }: Environment): Promise<boolean> {
  const gone = (): boolean => !element.isConnected || !isVisible(element) || isTransparent(element);
  await retryUntil(deadline, gone);
  return gone();
}
