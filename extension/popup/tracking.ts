import type { AskTracking, TrackingTold } from "../state/tracking.ts";
import { element } from "../state/dom.ts";
import { askWorker } from "../state/browser.ts";

/** Has the worker ask the daemon which agents there are; what it learns is in the connection. */
export async function refreshAgents(): Promise<void> {
  await send({ type: "gasoline-tracking" });
}

/** Tells the daemon the user's choice of a tab, and says below the tabs what went wrong. */
export async function track(wish: Omit<AskTracking, "type">): Promise<void> {
  const { problem } = await send({ type: "gasoline-tracking", ...wish });
  element("tracked-problem", HTMLParagraphElement).textContent = problem ?? "";
}

async function send(ask: AskTracking): Promise<TrackingTold> {
  try {
    return ((await askWorker(ask)) as TrackingTold | undefined) ?? {};
  } catch {
    return { problem: "The extension is being reloaded. Open this window again." };
  }
}
