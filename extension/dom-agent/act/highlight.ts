import { cssPath } from "@gasoline/capture/locators/css";
import type { HighlightParams } from "@gasoline/schema/commands";
import type { Acted } from "../../messages/agent.ts";
import { scrollTo } from "../actionable.ts";
import type { Environment } from "../environment.ts";
import { own } from "../own.ts";
import { AgentProblem } from "../problem.ts";
import { isNamed, resolve } from "../target.ts";
import { boxOf, isVisible, rounded } from "../visible.ts";
import { retry } from "../waiting.ts";
import { outcome } from "./outcome.ts";

const ID = "gasoline-highlighter";
const BORDER = 4;
const SHOWN_MS = 5000;

/** Draws a red box around the target, over everything, for a while. Duration 0 removes it. */
export async function highlight(params: HighlightParams, environment: Environment): Promise<Acted> {
  const duration = params.duration_ms ?? SHOWN_MS;
  if (duration === 0) {
    remove();
    return { result: { match_count: 0, match_strategy: "css", duration_ms: 0 } };
  }
  if (!isNamed(params)) throw new AgentProblem("missing_target", "highlight needs a ref, a selector, or x and y.");
  const found = await retry(environment.deadline, () => {
    const resolved = resolve(params, environment.refs);
    if (!isVisible(resolved.element)) throw new AgentProblem("not_actionable", "The element is not visible.");
    return resolved;
  });
  const scrolled = scrollTo(found.element);
  draw(found.element, duration);
  const more = { selector: cssPath(found.element), duration_ms: duration, bounds: rounded(boxOf(found.element)) };
  return { result: outcome({ ...found, scrolled }, environment, more) };
}

let shown: HTMLElement | undefined;

function remove(): void {
  shown?.remove();
  shown = undefined;
}

function draw(element: Element, duration: number): void {
  remove();
  const box = (shown = document.createElement("div"));
  own(box);
  box.id = ID;
  box.setAttribute("aria-hidden", "true");
  // As a popover it lies above dialogs too, which no z-index can.
  box.popover = "manual";
  const style = {
    all: "initial",
    position: "fixed",
    inset: "auto",
    margin: "0",
    padding: "0",
    boxSizing: "border-box",
    border: `${BORDER}px solid #ff0000`,
    background: "transparent",
    pointerEvents: "none",
    zIndex: "2147483647",
  };
  Object.assign(box.style, style);
  document.documentElement.append(box);
  box.showPopover();
  const until = performance.now() + duration;
  const follow = (): void => {
    if (!box.isConnected) return;
    if (performance.now() >= until || !element.isConnected) {
      box.remove();
      return;
    }
    const { x, y, width, height } = element.getBoundingClientRect();
    box.style.left = `${x - BORDER}px`;
    box.style.top = `${y - BORDER}px`;
    box.style.width = `${width + 2 * BORDER}px`;
    box.style.height = `${height + 2 * BORDER}px`;
    requestAnimationFrame(follow);
  };
  follow();
  // Frames stop in a hidden tab; time does not.
  setTimeout(() => box.remove(), duration + 100);
}
