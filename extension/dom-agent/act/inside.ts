import type { Inside } from "../../messages/agent.ts";
import { pointFrom } from "../around.ts";
import { type FrameElement, frameElements } from "../frames.ts";
import { AgentProblem } from "../problem.ts";
import { elementAt, isInside } from "../shadow.ts";
import type { Resolved } from "../target.ts";

interface Point {
  x: number;
  y: number;
}

/** What shows a document of its own, which hears what is done there. */
export const isFrame = (element: Element): element is FrameElement =>
  element.matches("iframe, frame, fencedframe") ||
  (element instanceof HTMLObjectElement && element.contentWindow !== null);

/** What may show one. */
export const mayHold = (element: Element | null): boolean =>
  element?.matches("iframe, frame, fencedframe, object, embed") === true;

/** Where in a child frame the point of an act lies; undefined where it is this document's own. */
export function insideOf({ element, count, strategy }: Resolved, point: Point): Inside | undefined {
  const hit = elementAt(point.x, point.y);
  if (!hit || !isFrame(hit) || !isInside(hit, element)) return undefined;
  return { index: frameElements().indexOf(hit), ...pointFrom(hit, point), count, strategy };
}

/** What can be done in a frame that cannot be asked only by the browser's real input. */
export const onlyReal = (what: string): AgentProblem =>
  new AgentProblem(
    "not_actionable",
    `The point is in a frame that Gasoline cannot see: it cannot be ${what} there by events that are made up.`,
  );
