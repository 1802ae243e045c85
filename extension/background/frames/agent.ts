import { MUTATING, type Target } from "@gasoline/schema/commands";
import type { CommandError } from "@gasoline/schema/wire";
import type { FrameInfo, Frames } from "../../commands/context.ts";
import { CommandProblem, problemFrom } from "../../commands/problem.ts";
import type { AgentAnswer, AgentCall, AgentOp, AgentOps, AskAround } from "../../messages/agent.ts";
import type { ActionId } from "../../messages/content.ts";
import type { RefBlocks } from "./refs.ts";
import { frameTree, mainFrame } from "./tree.ts";
import { loadAgent, onAsked, runIn } from "./browser.ts";

/** The agent's object in the isolated world of a document. */
declare const gasolineAgent: { run(call: AgentCall): Promise<AgentAnswer>; cancel(id: string): void } | undefined;

/** Operations that are part of an act; others only help it. */
const ACTING: ReadonlySet<string> = new Set([...MUTATING, "begin", "settle"]);

type TargetLike = Pick<Target, "ref" | "frame" | "selector">;

/** Calls the agent in documents, bringing it there on first use. */
export class AgentFrames implements Frames {
  readonly #refs: RefBlocks;
  readonly #left: Map<string, number>; // document → unused numbers for refs; bounded below
  readonly #signal: AbortSignal | undefined;
  readonly #action: ActionId | undefined;

  constructor(refs: RefBlocks, left = new Map<string, number>(), signal?: AbortSignal, action?: ActionId) {
    this.#refs = refs;
    this.#left = left;
    this.#signal = signal;
    this.#action = action;
  }

  /** The same agents for one command: its calls end in the documents when the signal fires, and are its action's. */
  for(signal: AbortSignal, action?: ActionId): AgentFrames {
    return new AgentFrames(this.#refs, this.#left, signal, action);
  }

  /** Answers agents that ask what lies around their frame. */
  listen(): void {
    onAsked((message, tab, document) =>
      (message as Partial<AskAround>).type === "gasoline-around"
        ? this.#around(tab, document, message as AskAround)
        : undefined,
    );
  }

  async call<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]> {
    const target = params as TargetLike;
    const frame =
      target.frame === "all" && target.ref === undefined
        ? await this.#fitting(tab, target, deadline)
        : await this.#named(tab, target, deadline);
    return this.#run(tab, frame, op, params, deadline);
  }

  async callEach<K extends AgentOp>(
    tab: number,
    op: K,
    params: AgentOps[K]["params"],
    frame: string | undefined,
    deadline: number,
  ): Promise<{ frame: FrameInfo; value: AgentOps[K]["result"] }[]> {
    const frames = frame === "all" ? await this.#tree(tab) : [await this.find(tab, frame)];
    const answers = await Promise.allSettled(
      frames.map(async (at) => ({ frame: at, value: await this.#run(tab, at, op, params, deadline) })),
    );
    // A frame that went away while it was asked has nothing to say; if all failed, the first says why.
    const values = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    if (values.length === 0 && answers[0]?.status === "rejected") throw answers[0].reason;
    return values;
  }

  async offset(tab: number, target: TargetLike): Promise<{ x: number; y: number }> {
    const deadline = Date.now() + 2000;
    const frame =
      target.frame === "all" ? await this.#fitting(tab, target, deadline) : await this.#named(tab, target, deadline);
    return this.#offsetOf(tab, frame, deadline);
  }

  /** Where a document's viewport begins in the tab's viewport. */
  async offsetIn(tab: number, documentId: string, deadline: number): Promise<{ x: number; y: number }> {
    const frame = (await this.#tree(tab)).find((at) => at.documentId === documentId);
    if (!frame) throw new CommandProblem("page_left", "The page was left while the command ran.");
    return this.#offsetOf(tab, frame, deadline);
  }

  async #offsetOf(tab: number, frame: FrameInfo, deadline: number): Promise<{ x: number; y: number }> {
    if (frame.path.length === 0) return { x: 0, y: 0 };
    const frames = await this.#tree(tab);
    const at = { x: 0, y: 0 };
    for (let depth = 0; depth < frame.path.length; depth++) {
      const parent = frames.find(({ path }) => samePath(path, frame.path.slice(0, depth)));
      const box = parent && (await this.#run(tab, parent, "geometry", {}, deadline)).children[frame.path[depth] ?? -1];
      if (!box) throw new CommandProblem("not_actionable", "The frame of the element has no box on the page.");
      at.x += box.x;
      at.y += box.y;
    }
    return at;
  }

  /** What lies over a point of a frame, in the frames around it; null when nothing does that can be seen from here. */
  async #around(tab: number, documentId: string, { x, y, deadline }: AskAround): Promise<CommandError | null> {
    try {
      const frames = await this.#tree(tab);
      const path = frames.find((at) => at.documentId === documentId)?.path ?? [];
      let point: { x: number; y: number } | null = { x, y };
      for (let depth = path.length - 1; depth >= 0 && point; depth--) {
        // A page of a site that was not granted cannot be asked, nor what is around it.
        const parent = frames.find((at) => samePath(at.path, path.slice(0, depth)));
        point = parent
          ? await this.#run(tab, parent, "around", { index: path[depth] ?? -1, ...point }, deadline)
          : null;
      }
      return null;
    } catch (error) {
      return error instanceof CommandProblem ? error.toWire() : { code: "internal", message: String(error) };
    }
  }

  async find(tab: number, frame: string | undefined): Promise<FrameInfo> {
    if (frame === undefined) return this.#main(tab);
    const frames = await this.#tree(tab);
    if (/^\d+$/.test(frame)) {
      const found = frames.find(({ name }) => name === frame);
      if (found) return found;
      throw new CommandProblem("frame_not_found", `The page has ${frames.length - 1} frames; they are counted from 0.`);
    }
    return this.#bySelector(tab, frames, frame);
  }

  async #bySelector(tab: number, frames: FrameInfo[], selector: string): Promise<FrameInfo> {
    let problem: unknown;
    for (const parent of frames) {
      try {
        const { index } = await this.#run(tab, parent, "frame_index", { selector }, Date.now() + 2000);
        const found = frames.find(({ path }) => samePath(path, [...parent.path, index]));
        if (found) return found;
      } catch (error) {
        problem ??= error;
        const missing = error instanceof CommandProblem && error.code === "frame_not_found";
        if (!missing) throw error;
      }
    }
    throw (
      problem ??
      new CommandProblem("frame_not_found", `The frame ${selector} cannot be reached: its site is not granted.`)
    );
  }

  async #named(tab: number, target: TargetLike, deadline: number): Promise<FrameInfo> {
    if (target.ref === undefined) return this.#waitFor(tab, target.frame, deadline);
    const document = await this.#refs.documentOf(tab, target.ref);
    const frame = document && (await this.#tree(tab)).find(({ documentId }) => documentId === document);
    if (frame) return frame;
    throw new CommandProblem("stale_ref", `${target.ref} belongs to a page that is gone.`);
  }

  /** A frame that is not there yet may be about to be loaded. */
  async #waitFor(tab: number, frame: string | undefined, deadline: number): Promise<FrameInfo> {
    for (;;) {
      try {
        return await this.find(tab, frame);
      } catch (error) {
        const missing = error instanceof CommandProblem && error.code === "frame_not_found";
        if (!missing || Date.now() + 100 > deadline) throw error;
        this.#signal?.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** The one frame in which the target fits. */
  async #fitting(tab: number, target: TargetLike, deadline: number): Promise<FrameInfo> {
    for (;;) {
      const probes = await this.callEach(tab, "probe", target as AgentOps["probe"]["params"], "all", deadline);
      const fitting = probes.filter(({ value }) => value.count > 0);
      const visible = fitting.filter(({ value }) => value.visible > 0);
      const [best] = visible.length > 0 ? visible : fitting;
      if (best && visible.length <= 1) return best.frame;
      if (best) {
        const names = visible.map(
          ({ frame }) => `frame ${frame.name === "" ? "(main)" : frame.name}: ${frame.url.slice(0, 120)}`,
        );
        throw new CommandProblem(
          "ambiguous_target",
          `The target fits in ${visible.length} frames; name one. ${names.join("; ")}`,
        );
      }
      this.#signal?.throwIfAborted();
      if (Date.now() + 100 > deadline) {
        throw new CommandProblem(
          "element_not_found",
          `No frame has an element for ${target.selector ?? "the target"}.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
  }

  async #run<K extends AgentOp>(
    tab: number,
    frame: FrameInfo,
    op: K,
    params: AgentOps[K]["params"],
    deadline: number,
  ): Promise<AgentOps[K]["result"]> {
    const { documentId } = frame;
    const refs = await this.#refs.rangesOf(tab, documentId, this.#left.get(documentId) ?? Infinity);
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
    this.#signal?.addEventListener("abort", stop, { once: true });
    let answer: AgentAnswer<K>;
    try {
      this.#signal?.throwIfAborted();
      answer = (await this.#inject(tab, documentId, call)) as AgentAnswer<K>;
    } finally {
      this.#signal?.removeEventListener("abort", stop);
    }
    if (this.#left.size > 1000) this.#left.clear();
    this.#left.set(documentId, answer.refsLeft);
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
      this.#signal?.throwIfAborted(); // It may have fired while the agent was loaded.
      return runIn(tab, { documentIds: [documentId] }, run, [call]);
    };
    try {
      let [first] = await ask();
      if (!first?.result) {
        await loadAgent(tab, documentId);
        [first] = await ask();
      }
      if (first?.result) return first.result;
    } catch (error) {
      throw unreachable(error);
    }
    throw new CommandProblem("page_left", "The page was left while the command ran.");
  }

  async #main(tab: number): Promise<FrameInfo> {
    return mainFrame(tab).catch((error: unknown) => {
      throw unreachable(error);
    });
  }

  async #tree(tab: number): Promise<FrameInfo[]> {
    return frameTree(tab).catch((error: unknown) => {
      throw unreachable(error);
    });
  }
}

function unreachable(error: unknown): CommandProblem {
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
    return new CommandProblem("page_left", "The page was left while the command ran.");
  }
  return new CommandProblem("internal", message);
}

const samePath = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, i) => n === b[i]);
