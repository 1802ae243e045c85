import type { PasteParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { ready } from "../actionable.ts";
import type { Environment } from "../environment.ts";
import { focused } from "../shadow.ts";
import { giveFocus } from "./focus.ts";
import { outcome } from "./outcome.ts";
import { acts } from "./scope.ts";
import { insertText, place, shownValue, typeable } from "./type.ts";

/**
 * Pastes a text where the caret is. The page hears a paste event that holds the text; what the page does not take itself
 * is put in as the browser would. The system's clipboard is left alone.
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
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", params.text);
    const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, composed: true, clipboardData });
    if (!acts().dispatch(element, event)) return "paste";
    insertText(element, params.text);
    return "execCommand";
  });
  const more = { value: shownValue(element), insertion_strategy: strategy };
  return { result: outcome({ ...found, element }, environment, more) };
}
