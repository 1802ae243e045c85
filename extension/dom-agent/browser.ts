import type { CommandError } from "@gasoline/schema/wire";
import type { AskAround, AskInput, AskReader, AskStored, TellPerformed } from "../messages/agent.ts";

// An isolated world of an extension has both; a page that a test driver opened has neither.
const { dom, runtime } = (globalThis as { chrome?: Partial<typeof chrome> }).chrome ?? {};

/** The shadow root of an element: closed ones too where the browser tells them, which it does for HTML elements only. */
export const rootOf = (host: Element): ShadowRoot | null =>
  dom && host instanceof HTMLElement ? dom.openOrClosedShadowRoot(host) : host.shadowRoot;

/** Asks the worker; undefined: there is none. */
export const askWorker = async (ask: Ask): Promise<CommandError | null | undefined> =>
  runtime?.id ? runtime.sendMessage<Ask, CommandError | null>(ask) : undefined;

type Ask = AskAround | AskInput | AskReader | AskStored;

/** Tells the worker something that it need not hear. */
export const tellWorker = (told: TellPerformed): void =>
  void (runtime?.id ? runtime.sendMessage(told) : undefined)?.catch(() => undefined);
