import { panel, unpanel } from "./panel.ts";

const ID = "gasoline-cursor";
const SHOWN_MS = 700;
const RADIUS = 10;

/** Shows the user where an agent's gesture is made, once the page has heard of it. */
export function mark({ x, y }: { x: number; y: number }): void {
  setTimeout(() => {
    const box = panel(ID, `${y - RADIUS}px auto auto ${x - RADIUS}px`, SHOWN_MS);
    Object.assign(box.style, {
      width: `${2 * RADIUS}px`,
      height: `${2 * RADIUS}px`,
      boxSizing: "border-box",
      padding: "0",
      border: "2px solid #ff7a1a",
      borderRadius: "50%",
      background: "rgba(255, 122, 26, 0.3)",
      boxShadow: "0 0 0 1px rgba(255, 255, 255, 0.9)",
    });
  });
}

/** Takes the mark away: it is no part of the page that a picture is to show. */
export const unmark = (): void => unpanel(ID);
