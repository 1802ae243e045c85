import type { AskInput, Gesture, Settled, TellPerformed } from "../../messages/agent.ts";
import type { Acts, ExpectedInput } from "../../messages/acts.ts";
import type { ActionId } from "../../messages/content.ts";
import type { ActResult } from "@gasoline/schema/commands";
import { askWorker, tellWorker } from "../browser.ts";
import { Changes } from "../changes.ts";
import type { Deadline } from "../environment.ts";
import { AgentProblem } from "../problem.ts";
import { frame } from "../waiting.ts";

/** What an act led to is waited for at most so long, ms. */
const SETTLE_MS = 2000;

/** The answer needs some of the time before the deadline, ms. */
const ANSWER_MS = 150;

/** A page that changes by itself, without work of the act, is waited for so many frames. */
const RESTLESS_FRAMES = 6;

interface NavigateEvent extends Event {
  destination: { sameDocument: boolean };
}

declare const navigation: EventTarget | undefined;

/** Stands in where a page is not captured: then nobody knows what its events were caused by. */
const UNCAPTURED: Acts = {
  begin: () => undefined,
  end: () => undefined,
  perform: (_action, work) => work(),
  dispatch: (target, event) => target.dispatchEvent(event),
  click: (element) => element.click(),
  expect: () => undefined,
  came: () => true,
  busy: () => [],
  refused: () => [],
};

/** The content script's half of acts in this document. */
export const acts = (): Acts => globalThis.gasolineActs ?? UNCAPTURED;

/**
 * One act in this document, from its beginning until it has settled: it watches what changes, where the page goes, and
 * what the page still has to do because of it.
 */
export class ActScope {
  readonly #action: ActionId;
  readonly #deadline: Deadline;
  readonly #from = location.href;
  readonly #changes: Changes | undefined;
  #leaving = false;
  #began: number;
  #wake: (() => void) | undefined;
  #after: (() => void) | undefined;

  /** Without an action nothing is watched: the operation only reads. */
  constructor(action: ActionId | undefined, deadline: Deadline) {
    this.#action = action ?? { id: "", client: "" };
    this.#deadline = deadline;
    this.#began = Date.now();
    if (!action) return;
    this.#changes = new Changes();
    acts().begin(action);
    if (typeof navigation !== "undefined") navigation.addEventListener("navigate", this.#navigates);
  }

  /** Does work at once, as the agent's doing. What settling waits for counts from now on. */
  perform<T>(work: () => T): T {
    this.#began = Date.now();
    return acts().perform(this.#action, work);
  }

  /** Tells the worker what the act comes to, before the page may go away. */
  tell(result: ActResult): void {
    const told: TellPerformed = { type: "gasoline-performed", action: this.#action.id, acted: { result } };
    tellWorker(told); // The command's own answer says it again.
  }

  /** Has the debugger attached: its bar moves the page, so points are looked for after it. */
  async attach(): Promise<void> {
    await this.#ask({ type: "gasoline-input", action: this.#action.id, step: "attach" });
  }

  /**
   * Has the browser make a gesture at a point of this document's viewport. Says whether the document heard of it: one that
   * moves at that moment does not.
   */
  async send(gesture: Gesture, point: { x: number; y: number }, expected: ExpectedInput): Promise<boolean> {
    this.#began = Date.now();
    acts().expect(this.#action, expected);
    try {
      await this.#ask({ type: "gasoline-input", action: this.#action.id, step: "send", gesture, ...point });
      if (!acts().came() && !this.#leaving) await this.#turn();
      return acts().came() || this.#leaving;
    } finally {
      acts().expect(this.#action, undefined);
    }
  }

  /**
   * Waits until nothing runs any more that the act started and the document rests for a frame; at most two seconds, and
   * no longer than the page stays. Says what changed and what still runs.
   */
  async settle(): Promise<Settled> {
    const until = Math.min(this.#began + SETTLE_MS, this.#deadline.at - ANSWER_MS);
    let seen = this.#changes?.look();
    let busy: string[] = [];
    for (let restless = 0; !this.#leaving;) {
      await this.#turn();
      busy = acts().busy(this.#action);
      const now = this.#changes?.look();
      const rests = now === seen;
      seen = now;
      if (busy.length === 0 && (rests || ++restless >= RESTLESS_FRAMES)) break;
      if (Date.now() >= until || this.#deadline.signal.aborted) break;
    }
    if (!this.#leaving) this.#after?.();
    const refused = acts().refused();
    return {
      from: this.#from,
      changes: this.#leaving ? [] : (this.#changes?.inWords() ?? []),
      busy,
      ...(refused.length > 0 ? { refused } : {}),
      ...(this.#leaving ? { leaving: true } : {}),
    };
  }

  /** Has work done when the act has settled, unless the page leaves. */
  afterwards(work: () => void): void {
    this.#after = work;
  }

  /** Ends the watching. */
  stop(): void {
    this.#changes?.stop();
    acts().end(this.#action);
    if (typeof navigation !== "undefined") navigation.removeEventListener("navigate", this.#navigates);
  }

  readonly #navigates = (event: Event): void => {
    if ((event as NavigateEvent).destination.sameDocument || event.defaultPrevented) return;
    this.#leaving = true;
    this.#wake?.();
  };

  /** One frame, or until the page leaves. */
  #turn(): Promise<void> {
    return Promise.race([frame(), new Promise<void>((wake) => (this.#wake = wake))]);
  }

  async #ask(ask: AskInput): Promise<void> {
    const error = await askWorker(ask);
    if (error === undefined) throw new AgentProblem("not_actionable", "Real input needs the extension's worker.");
    if (error) throw new AgentProblem(error.code, error.message);
  }
}
