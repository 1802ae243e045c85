import type { CommandError } from "@gasoline/schema/wire";
import type { Debug, Send } from "../../commands/context.ts";
import { sendInput } from "../../commands/input.ts";
import { CommandProblem } from "../../commands/problem.ts";
import type { Acted, AskInput, TellPerformed } from "../../messages/agent.ts";

/** An act that runs, as far as real input is concerned. */
interface Running {
  tab: number;
  deadline: number;
  send: Promise<Send> | undefined;
  release: () => void;
  performed: Acted | undefined;
}

/** Real input for the agents of acts that run: the debugger is attached when the first is asked for, until the act ends. */
export class Inputs {
  readonly #debug: Debug;
  readonly #offset: (tab: number, documentId: string, deadline: number) => Promise<{ x: number; y: number }>;
  readonly #running = new Map<string, Running>(); // by action

  /** offset says where a document's viewport begins in the tab's. */
  constructor(
    debug: Debug,
    offset: (tab: number, documentId: string, deadline: number) => Promise<{ x: number; y: number }>,
  ) {
    this.#debug = debug;
    this.#offset = offset;
  }

  /** Answers agents that ask for input or tell what they are about to do. */
  listen(): void {
    chrome.runtime.onMessage.addListener(
      (message: Partial<AskInput | TellPerformed>, { id, tab, documentId }, answer) => {
        if (id !== chrome.runtime.id || !documentId) return false;
        const running = this.#running.get(message.action ?? "");
        // Only an act that runs in the sender's own tab is served.
        const own = running !== undefined && running.tab === tab?.id ? running : undefined;
        if (message.type === "gasoline-performed") {
          if (own) own.performed = (message as TellPerformed).acted;
          return false;
        }
        if (message.type !== "gasoline-input") return false;
        void this.#serve(own, documentId, message as AskInput).then(answer);
        return true;
      },
    );
  }

  /** An act begins in a tab. */
  open(action: string, tab: number, deadline: number): void {
    this.#running.set(action, { tab, deadline, send: undefined, release: () => undefined, performed: undefined });
  }

  /** It is over: the debugger is let go. */
  close(action: string): void {
    this.#running.get(action)?.release();
    this.#running.delete(action);
  }

  /** What a document said that an act comes to. */
  performed(action: string): Acted | undefined {
    return this.#running.get(action)?.performed;
  }

  async #serve(running: Running | undefined, documentId: string, ask: AskInput): Promise<CommandError | null> {
    try {
      if (!running) throw new CommandProblem("cancelled", "Nobody waits for this act any more.");
      running.send ??= this.#attach(running);
      const send = await running.send;
      if (ask.step === "send") {
        const at = await this.#offset(running.tab, documentId, running.deadline);
        await sendInput(send, ask.gesture, ask.x + at.x, ask.y + at.y);
      }
      return null;
    } catch (error) {
      return error instanceof CommandProblem ? error.toWire() : { code: "internal", message: String(error) };
    }
  }

  /** Resolves when the debugger is attached, and keeps it until release. */
  #attach(running: Running): Promise<Send> {
    return new Promise((resolve, reject) => {
      const over = new Promise<void>((release) => (running.release = release));
      this.#debug
        .run(running.tab, running.deadline, (send) => {
          resolve(send);
          return over;
        })
        .catch(reject);
    });
  }
}
