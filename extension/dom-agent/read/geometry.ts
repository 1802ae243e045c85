import type { FrameBox, FrameGeometry } from "../../messages/agent.ts";
import { pointIn } from "../around.ts";
import { frameElements } from "../frames.ts";
import { unmark } from "../mark.ts";
import { isSecret } from "../secret.ts";
import { everyElement } from "../shadow.ts";
import { isVisible } from "../visible.ts";

/** How many secrets this frame shows, and where its child frames are. */
export function geometry(): FrameGeometry {
  unmark();
  const children = frameElements().map((element): FrameBox | null => {
    if (!element) return null;
    const scale = element.getBoundingClientRect().width / (element.offsetWidth || 1);
    const { clientWidth, clientHeight } = element;
    return { ...pointIn(element, { x: 0, y: 0 }), width: clientWidth * scale, height: clientHeight * scale, scale };
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
