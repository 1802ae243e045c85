import type { ScrollPositionParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { isNamed, resolve } from "../target.ts";
import { retry } from "../waiting.ts";
import { outcome } from "./outcome.ts";
import { viewport } from "./scroll_to.ts";

/** Scrolls the page, or an element's own content, to a place. */
export async function scrollPosition(params: ScrollPositionParams, environment: Environment): Promise<Acted> {
  const { left = 0, top = 0, ...target } = params;
  const found = isNamed(target)
    ? await retry(environment.deadline, () => resolve(target, environment.refs))
    : undefined;
  const element = found?.element ?? document.scrollingElement ?? document.documentElement;
  environment.act.perform(() => element.scrollTo({ left, top, behavior: "instant" }));
  const at = { viewport: viewport() };
  return { result: found ? outcome(found, environment, at) : { match_count: 0, match_strategy: "point", ...at } };
}
