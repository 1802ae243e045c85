import { MUTATING } from "@gasoline/schema/commands";
import type { FrameInfo } from "../../commands/context.ts";
import { CommandProblem, problemFrom } from "../../commands/problem.ts";
import type { AgentAnswer, AgentCall, AgentOp, AgentOps } from "../../messages/agent.ts";
import type { ActionId } from "../../messages/content.ts";
import { loadAgent, runIn } from "./browser.ts";
import type { RefBlocks } from "./refs.ts";

/** The agent's object in the isolated world of a document. */
declare const gasolineAgent: { run(call: AgentCall): Promise<AgentAnswer>; cancel(id: string): void } | undefined;

/** Operations that are part of an act; others only help it. */
const ACTING: ReadonlySet<string> = new Set([
  ...MUTATING,
  "begin",
  "settle",
  "end",
  "fill",
  "submit",
  "put_files",
  "drop_files",
  "post_files",
  "clipboard",
  "restore_forms",
]);

/** Operations that change a document. They are done where the user lets agents act. */
const CHANGING: ReadonlySet<string> = new Set([
  ...MUTATING,
  "fill",
  "submit",
  "put_files",
  "drop_files",
  "post_files",
  "pick_files",
  "clipboard",
  "draw",
  "add_state",
  "restore_state",
  "restore_forms",
]);

/** Documents of which something is remembered. */
const MAX_MEMORY = 1000;

/** A call that never began, because its document went away before. */
export class Gone extends CommandProblem {}

/** What is known of documents from one command to the next: at most MAX_MEMORY of each. */
export interface Memory {
  /** Unused numbers for refs, by document. */
  left: Map<string, number>;
  /** Documents that did not answer. They are not waited for again until they do. */
  silent: Set<string>;
}

/** Calls when a document is gone or frozen, until the returned function is called. */
type OnLeft = (document: string, left: () => void) => () => void;

/** Throws where nothing may be done to the page that a tab shows. */
export type May = (tab: number) => Promise<void>;

/** Makes room for one more. */
export function bound({ left, silent }: Memory): void {
  if (left.size > MAX_MEMORY) left.clear();
  if (silent.size > MAX_MEMORY) silent.clear();
}

/** Calls the agent in one document at a time, bringing it there on first use. */
export class Calls {
  readonly refs: RefBlocks;
  readonly #onLeft: OnLeft;
  readonly memory: Memory;
  /** Fires when nobody waits for the calls any more: they end in their documents, too. */
  readonly signal: AbortSignal | undefined;
  readonly #action: ActionId | undefined;
  readonly #may: May;

  constructor(
    refs: RefBlocks,
    onLeft: OnLeft,
    may: May,
    memory: Memory = { left: new Map(), silent: new Set() },
    signal?: AbortSignal,
    action?: ActionId,
  ) {
    this.refs = refs;
    this.#onLeft = onLeft;
    this.#may = may;
    this.memory = memory;
    this.signal = signal;
    this.#action = action;
  }

  /** The same for one command, whose action what acts belongs to. */
  for(signal: AbortSignal, action?: ActionId): Calls {
    return new Calls(this.refs, this.#onLeft, this.#may, this.memory, signal, action);
  }

  /** The same, until a further signal fires. */
  until(signal: AbortSignal): Calls {
    return this.for(this.signal ? AbortSignal.any([this.signal, signal]) : signal, this.#action);
  }

  /** Calls the agent of a frame's document. Throws Gone when the document went away before the call began. */
  async run<K extends AgentOp>(
    tab: number,
    frame: Pick<FrameInfo, "documentId" | "name">,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]> {
    const { documentId } = frame;
    const { left: unused } = this.memory;
    const refs = await this.refs.rangesOf(tab, documentId, unused.get(documentId) ?? Infinity);
    const call: AgentCall<K> = {
      id: crypto.randomUUID(),
      op,
      params,
      deadline,
      refs,
      frame: frame.name,
      ...(this.#action && ACTING.has(op) ? { action: this.#action } : {}),
    };
    const stop = () => void this.#stop(tab, documentId, call.id);
    this.signal?.addEventListener("abort", stop, { once: true });
    let off: () => void = () => undefined;
    // A document in the back/forward cache answers nothing, and nobody says so of its calls.
    const left = new Promise<never>((_resolve, reject) => {
      off = this.#onLeft(documentId, () => {
        stop();
        reject(pageLeft());
      });
    });
    let answer: AgentAnswer<K>;
    try {
      // The document is the one that was found, whatever the tab shows meanwhile: another one hears nothing.
      if (CHANGING.has(op)) await this.#may(tab);
      this.signal?.throwIfAborted();
      answer = (await Promise.race([this.#inject(tab, documentId, call), left])) as AgentAnswer<K>;
    } finally {
      off();
      this.signal?.removeEventListener("abort", stop);
    }
    bound(this.memory);
    unused.set(documentId, answer.refsLeft);
    if (answer.ok) return answer.value;
    throw problemFrom(answer.error);
  }

  /** Ends a call in its document. A document that is gone has ended it already. */
  async #stop(tab: number, documentId: string, id: string): Promise<void> {
    const cancel = (given: string) => (typeof gasolineAgent === "undefined" ? undefined : gasolineAgent.cancel(given));
    await runIn(tab, { documentIds: [documentId] }, cancel, [id]).catch(() => undefined);
  }

  async #inject(tab: number, documentId: string, call: AgentCall): Promise<AgentAnswer> {
    // The agent's script shares this world with the content script and stays until the page goes.
    const run = (given: AgentCall) => (typeof gasolineAgent === "undefined" ? undefined : gasolineAgent.run(given));
    const ask = () => {
      this.signal?.throwIfAborted(); // It may have fired while the agent was loaded.
      return runIn(tab, { documentIds: [documentId] }, run, [call]);
    };
    let began = false;
    try {
      let [first] = await ask();
      began = true;
      if (!first?.result) {
        await loadAgent(tab, documentId);
        [first] = await ask();
      }
      if (first?.result) return first.result;
    } catch (error) {
      const problem = unreachable(error);
      throw !began && problem.code === "page_left" ? new Gone(problem.code, problem.message) : problem;
    }
    throw pageLeft();
  }
}

const pageLeft = (): CommandProblem => new CommandProblem("page_left", "The page was left while the command ran.");

/** Why a document cannot be reached, by what Chrome says. */
export function unreachable(error: unknown): CommandProblem {
  if (error instanceof CommandProblem) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/No tab with id|No window with id/.test(message)) return new CommandProblem("tab_gone", "The tab is closed.");
  if (/Cannot access|must request permission|cannot be scripted|extensions gallery/.test(message)) {
    return new CommandProblem(
      "origin_not_allowed",
      "Gasoline was not granted this page's site. The user can grant it in the Gasoline popup.",
    );
  }
  if (/error page/.test(message)) return new CommandProblem("page_failed", "The tab shows the browser's error page.");
  if (/removed|No document with id|No frame with id|navigat|closed/i.test(message)) {
    return pageLeft();
  }
  return new CommandProblem("internal", message);
}
