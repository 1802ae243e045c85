import { fold } from "@gasoline/capture/locators/name";
import type { ActResult, BannersParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import type { Environment } from "../environment.ts";
import { ACCEPT, BANNERS, CONSENT, REJECT } from "../intents.ts";
import { type Layer, buttonsIn, textOf, topLayer, wordsOf } from "../overlays.ts";
import { AgentProblem } from "../problem.ts";
import { renderedText } from "../rendered.ts";
import { everywhere } from "../shadow.ts";
import { isVisible } from "../visible.ts";
import { closeButton, hasGone } from "./dismiss_top_overlay.ts";
import { pressed } from "./press_found.ts";

/** Layers of one page that are taken away at most. */
const MAX = 5;

/** Takes consent banners away, then layers with a close button. Without any the count is 0: frames have them or not. */
export async function autoDismissOverlays(_params: BannersParams, environment: Environment): Promise<Acted> {
  let result: ActResult = { match_count: 0, match_strategy: "" };
  const tried = new Set<Element>();
  for (let count = 1; count <= MAX; count++) {
    const way = banner(tried) ?? layer(tried);
    if (!way || Date.now() >= environment.deadline.at) break;
    tried.add(way.button);
    const overlay = { type: way.layer.type, text: textOf(way.layer), strategy: way.strategy };
    try {
      const acted = await pressed(way.button, environment, { overlay, dismissed_count: count });
      // What stays is not counted, and another way is tried.
      if (await hasGone(way.layer, environment)) result = acted.result;
      else count--;
    } catch (error) {
      if (!(error instanceof AgentProblem)) throw error;
      count--;
    }
    if (tried.size >= 3 * MAX) break;
  }
  return { result };
}

interface Way {
  button: Element;
  layer: Layer;
  strategy: string;
}

/** The button of a component that is known. */
function banner(tried: ReadonlySet<Element>): Way | undefined {
  for (const [reject, accept] of BANNERS) {
    for (const [strategy, selector] of [
      ["reject", reject],
      ["accept", accept],
    ] as const) {
      const button = everywhere(selector, document).find((at) => isVisible(at) && !tried.has(at));
      if (button) return { button, layer: { element: button, type: "banner" }, strategy };
    }
  }
  return undefined;
}

/** What lies on top: asked for consent it is declined or accepted, else closed. */
function layer(tried: ReadonlySet<Element>): Way | undefined {
  const asks = consentLayer();
  const top = asks ?? topLayer(document);
  if (!top) return undefined;
  const consent = asks !== undefined || CONSENT.test(textOf(top));
  const buttons = buttonsIn(top.element).filter((at) => !tried.has(at));
  const by = (words: RegExp): Element | undefined => buttons.find((at) => words.test(wordsOf(at)));
  const ways: [string, Element | undefined][] = consent
    ? [
        ["reject", by(REJECT)],
        ["accept", by(ACCEPT)],
        ["close_button", closeButton(top)],
      ]
    : [["close_button", closeButton(top)]];
  const [strategy, button] = ways.find(([, at]) => at && !tried.has(at)) ?? [];
  if (!strategy || !button) return undefined;
  return { button, layer: consent ? { ...top, type: "banner" } : top, strategy };
}

/** What asks for consent and covers too little to be a layer: a bar along an edge, a frame of its own. */
function consentLayer(): Layer | undefined {
  const named = everywhere(
    "[id*=cookie i], [class*=cookie i], [id*=consent i], [class*=consent i], [aria-label*=cookie i]",
    document,
  )
    .slice(0, 100)
    .find(
      (at) =>
        isVisible(at) && /^(fixed|sticky|absolute)$/.test(getComputedStyle(at).position) && buttonsIn(at).length > 0,
    );
  if (named) return { element: named, type: "banner" };
  // A frame may be nothing but the banner.
  const { body } = document;
  const all = window !== window.top && body && CONSENT.test(fold(renderedText(body), 2000));
  return all ? { element: body, type: "banner" } : undefined;
}
