import type { CommandError } from "@gasoline/schema/wire";
import type {
  AskAround,
  AskFrameworks,
  AskInput,
  AskScript,
  AskTick,
  Script,
  TellDownload,
  TellLeaving,
  TellPerformed,
  TellWaiting,
} from "../messages/agent.ts";
import type { AskComponents, TellDrawing } from "../messages/drawing.ts";
import { isOwn } from "./own.ts";
import { AgentProblem } from "./problem.ts";

// An isolated world of an extension has both; a page that a test driver opened has neither.
const { dom, runtime } = (globalThis as { chrome?: Partial<typeof chrome> }).chrome ?? {};

/** The shadow root of an element: closed ones too where the browser tells them, which it does for HTML elements only. */
export const rootOf = (host: Element): ShadowRoot | null =>
  !isOwn(host) && dom && host instanceof HTMLElement ? dom.openOrClosedShadowRoot(host) : host.shadowRoot;

/** The address of a file of the extension's. */
export const urlOf = (file: string): string => runtime?.getURL?.(file) ?? "";

/** Asks the worker; undefined: there is none. */
export const askWorker = async (ask: Ask): Promise<CommandError | null | undefined> =>
  runtime?.id ? runtime.sendMessage<Ask, CommandError | null>(ask) : undefined;

/** Asks the worker which frameworks are at work in the document; undefined: there is no worker. */
export const askFrameworks = async (): Promise<unknown> =>
  runtime?.id ? runtime.sendMessage<AskFrameworks>({ type: "gasoline-frameworks" }) : undefined;

type Ask = AskAround | AskComponents | AskInput | AskScript | AskTick | TellDrawing;

/** What a script that is loaded on first use leaves in this world. */
export async function loaded<T>(script: Script, left: () => T | undefined): Promise<T> {
  if (!left()) {
    const error = await askWorker({ type: "gasoline-script", script });
    if (error) throw new AgentProblem(error.code, error.message);
  }
  const there = left();
  if (!there) throw new AgentProblem("unsupported", `The extension's script ${script} could not be loaded.`);
  return there;
}

/** Tells the worker something that it need not hear. */
export const tellWorker = (told: TellDownload | TellLeaving | TellPerformed | TellWaiting): void =>
  void (runtime?.id ? runtime.sendMessage(told) : undefined)?.catch(() => undefined);
