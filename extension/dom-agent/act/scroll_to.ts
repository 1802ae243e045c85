import type { ScrollParams, Viewport } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { type Resolved, isNamed, resolve } from "../target.ts";
import { retry } from "../waiting.ts";
import { outcome } from "./outcome.ts";

/** Scrolls the target into view; with a direction, scrolls the page, or the target's own content. */
export async function scrollTo(params: ScrollParams, environment: Environment): Promise<Acted> {
  if (!isNamed(params)) {
    environment.act.perform(() =>
      move(document.scrollingElement ?? document.documentElement, params.direction ?? "down"),
    );
    return { result: { match_count: 0, match_strategy: "point", viewport: viewport() } };
  }
  const found = await retry(environment.deadline, () => resolve(params, environment.refs));
  const { direction } = params;
  environment.act.perform(() => {
    if (direction) move(scrollable(found), direction);
    else found.element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  });
  return { result: outcome(found, environment, { viewport: viewport() }) };
}

/** Where the page is scrolled to. */
export function viewport(): Viewport {
  return {
    width: window.innerWidth,
    height: window.innerHeight,
    scroll_x: Math.round(window.scrollX),
    scroll_y: Math.round(window.scrollY),
    scroll_height: document.documentElement?.scrollHeight ?? 0,
  };
}

/** The target, or the box around it, that scrolls. */
function scrollable({ element }: Resolved): Element {
  for (let at: Element | null = element; at; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

function move(element: Element, direction: string): void {
  const page = element.clientHeight * 0.9;
  const top = { top: 0, bottom: element.scrollHeight, up: element.scrollTop - page, down: element.scrollTop + page }[
    direction
  ];
  if (top !== undefined) element.scrollTo({ top, behavior: "instant" });
}
