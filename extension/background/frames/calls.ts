import { type CommandKind, MUTATING, POWER, type Power } from "@gasoline/schema/commands";
import type { FrameInfo } from "../../commands/context.ts";
import { CommandProblem, notGranted, pageLeft, problemFrom } from "../../commands/problem.ts";
import type { AgentAnswer, AgentCall, AgentOp, AgentOps } from "../../messages/agent.ts";
import type { ActionId } from "../../messages/content.ts";
import type { KindOps } from "../../messages/operations.gen.ts";
import type { May } from "../execution/powers.ts";
import { loadAgent, runIn } from "./browser.ts";
import type { RefBlocks } from "./refs.ts";

/** The agent's object in the isolated world of a document. Without it the page may have an element with that id. */
declare const gasolineAgent: { run(call: AgentCall): Promise<AgentAnswer>; cancel(id: string): void } | undefined;

/** What an operation needs, as kinds do, and whether it is part of an act; others only help it. */
interface Operation {
  power: Power;
  acts?: true;
}

/** The operations that are no kinds. An agent asks for a part of them; the user's own films need no power. */
const OPERATIONS: Readonly<Record<Exclude<AgentOp, keyof KindOps>, Operation>> = {
  probe: { power: "looks" },
  frame_index: { power: "looks" },
  focused_frame: { power: "looks" },
  rect: { power: "looks" },
  spot: { power: "looks" },
  origins: { power: "looks" },
  changed: { power: "looks" },
  call_children: { power: "looks" },
  geometry: { power: "looks" },
  outline: { power: "looks" },
  around: { power: "looks" },
  diff: { power: "looks" },
  quiet: { power: "looks" },
  begin: { power: "looks", acts: true },
  settle: { power: "looks", acts: true },
  changes: { power: "looks", acts: true },
  end: { power: "nothing", acts: true },
  fill: { power: "acts", acts: true },
  submit: { power: "acts", acts: true },
  toast: { power: "looks" },
  draw: { power: "acts" },
  cover: { power: "nothing" },
  look_upload: { power: "looks" },
  put_files: { power: "acts", acts: true },
  post_files: { power: "acts", acts: true },
  drop_files: { power: "acts", acts: true },
  pick_files: { power: "acts" },
  clipboard: { power: "acts", acts: true },
  take_state: { power: "looks" },
  take_forms: { power: "looks" },
  add_state: { power: "acts" },
  restore_state: { power: "acts" },
  restore_forms: { power: "acts", acts: true },
  look_storage: { power: "looks" },
};

/** What an operation of the agent needs. */
export function operation(op: AgentOp): Operation {
  const other = (OPERATIONS as Partial<Record<AgentOp, Operation>>)[op];
  if (other) return other;
  const kind = op as CommandKind;
  return { power: POWER[kind], ...(MUTATING.has(kind) ? { acts: true } : {}) };
}

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
  /** That nothing fits, once a look at the page has found that: for when the page does not say it in time. */
  missing: CommandProblem | undefined;
  readonly #action: ActionId | undefined;
  readonly #may: May;
  readonly #site: string | undefined;

  constructor(
    refs: RefBlocks,
    onLeft: OnLeft,
    may: May,
    memory: Memory = { left: new Map(), silent: new Set() },
    signal?: AbortSignal,
    action?: ActionId,
    site?: string,
  ) {
    this.refs = refs;
    this.#onLeft = onLeft;
    this.#may = may;
    this.memory = memory;
    this.signal = signal;
    this.#action = action;
    this.#site = site;
  }

  /** The same for one command, whose action what acts belongs to, and the site that it is for. */
  for(signal: AbortSignal, action?: ActionId, site?: string): Calls {
    return new Calls(this.refs, this.#onLeft, this.#may, this.memory, signal, action, site);
  }

  /** The same, until a further signal fires. */
  until(signal: AbortSignal): Calls {
    return this.for(this.signal ? AbortSignal.any([this.signal, signal]) : signal, this.#action, this.#site);
  }

  /** Calls the agent of a frame's document. Throws Gone when the document went away before the call began. */
  async run<K extends AgentOp>(
    tab: number,
    frame: Pick<FrameInfo, "documentId" | "name">,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
    past = false,
  ): Promise<AgentOps[K]["result"]> {
    const { documentId } = frame;
    const { power, acts } = operation(op);
    const { left: unused } = this.memory;
    const refs = await this.refs.rangesOf(tab, documentId, unused.get(documentId) ?? Infinity);
    const call: AgentCall<K> = {
      id: crypto.randomUUID(),
      op,
      params,
      deadline,
      refs,
      frame: frame.name,
      ...(past ? { past } : {}),
      ...(this.#action && acts ? { action: this.#action } : {}),
    };
    // What an act began is ended in any case.
    const signal = op === "end" ? undefined : this.signal;
    let stop = (): void => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      stop = () => {
        void this.#stop(tab, documentId, call.id);
        reject(signal?.reason as Error);
      };
    });
    aborted.catch(() => undefined); // it may come before anybody waits for it
    signal?.addEventListener("abort", stop, { once: true });
    let off: () => void = () => undefined;
    // A document in the back/forward cache answers nothing, and nobody says so of its calls.
    const left = new Promise<never>((_resolve, reject) => {
      off = this.#onLeft(documentId, () => {
        void this.#stop(tab, documentId, call.id);
        reject(pageLeft());
      });
    });
    left.catch(() => undefined); // it may go while it is asked what may be done there
    let answer: AgentAnswer<K>;
    try {
      // The document is the one that was found, whatever the tab shows meanwhile: another one hears nothing.
      await this.#may(tab, power, this.#site);
      signal?.throwIfAborted();
      const injected = this.#inject(tab, documentId, call, signal);
      injected.catch(() => undefined); // its failure after the end has no reader
      answer = (await Promise.race([injected, left, aborted])) as AgentAnswer<K>;
    } finally {
      off();
      signal?.removeEventListener("abort", stop);
    }
    bound(this.memory);
    unused.set(documentId, answer.refsLeft);
    if (answer.ok) return answer.value;
    throw problemFrom(answer.error);
  }

  /** Ends a call in its document. A document that is gone has ended it already. */
  async #stop(tab: number, documentId: string, id: string): Promise<void> {
    const cancel = (given: string) =>
      Object.hasOwn(globalThis, "gasolineAgent") ? gasolineAgent?.cancel(given) : undefined;
    await runIn(tab, { documentIds: [documentId] }, cancel, [id]).catch(() => undefined);
  }

  async #inject(
    tab: number,
    documentId: string,
    call: AgentCall,
    signal: AbortSignal | undefined,
  ): Promise<AgentAnswer> {
    // The agent's script shares this world with the content script and stays until the page goes.
    const run = (given: AgentCall) =>
      Object.hasOwn(globalThis, "gasolineAgent") ? gasolineAgent?.run(given) : undefined;
    const ask = () => {
      signal?.throwIfAborted(); // It may have fired while the agent was loaded.
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
      // The document could be asked when it was found. Chrome judges the answer by what the frame shows when it comes.
      if (problem.code === "origin_not_allowed") throw pageLeft();
      throw !began && neverThere(error) ? new Gone(problem.code, problem.message) : problem;
    }
    throw pageLeft();
  }
}

/** Says whether a document was gone before a call came to it. One that goes while a call runs is removed, Chrome says. */
const neverThere = (error: unknown): boolean =>
  error instanceof Error && /No (document|frame) with id/i.test(error.message);

/** Why a document cannot be reached, by what Chrome says. */
export function unreachable(error: unknown): CommandProblem {
  if (error instanceof CommandProblem) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/No tab with id|No window with id/.test(message)) return new CommandProblem("tab_gone", "The tab is closed.");
  if (/Cannot access|must request permission|cannot be scripted|extensions gallery/.test(message)) {
    return notGranted();
  }
  if (/error page/.test(message)) return new CommandProblem("page_failed", "The tab shows the browser's error page.");
  if (/removed|No document with id|No frame with id|navigat|closed/i.test(message)) {
    return pageLeft();
  }
  return new CommandProblem("internal", message);
}
