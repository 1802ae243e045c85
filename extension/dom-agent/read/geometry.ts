import type { FrameGeometry, Rect } from "../../messages/agent.ts";
import { pointIn } from "../around.ts";
import { isSecret } from "../secret.ts";
import { everyElement } from "../shadow.ts";
import { boxOf, isVisible, rounded } from "../visible.ts";

/** Where this frame shows secrets, and where its child frames are. */
export function geometry(): FrameGeometry {
  const children: (Rect | null)[] = Array.from({ length: window.length }, () => null);
  const secrets: Rect[] = [];
  for (const element of everyElement(document)) {
    if (element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement) {
      const index = indexOf(element);
      if (index >= 0)
        children[index] = {
          ...pointIn(element, { x: 0, y: 0 }),
          width: element.clientWidth,
          height: element.clientHeight,
        };
    } else if (isSecret(element) && (element as HTMLInputElement).value !== "" && isVisible(element)) {
      secrets.push(rounded(boxOf(element)));
    }
  }
  return {
    secrets,
    children,
    viewport: { width: window.innerWidth, height: window.innerHeight, ratio: window.devicePixelRatio },
  };
}

/** The index of a frame element's window in window.frames; -1 inside of a shadow root. */
export function indexOf(element: HTMLIFrameElement | HTMLFrameElement): number {
  for (let i = 0; i < window.length; i++) if (window[i] === element.contentWindow) return i;
  return -1;
}
