import type { CommandError } from "@gasoline/schema/wire";
import type { AskAround } from "../messages/agent.ts";

// An isolated world of an extension has both; a page that a test driver opened has neither.
const { dom, runtime } = (globalThis as { chrome?: Partial<typeof chrome> }).chrome ?? {};

/** The shadow root of an element: closed ones too where the browser tells them, which it does for HTML elements only. */
export const rootOf = (host: Element): ShadowRoot | null =>
  dom && host instanceof HTMLElement ? dom.openOrClosedShadowRoot(host) : host.shadowRoot;

/** Asks the worker what lies over a point of this frame, in the frames around it; null: nothing, or nobody can tell. */
export const askAround = async (ask: AskAround): Promise<CommandError | null> =>
  runtime?.id ? runtime.sendMessage<AskAround, CommandError | null>(ask) : null;
