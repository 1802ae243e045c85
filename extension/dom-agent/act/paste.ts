import type { PasteParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import type { Environment } from "../environment.ts";
import { focused } from "../shadow.ts";
import { giveFocus } from "./focus.ts";
import { handOver } from "./hand_over.ts";
import { outcome } from "./outcome.ts";
import { insertText, place, shownValue, typeable } from "./type.ts";

/**
 * Pastes a text where the caret is, with its markup if there is any. The page hears a paste event that holds both; where it
 * does not take them itself, the text goes in without the markup.
 */
export async function paste(params: PasteParams, environment: Environment): Promise<Acted> {
  const found = await ready(params, environment.refs, { enabled: true, hit: false }, environment.deadline);
  const element = typeable(found.element);
  const strategy = environment.act.perform(() => {
    // Where the caret is already, it stays.
    if (focused() !== element) {
      giveFocus(element);
      place(element, false);
    }
    if (handOver(element, params.text, params.html)) return "paste";
    insertText(element, params.text);
    return "execCommand";
  });
  const more = { value: shownValue(element), insertion_strategy: strategy };
  return { result: outcome({ ...found, element }, environment, more) };
}
