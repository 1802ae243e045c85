import type { CommandKind, Commands } from "@gasoline/schema/commands";
import { check } from "./check.ts";
import { click } from "./click.ts";
import { closeTab } from "./close_tab.ts";
import type { Context } from "./context.ts";
import { executeJS } from "./execute_js.ts";
import { flush, waterfall } from "./flush.ts";
import { focus } from "./focus.ts";
import { getText } from "./get_text.ts";
import { getValue } from "./get_value.ts";
import type { Handler } from "./handler.ts";
import { highlight } from "./highlight.ts";
import { hover } from "./hover.ts";
import { keyPress } from "./key_press.ts";
import { listInteractive } from "./list_interactive.ts";
import { back, forward, navigate, refresh } from "./navigate.ts";
import { newTab } from "./new_tab.ts";
import { screenshot } from "./screenshot.ts";
import { scrollTo } from "./scroll_to.ts";
import { select } from "./select.ts";
import { switchTab } from "./switch_tab.ts";
import { type } from "./type.ts";
import { waitFor } from "./wait_for.ts";
import { waitForStable } from "./wait_for_stable.ts";

/** The handler of every kind that the daemon may send. A kind without one does not compile. */
const HANDLERS = {
  navigate,
  refresh,
  back,
  forward,
  new_tab: newTab,
  switch_tab: switchTab,
  close_tab: closeTab,
  click,
  type,
  select,
  check,
  key_press: keyPress,
  scroll_to: scrollTo,
  hover,
  focus,
  wait_for: waitFor,
  wait_for_stable: waitForStable,
  get_text: getText,
  get_value: getValue,
  execute_js: executeJS,
  highlight,
  list_interactive: listInteractive,
  screenshot,
  waterfall,
  flush,
} satisfies { [K in CommandKind]: Handler<K> };

/** Carries out a command whose params were parsed for its kind. */
export function runCommand<K extends CommandKind>(kind: K, params: unknown, context: Context): Promise<Commands[K]["result"]> {
  const handler = HANDLERS[kind] as unknown as Handler<K>;
  return handler(params as Commands[K]["params"], context);
}
