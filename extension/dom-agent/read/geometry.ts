import type { FrameBox, FrameGeometry, Rect } from "../../messages/agent.ts";
import { pointIn } from "../around.ts";
import { type FrameElement, frameElements } from "../frames.ts";
import { unmark } from "../mark.ts";
import { isSecret } from "../secret.ts";
import { everyElement } from "../shadow.ts";
import { isVisible } from "../visible.ts";

/** The box of all that a frame may show, however it is turned. */
function boxOf(element: FrameElement): Rect {
  const { clientWidth: right, clientHeight: bottom } = element;
  const corners = [0, right].flatMap((x) => [0, bottom].map((y) => pointIn(element, { x, y })));
  const xs = corners.map(({ x }) => x);
  const ys = corners.map(({ y }) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** How many secrets this frame shows, and where its child frames are. */
export function geometry(): FrameGeometry {
  unmark();
  const children = frameElements().map((element): FrameBox | null => {
    if (!element) return null;
    const scale = element.getBoundingClientRect().width / (element.offsetWidth || 1);
    return { ...boxOf(element), scale };
  });
  let secrets = 0;
  for (const element of everyElement(document)) {
    if (isSecret(element) && (element as HTMLInputElement).value !== "" && isVisible(element)) secrets++;
  }
  return {
    secrets,
    children,
    viewport: { width: window.innerWidth, height: window.innerHeight, ratio: window.devicePixelRatio },
  };
}
